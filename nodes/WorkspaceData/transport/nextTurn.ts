/**
 * Waits for one turn of n8n's event loop: what is ready is dealt with meanwhile. Takes some 50 µs, where n8n's own
 * `sleep` is a timer and takes a millisecond at least.
 */
export const nextTurn = async (): Promise<void> =>
	await new Promise((resolve) => {
		// A new one each time: messages on one channel may all come in the same turn.
		const { port1, port2 } = new MessageChannel();
		port1.once('message', () => {
			port1.close();
			resolve();
		});
		port2.postMessage(undefined);
	});

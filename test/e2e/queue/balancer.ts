import { createConnection, createServer, type Socket } from 'node:net';

import { freePort } from '../../host/ports.ts';

/**
 * Starts a load balancer over these ports of the loopback address, as plain as can be: each connection goes to the next
 * port that accepts it.
 */
export async function startBalancer(ports: readonly number[]) {
	const port = await freePort();
	const open = new Set<Socket>();
	const away = new Set<number>();
	let turn = 0;

	function forward(client: Socket, tries: number): void {
		const ready = ports.filter((one) => !away.has(one));
		const target = ready[turn++ % ready.length];
		if (target === undefined || tries === 0) {
			client.destroy();
			return;
		}
		const server = createConnection({ host: '127.0.0.1', port: target });
		server.once('connect', () => {
			server.removeAllListeners('error');
			server.on('error', () => client.destroy());
			client.pipe(server).pipe(client);
		});
		server.once('error', () => forward(client, tries - 1));
		client.on('close', () => server.destroy());
	}

	const listener = createServer((client) => {
		open.add(client);
		client.on('error', () => client.destroy());
		client.on('close', () => open.delete(client));
		forward(client, ports.length);
	});
	await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
	return {
		/** Address for clients, without a final slash. */
		url: `http://127.0.0.1:${port}`,
		/**
		 * Sends nothing to a port while the task runs. A process that starts responds 200 to webhooks and forgets them, so
		 * that a load balancer must ask if it is ready.
		 */
		async without(one: number, task: () => Promise<void>) {
			away.add(one);
			await task();
			away.delete(one);
		},
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => listener.close(resolve));
		},
	};
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WebServer = Awaited<ReturnType<typeof startWebServer>>;

/** Starts a web server of a test's own on the loopback address, for answers that the reference service does not give. */
export async function startWebServer(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		/** Address without a final slash. */
		url: `http://127.0.0.1:${port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

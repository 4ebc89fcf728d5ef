import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WebServer = Awaited<ReturnType<typeof startWebServer>>;

/** Starts a web server for a test, on the loopback address, for responses that the reference service doesn't give. */
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

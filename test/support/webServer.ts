import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server of a test's own, for answers that the reference service does not give. */
export interface WebServer {
	/** Address without a final slash. */
	url: string;
	close(): Promise<void>;
}

/** Starts it on the loopback address. */
export async function startWebServer(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<WebServer> {
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy in front of n8n, through which deliveries come. */
export interface Front {
	/** Address without a final slash. */
	url: string;
	/** The address of n8n. */
	n8n: string;
	/** Lets deliveries through, but none of n8n's answers. */
	losesAnswers: boolean;
	close(): Promise<void>;
}

/** Headers that are about one connection. */
const OWN = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];

/** Starts it on the loopback address. */
export async function startFront(): Promise<Front> {
	async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = 'GET', url = '/', headers } = request;
		const kept = Object.entries(headers).filter(([name]) => !OWN.includes(name));
		const answer = await fetch(front.n8n + url, {
			method,
			headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
			body: await buffer(request),
		});
		const text = await answer.text();
		if (!front.losesAnswers) response.writeHead(answer.status).end(text);
	}

	const server = createServer((request, response) => {
		// n8n may be away: it restarts.
		void pass(request, response).catch(() => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const front: Front = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		n8n: '',
		losesAnswers: false,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return front;
}

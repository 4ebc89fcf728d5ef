import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './client.ts';

/** A delivery as it arrived. */
export interface Received {
	path: string;
	headers: IncomingHttpHeaders;
	raw: Buffer;
	body: Json;
}

/** A target of deliveries on loopback. */
export interface Receiver {
	url: string;
	received: Received[];
	/** Decides on each delivery: a status, or null to let it wait forever. */
	answer: (delivery: Received) => number | null;
	/** Answers what was left to wait. */
	release(status: number): void;
	/** Closes all connections, including connections that wait for an answer. */
	hangUp(): void;
	close(): Promise<void>;
}

/** Starts a target that takes everything. */
export async function startReceiver(): Promise<Receiver> {
	const held: Array<(status: number) => void> = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const raw = Buffer.concat(chunks);
			const delivery: Received = {
				path: request.url ?? '',
				headers: request.headers,
				raw,
				body: JSON.parse(raw.toString()) as Json,
			};
			receiver.received.push(delivery);
			const status = receiver.answer(delivery);
			if (status === null) {
				held.push((late) => response.writeHead(late).end('ok'));
				return;
			}
			response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const receiver: Receiver = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
		received: [],
		answer: () => 200,
		release: (status) => held.splice(0).forEach((answer) => answer(status)),
		hangUp: () => server.closeAllConnections(),
		async close() {
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				receiver.hangUp();
			});
		},
	};
	return receiver;
}

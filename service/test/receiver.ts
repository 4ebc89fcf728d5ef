import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startWebServer } from '../../test/support/webServer.ts';
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
	close(): Promise<void>;
}

/** Starts a target that takes everything. */
export async function startReceiver(): Promise<Receiver> {
	const held: Array<(status: number) => void> = [];
	const server = await startWebServer(async (request, response) => {
		const raw = await buffer(request);
		const delivery: Received = {
			path: request.url ?? '',
			headers: request.headers,
			raw,
			body: JSON.parse(raw.toString()) as Json,
		};
		receiver.received.push(delivery);
		const status = receiver.answer(delivery);
		if (status === null) held.push((late) => response.writeHead(late).end('ok'));
		else response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok');
	});
	const receiver: Receiver = {
		url: `${server.url}/hook`,
		received: [],
		answer: () => 200,
		release: (status) => held.splice(0).forEach((answer) => answer(status)),
		close: server.close,
	};
	return receiver;
}

/** `startReceiver` for targets that last as long as a test. */
export function useReceivers(): typeof startReceiver {
	const started: Receiver[] = [];
	afterEach(async () => {
		for (const receiver of started.splice(0)) await receiver.close();
	});
	return async () => {
		const receiver = await startReceiver();
		started.push(receiver);
		return receiver;
	};
}

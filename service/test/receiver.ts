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
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a target that takes everything. */
async function startReceiver() {
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
		if (status !== null)
			response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok');
	});
	const receiver = {
		url: `${server.url}/hook`,
		received: new Array<Received>(),
		/** Decides on each delivery: a status, or null to let it wait forever. */
		answer: (_delivery: Received): number | null => 200,
		/** Closes all connections, including connections that wait for an answer. */
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

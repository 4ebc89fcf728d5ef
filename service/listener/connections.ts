/** Connections: how many, how long one may be idle, and how they end when the service stops. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Quotas } from '../foundation/quotas.ts';

type Bounds = Pick<Quotas, 'connections' | 'idleMs' | 'bodyBytes'>;

/** Options that Fastify needs when it is made: a request must arrive within a time. */
export function connectionOptions({ idleMs }: Pick<Bounds, 'idleMs'>) {
	return {
		// Not `true`: that would cut off what is under way when the service stops.
		forceCloseConnections: 'idle' as const,
		requestTimeout: idleMs,
		http: { requireHostHeader: false, connectionsCheckingInterval: Math.min(1_000, idleMs / 2) },
	};
}

/**
 * Drops the connection of an answer that is not read; a slow reader is one that reads something now and then. Without
 * a listener, node:http closes the connection after that time; adding one to every answer costs more.
 */
export function dropIfUnread(response: ServerResponse, { idleMs }: Pick<Bounds, 'idleMs'>) {
	response.setTimeout(idleMs);
}

/** Whether the body of a request is too large to be read on after the answer. */
function isTooLarge({ raw }: FastifyRequest, { bodyBytes }: Pick<Bounds, 'bodyBytes'>): boolean {
	return !raw.complete && Number(raw.headers['content-length'] ?? 0) > bodyBytes;
}

/** Drops the connection of a request whose body does not arrive in time. */
function dropIfIncomplete(request: IncomingMessage, { idleMs }: Pick<Bounds, 'idleMs'>) {
	const { socket } = request;
	const timer = setTimeout(() => {
		if (!request.complete) socket.destroy();
	}, idleMs).unref();
	request.once('end', () => clearTimeout(timer));
}

/**
 * Bounds the connections of a listener. A connection whose client does not read its answer, or sends nothing,
 * is dropped. When the app closes, what is under way is answered first, for a limited time.
 * @param drainMs most time for that, in ms
 */
export function boundConnections(app: FastifyInstance, bounds: Bounds, drainMs: number) {
	const { server } = app;
	let isClosing = false;
	const drained = new AbortController();
	server.maxConnections = bounds.connections;
	app.addHook('onSend', (request, reply, payload, done) => {
		if (isClosing || isTooLarge(request, bounds)) void reply.header('connection', 'close');
		dropIfUnread(reply.raw, bounds);
		done(null, payload);
	});
	app.addHook('onResponse', ({ raw }, _reply, done) => {
		if (isClosing) server.closeIdleConnections();
		// Answered before its body was there, as it was refused: node:http would wait for the rest forever.
		if (!raw.complete) dropIfIncomplete(raw, bounds);
		done();
	});
	app.addHook('preClose', async () => {
		isClosing = true;
		void sleep(drainMs, undefined, { signal: drained.signal }).then(
			() => server.closeAllConnections(),
			() => {},
		);
	});
	app.addHook('onClose', async () => drained.abort());
}

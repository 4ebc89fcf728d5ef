/** Connections: how many, how long a request may take to arrive, and how requests end when the service stops. */
import type { FastifyInstance } from 'fastify';

/** Options that Fastify needs when it is made. */
export const connectionOptions = {
	// Not `true`: that would cut off what is under way when the service stops.
	forceCloseConnections: 'idle' as const,
	/** How long a request may take to arrive, in ms. */
	requestTimeout: 30_000,
};

/**
 * Bounds the connections of a listener. When the app closes, what is under way may end first, for a limited time.
 * @param drainMs most time for that, in ms
 */
export function boundConnections(app: FastifyInstance, drainMs: number): void {
	app.server.maxConnections = 1_000;
	app.addHook('preClose', async () => {
		setTimeout(() => app.server.closeAllConnections(), drainMs).unref();
	});
}

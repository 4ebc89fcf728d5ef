import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Turn } from '../foundation/heavyWork.ts';
import type { Principal } from '../auth/authenticate.ts';
import type { WorkspaceData } from '../domain/workspaceData.ts';
import type { Cursors } from './cursor.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/** Who sent the request; null before authentication and where it needs none. */
		principal: Principal | null;
		/** Whether it has a large body or answer, so that it is served in turns. */
		isLarge: boolean;
		/** Its place in the order in which requests came. */
		number: number;
		/** Waits for its next turn; what does so is large. */
		turn: Turn;
	}
	interface FastifyContextConfig {
		/** The query parameters that an endpoint knows; others are refused. */
		query?: readonly string[];
	}
}

/** The parts that the routes work with. */
export interface RouteContext {
	data: WorkspaceData;
	cursors: Cursors;
}

/** The app, with request types inferred from zod schemas. */
export type App = FastifyInstance<
	RawServerDefault,
	IncomingMessage,
	ServerResponse,
	FastifyBaseLogger,
	ZodTypeProvider
>;

/** The path of a request, without its query. */
export function pathOf({ url }: FastifyRequest): string {
	const [path = ''] = url.split('?', 1);
	return path;
}

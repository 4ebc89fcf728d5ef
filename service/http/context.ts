/** The app, and what routes work with. */
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Principal } from '../auth/authenticate.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/** Who sent the request; null before authentication and where it needs none. */
		principal: Principal | null;
	}
	interface FastifyContextConfig {
		/** The query parameters that an endpoint knows; others are refused. */
		query?: readonly string[];
	}
}

/** The parts that the routes work with. */
export interface RouteContext {
	data: WorkspaceData;
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

/** The app, and what routes work with. */
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
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
		/** What an endpoint of the API does, and with what. */
		operation?: {
			verb: 'list' | 'get' | 'create' | 'update' | 'delete';
			noun: 'Card' | 'Field' | 'Record' | 'Webhook';
		};
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

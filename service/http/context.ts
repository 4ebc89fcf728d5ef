/** What requests and routes know, in addition to what Fastify has. */
/** What an endpoint of the API does, and with what. */
export interface Operation {
	verb: 'list' | 'get' | 'create' | 'update' | 'delete';
	noun: 'card' | 'field' | 'record' | 'webhook';
}

declare module 'fastify' {
	interface FastifyContextConfig {
		operation?: Operation;
	}
}

/** The operation of the API that a request is for. */
import type { FastifyRequest } from 'fastify';

/** The purpose of a request: the two parts of its operation id in the description. */
export interface Operation {
	verb: 'list' | 'get' | 'create' | 'update' | 'delete';
	noun: 'card' | 'field' | 'record' | 'webhook';
}

/** The operation of the API that a request is for, or undefined for anything else. */
export function operationOf(request: FastifyRequest): Operation | undefined {
	const { schema } = request.routeOptions as { schema?: { operationId?: string } };
	const match = /^(list|get|create|update|delete)(Card|Field|Record|Webhook)s?$/.exec(
		schema?.operationId ?? '',
	);
	if (!match) return undefined;
	return {
		verb: match[1] as Operation['verb'],
		noun: match[2]?.toLowerCase() as Operation['noun'],
	};
}

/** What an endpoint says about itself in the description document, and the status of its success. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod/v4';
import { problemSchema } from './resources.ts';

const noBody = z.null().describe('Done; no body.');

const statusOf = { list: 200, get: 200, create: 201, update: 200, delete: 204 } as const;
type Verb = keyof typeof statusOf;
type Noun = 'Card' | 'Field' | 'Record' | 'Webhook';

/**
 * The options of a route: its description and its schemas. What it responds with is typed loosely on purpose: variants
 * respond in other shapes than the described ones.
 * @param summary a sentence; more about it may follow
 */
export function endpoint<Parts extends object>(
	[verb, noun]: [verb: Verb, noun: Noun],
	summary: string,
	parts: Parts,
	response: z.ZodType = noBody,
) {
	const status = statusOf[verb];
	const { querystring } = parts as { querystring?: z.ZodObject };
	const query = Object.keys(querystring?.shape ?? {});
	const [title = ''] = summary.split('. ', 1);
	return {
		config: { operation: { verb, noun }, query },
		// A problem has its own status.
		preHandler: async (_request: FastifyRequest, reply: FastifyReply) => void reply.code(status),
		schema: {
			operationId: `${verb}${noun}${verb === 'list' ? 's' : ''}`,
			summary: title.replace(/\.$/, ''),
			description: summary,
			tags: [`${noun}s`],
			response: { [status]: response, default: problemSchema } as Record<string, unknown>,
			...parts,
		},
	};
}

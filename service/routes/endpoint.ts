/** Adds an endpoint of the API: what it does decides its method, path and status. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { problem } from '../foundation/problem.ts';
import type { Operation } from '../http/context.ts';
import { problemSchema } from './resources.ts';

const verbs = {
	list: ['GET', 200],
	get: ['GET', 200],
	create: ['POST', 201],
	update: ['PATCH', 200],
	delete: ['DELETE', 204],
} as const;

/** Where all things of a kind are, and one of them. */
const paths = {
	card: ['/cards', '/:cid'],
	field: ['/cards/:cid/fields', '/:fid'],
	record: ['/cards/:cid/records', '/:rid'],
	webhook: ['/webhooks', '/:webhook_id'],
} as const;

/** The IDs in all paths; a path has some of them. */
export type Ids = Record<'wid' | 'cid' | 'fid' | 'rid' | 'webhook_id', string>;

interface Endpoint<Body extends z.ZodType, Query extends z.ZodObject> {
	/** A sentence; more about it may follow. */
	summary: string;
	body?: Body;
	query?: Query;
	/** Describes what `run` returns; typed loosely on purpose, as variants respond in other shapes. */
	response?: z.ZodType;
	run(ids: Ids, request: { body: z.output<Body>; query: z.output<Query> }): unknown;
}

const noBody = z.null().describe('Done; no body.');

/** Adds an endpoint below a workspace. */
export function addEndpoint<Body extends z.ZodType, Query extends z.ZodObject>(
	app: FastifyInstance,
	verb: Operation['verb'],
	noun: Operation['noun'],
	{ summary, body, query, response = noBody, run }: Endpoint<Body, Query>,
) {
	const [method, status] = verbs[verb];
	const [all, one] = paths[noun];
	const isAboutAll = verb === 'list' || verb === 'create';
	const name = noun.replace(/^./, (first) => first.toUpperCase());
	const [title = ''] = summary.split('. ', 1);
	app.route({
		method,
		url: `/workspaces/:wid${all}${isAboutAll ? '' : one}`,
		config: { operation: { verb, noun } },
		schema: {
			operationId: `${verb}${name}${verb === 'list' ? 's' : ''}`,
			summary: title.replace(/\.$/, ''),
			description: summary,
			tags: [`${name}s`],
			response: { [status]: response, default: problemSchema },
			...(body && { body }),
			...(query && { querystring: query }),
		},
		preValidation(request, _reply, done) {
			checkQuery(request.query as object, Object.keys(query?.shape ?? {}));
			done();
		},
		handler(request, reply) {
			const sent = request as { body: z.output<Body>; query: z.output<Query> };
			void reply.code(status).send(run(request.params as Ids, sent));
		},
	});
}

/** A parameter that nobody reads is a mistake of the client, who must be told. */
function checkQuery(query: object, known: string[]): void {
	const unknown = Object.keys(query).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const possible = known.length === 0 ? 'none' : known.join(', ');
	const detail = `Unknown query parameter "${unknown}". Possible: ${possible}.`;
	throw problem('malformed-request', detail);
}

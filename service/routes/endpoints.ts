/** The endpoints of the API. @see service interface, part 4 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Store } from '../data/store.ts';
import { problem } from '../foundation/problem.ts';
import * as schemas from './schemas.ts';

/** Adds all endpoints. */
export function addEndpoints(app: FastifyInstance, store: Store): void {
	addCardEndpoints(app, store);
	addFieldEndpoints(app, store);
	addRecordEndpoints(app, store);
	addWebhookEndpoints(app, store);
}

function addCardEndpoints(app: FastifyInstance, { cards }: Store): void {
	add(app, 'list', 'card', {
		summary: 'List all cards in the workspace. This list has no pages.',
		response: z.object({ cards: z.array(schemas.cardSchema) }),
		run: ({ wid }) => ({ cards: cards.list(wid) }),
	});
	add(app, 'get', 'card', {
		summary: 'Get one card. Its fields and records have separate lists.',
		response: schemas.cardSchema,
		run: ({ wid, cid }) => cards.get(wid, cid),
	});
	add(app, 'create', 'card', {
		summary: 'Create a card. The name need not be unique. Emits card.created.',
		body: schemas.cardCreateSchema,
		response: schemas.cardSchema,
		run: ({ wid }, { body }) => cards.create(wid, body),
	});
	add(app, 'update', 'card', {
		summary: 'Update name or description. Emits card.updated if one changes.',
		body: schemas.cardUpdateSchema,
		response: schemas.cardSchema,
		run: ({ wid, cid }, { body }) => cards.update(wid, cid, body),
	});
	add(app, 'delete', 'card', {
		summary: 'Delete a card with all that it has. Records have no events.',
		run: ({ wid, cid }) => cards.remove(wid, cid),
	});
}

function addFieldEndpoints(app: FastifyInstance, { fields }: Store): void {
	add(app, 'list', 'field', {
		summary: 'List the fields of a card. Records are keyed by field ID. This list has no pages.',
		response: z.object({ fields: z.array(schemas.fieldSchema) }),
		run: ({ wid, cid }) => ({ fields: fields.list(wid, cid) }),
	});
	add(app, 'create', 'field', {
		summary: 'Add a field. Options are for select fields only.',
		body: schemas.fieldCreateSchema,
		response: schemas.fieldSchema,
		run: ({ wid, cid }, { body }) => fields.create(wid, cid, body),
	});
	add(app, 'update', 'field', {
		summary: 'Update a field. Options replace all. 409 if a record has a value that would not fit.',
		body: schemas.fieldUpdateSchema,
		response: schemas.fieldSchema,
		run: ({ wid, cid, fid }, { body }) => fields.update(wid, cid, fid, body),
	});
	add(app, 'delete', 'field', {
		summary: 'Delete a field and its values.',
		run: ({ wid, cid, fid }) => fields.remove(wid, cid, fid),
	});
}

function addRecordEndpoints(app: FastifyInstance, { records }: Store): void {
	add(app, 'list', 'record', {
		summary: 'List records, oldest first. Repeat until next_cursor is null.',
		query: schemas.recordQuerySchema,
		response: schemas.recordListSchema,
		run({ wid, cid }, { query }) {
			const after = query.cursor === undefined ? '' : decodeCursor(cid, query.cursor);
			const page = records.page(wid, cid, { after, limit: readLimit(query.limit) });
			const last = page.records.at(-1);
			const next_cursor = page.more && last ? encodeCursor(cid, last.id) : null;
			return { records: page.records, next_cursor };
		},
	});
	add(app, 'create', 'record', {
		summary: 'Create a record. Data is keyed by field ID.',
		body: schemas.recordChangeSchema,
		response: schemas.recordSchema,
		run: ({ wid, cid }, { body }) => records.create(wid, cid, body.data),
	});
	add(app, 'update', 'record', {
		summary: 'Update a record. Fields that are not named stay; null clears a field.',
		body: schemas.recordChangeSchema,
		response: schemas.recordSchema,
		run: ({ wid, cid, rid }, { body }) => records.update(wid, cid, rid, body.data),
	});
	add(app, 'delete', 'record', {
		summary: 'Delete a record. Its event has the last values.',
		run: ({ wid, cid, rid }) => records.remove(wid, cid, rid),
	});
}

function addWebhookEndpoints(app: FastifyInstance, { subscriptions }: Store): void {
	add(app, 'create', 'webhook', {
		summary: 'Create a subscription. Its secret is in this response only.',
		body: schemas.webhookCreateSchema,
		response: schemas.webhookSchema,
		run({ wid }, { body }) {
			const { target_url, events, card_id = null } = body;
			const made = subscriptions.create(wid, { targetUrl: target_url, events, cardId: card_id });
			const { id: webhook_id, state, createdAt: created_at, secret } = made;
			return { webhook_id, target_url, events: made.events, card_id, state, created_at, secret };
		},
	});
	add(app, 'delete', 'webhook', {
		summary: 'Delete a subscription, active or paused, and what waits for it.',
		run: ({ wid, webhook_id }) => subscriptions.remove(wid, webhook_id),
	});
}

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
type Ids = Record<'wid' | 'cid' | 'fid' | 'rid' | 'webhook_id', string>;

interface Endpoint<Body extends z.ZodType, Query extends z.ZodObject, Response extends z.ZodType> {
	summary: string;
	body?: Body;
	query?: Query;
	response?: Response;
	run(
		ids: Ids,
		request: { body: z.output<Body>; query: z.output<Query> },
	): z.output<Response> | void;
}

const noBody = z.null().describe('Done; no body.');

/** Adds an endpoint below a workspace: what it does decides its method, path and status. */
function add<Body extends z.ZodType, Query extends z.ZodObject, Response extends z.ZodType>(
	app: FastifyInstance,
	verb: keyof typeof verbs,
	noun: keyof typeof paths,
	{ summary, body, query, response, run }: Endpoint<Body, Query, Response>,
): void {
	const [method, status] = verbs[verb];
	const [all, one] = paths[noun];
	app.route({
		method,
		url: `/workspaces/:wid${all}${verb === 'list' || verb === 'create' ? '' : one}`,
		schema: {
			operationId: `${verb}_${noun}`,
			summary,
			tags: [`${noun}s`],
			response: { [status]: response ?? noBody, default: schemas.problemSchema },
			...(body && { body }),
			...(query && { querystring: query }),
		},
		preValidation: async (request) =>
			checkQuery(request.query as object, Object.keys(query?.shape ?? {})),
		async handler(request, reply) {
			const sent = request as { body: z.output<Body>; query: z.output<Query> };
			return await reply.code(status).send(run(request.params as Ids, sent));
		},
	});
}

/** A parameter that nobody reads is a mistake of the client, who must be told. */
function checkQuery(query: object, known: string[]): void {
	const unknown = Object.keys(query).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const possible = known.join(', ') || 'none';
	const detail = `Unknown query parameter "${unknown}". Possible: ${possible}.`;
	throw problem('malformed-request', detail);
}

function readLimit(text: unknown): number {
	const { default: standard, maximum } = schemas.pageSize;
	if (text === undefined) return standard;
	const limit = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : 0;
	if (limit >= 1 && limit <= maximum) return limit;
	const detail = `limit must be a whole number from 1 to ${maximum}, got "${String(text)}".`;
	throw problem('invalid-limit', detail);
}

/**
 * Makes a cursor: the last record that was seen, bound to its card. As a page starts after an ID and not at an offset,
 * records that come and go meanwhile shift nothing.
 */
const encodeCursor = (cardId: string, recordId: string) =>
	Buffer.from(`${cardId}\n${recordId}`).toString('base64url');

/** @throws Problem invalid-cursor: not one of ours, or of another card */
function decodeCursor(cardId: string, cursor: unknown): string {
	const text = Buffer.from(String(cursor), 'base64url').toString();
	const recordId = text.slice(cardId.length + 1);
	if (encodeCursor(cardId, recordId) === cursor) return recordId;
	throw problem('invalid-cursor', `The cursor is not one that was returned for card "${cardId}".`);
}

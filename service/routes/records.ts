import { z } from 'zod/v4';
import type { Cursors } from '../http/cursor.ts';
import { problem } from '../http/problem.ts';
import {
	cardParams,
	recordCreateSchema,
	recordListSchema,
	recordParams,
	recordSchema,
	recordUpdateSchema,
} from './resources.ts';
import { pageSize } from '../foundation/settings.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/cards/:cid/records';
const one = `${all}/:rid`;
const tags = ['Records'];

/** Documents the query; the values are judged by `readLimit` so that each has a separate problem. */
const listQuery = z.object({
	limit: z
		.union([z.string(), z.array(z.string())])
		.optional()
		.meta({
			type: 'integer',
			minimum: 1,
			maximum: pageSize.maximum,
			default: pageSize.default,
			anyOf: undefined,
			description: 'Page size.',
		}),
	cursor: z
		.union([z.string(), z.array(z.string())])
		.optional()
		.meta({
			type: 'string',
			anyOf: undefined,
			description: 'The next_cursor of the previous page; omit for the first.',
		}),
});

function readLimit(text: string | string[] | undefined): number {
	if (text === undefined) return pageSize.default;
	const limit = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : 0;
	if (limit < 1 || limit > pageSize.maximum) {
		throw problem(
			'invalid-limit',
			`limit must be a whole number from 1 to ${pageSize.maximum}, got "${String(text)}".`,
		);
	}
	return limit;
}

/** The id of the record that a page starts after; '' for the first page. */
function readCursor(cursors: Cursors, cardId: string, cursor: string | string[] | undefined) {
	if (Array.isArray(cursor)) {
		throw problem('invalid-cursor', 'The query has more than one cursor.');
	}
	return cursor === undefined ? '' : cursors.decode(cardId, cursor);
}

/** Adds the record endpoints. @see service interface, part 4 "Records" */
export function addRecordRoutes(app: App, { data: { records }, cursors }: RouteContext) {
	app.get(
		all,
		{
			config: { query: Object.keys(listQuery.shape) },
			schema: {
				operationId: 'listRecords',
				summary: 'List records, paginated, oldest first',
				description: 'Repeat the request with the next_cursor of the answer until it is null.',
				tags,
				params: cardParams,
				querystring: listQuery,
				response: answersOf({ 200: recordListSchema }),
			},
		},
		async (request) => {
			const { wid, cid } = request.params;
			const { limit, cursor } = request.query;
			const place = { limit: readLimit(limit), after: readCursor(cursors, cid, cursor) };
			const page = await records.page(wid, cid, place, request.turn);
			const last = page.records.at(-1);
			const next = page.more && last ? cursors.encode(cid, last.id) : null;
			return { records: page.records, next_cursor: next };
		},
	);

	app.post(
		all,
		{
			schema: {
				operationId: 'createRecord',
				summary: 'Create a record',
				description: 'Data is keyed by field id. Emits record.created.',
				tags,
				params: cardParams,
				body: recordCreateSchema,
				response: answersOf({ 201: recordSchema }),
			},
		},
		({ params, body }, reply) =>
			reply.code(201).send(records.create(params.wid, params.cid, body.data)),
	);

	app.patch(
		one,
		{
			schema: {
				operationId: 'updateRecord',
				summary: 'Update a record',
				description: 'Fields that are not given stay as they are; null clears a field.',
				tags,
				params: recordParams,
				body: recordUpdateSchema,
				response: answersOf({ 200: recordSchema }),
			},
		},
		({ params, body }) => records.update(params.wid, params.cid, params.rid, body.data),
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteRecord',
				summary: 'Delete a record',
				description: 'Emits record.deleted with the last values.',
				tags,
				params: recordParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) => {
			records.remove(params.wid, params.cid, params.rid);
			return reply.code(204).send();
		},
	);
}

import { z } from 'zod/v4';
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
import type { App, RouteContext } from '../http/app.ts';

const all = '/workspaces/:wid/cards/:cid/records';
const one = `${all}/:rid`;
const tags = ['Records'];

/** Documents the query; the values are judged by `readLimit` so that each has a problem of its own. */
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

function readLimit(text: string | string[] | undefined, clamp: boolean): number {
	if (text === undefined) return pageSize.default;
	const limit = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : 0;
	if (limit > pageSize.maximum && clamp) return pageSize.maximum;
	if (limit < 1 || limit > pageSize.maximum) {
		throw problem(
			'invalid-limit',
			`limit must be a whole number from 1 to ${pageSize.maximum}, got "${String(text)}".`,
		);
	}
	return limit;
}

/** Adds the record endpoints. @see service interface, part 4 "Records" */
export function addRecordRoutes(
	app: App,
	{ data, answers, cursors, variants, settings }: RouteContext,
) {
	app.get(
		all,
		{
			schema: {
				operationId: 'listRecords',
				summary: 'List records, paginated, oldest first',
				tags,
				params: cardParams,
				querystring: listQuery,
				response: answersOf({ 200: recordListSchema }),
			},
		},
		({ params: { wid, cid }, query }, reply) => {
			const limit = readLimit(query.limit, variants.limitAboveMaximum === 'clamp');
			const { cursor } = query;
			if (Array.isArray(cursor)) {
				throw problem('invalid-cursor', 'The query has more than one cursor.');
			}
			const after = cursor === undefined ? '' : cursors.decode(cid, cursor);
			const { records, more } = data.pageOfRecords(wid, cid, after, limit);
			const last = records.at(-1);
			let next = more && last ? cursors.encode(cid, last.id) : null;
			// What a broken service would do, for trying clients.
			if (settings.paging === 'repeatCursor')
				next = cursor ?? (last ? cursors.encode(cid, last.id) : null);
			if (settings.paging === 'endless') next ??= cursors.encode(cid, '');
			return answers.page(reply, records, next);
		},
	);

	app.post(
		all,
		{
			schema: {
				operationId: 'createRecord',
				summary: 'Create a record',
				tags,
				params: cardParams,
				body: recordCreateSchema,
				response: answersOf({ 201: recordSchema }),
			},
		},
		({ params, body }, reply) => {
			const record = data.createRecord(params.wid, params.cid, body.data);
			return answers.object(reply, 'record', record, 'create');
		},
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
		({ params, body }, reply) => {
			const record = data.updateRecord(params.wid, params.cid, params.rid, body.data);
			return answers.object(reply, 'record', record, 'update');
		},
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteRecord',
				summary: 'Delete a record',
				tags,
				params: recordParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) => {
			const record = data.deleteRecord(params.wid, params.cid, params.rid);
			return answers.object(reply, 'record', record, 'delete');
		},
	);
}

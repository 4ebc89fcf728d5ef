/** The record endpoints. */
import { z } from 'zod/v4';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { problem } from '../foundation/problem.ts';
import {
	cardParams,
	recordCreateSchema,
	recordListSchema,
	recordParams,
	recordSchema,
	recordUpdateSchema,
} from './resources.ts';
import { pageSize } from '../foundation/settings.ts';
import { endpoint } from './endpoint.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/cards/:cid/records';
const one = `${all}/:rid`;

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
function readCursor(cardId: string, cursor: string | string[] | undefined) {
	if (Array.isArray(cursor)) {
		throw problem('invalid-cursor', 'The query has more than one cursor.');
	}
	return cursor === undefined ? '' : decodeCursor(cardId, cursor);
}

/** Adds the record endpoints. @see service interface, part 4 "Records" */
export function addRecordRoutes(app: App, { data: { records } }: RouteContext) {
	app.get(
		all,
		endpoint(
			['list', 'Record'],
			'List records, oldest first. Repeat until next_cursor is null.',
			{ params: cardParams, querystring: listQuery },
			recordListSchema,
		),
		({ params: { wid, cid }, query }) => {
			const after = readCursor(cid, query.cursor);
			const page = records.page(wid, cid, { after, limit: readLimit(query.limit) });
			const last = page.records.at(-1);
			const next_cursor = page.more && last ? encodeCursor(cid, last.id) : null;
			return { records: page.records, next_cursor };
		},
	);
	app.post(
		all,
		endpoint(
			['create', 'Record'],
			'Create a record. Data is keyed by field ID.',
			{ params: cardParams, body: recordCreateSchema },
			recordSchema,
		),
		({ params, body }) => records.create(params.wid, params.cid, body.data),
	);
	app.patch(
		one,
		endpoint(
			['update', 'Record'],
			'Update a record. Other fields stay; null clears a field.',
			{ params: recordParams, body: recordUpdateSchema },
			recordSchema,
		),
		({ params, body }) => records.update(params.wid, params.cid, params.rid, body.data),
	);
	app.delete(
		one,
		endpoint(['delete', 'Record'], 'Delete a record. Its event has the last values.', {
			params: recordParams,
		}),
		async ({ params }) => records.remove(params.wid, params.cid, params.rid),
	);
}

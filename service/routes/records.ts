/** The record endpoints. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { problem } from '../foundation/problem.ts';
import { pageSize } from '../foundation/settings.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { addEndpoint } from './endpoint.ts';
import {
	recordCreateSchema,
	recordListSchema,
	recordSchema,
	recordUpdateSchema,
} from './resources.ts';

/** Documents the query; the values are judged below, so that each has a separate problem. */
const listQuery = z.object({
	limit: z.unknown().optional().meta({
		type: 'integer',
		minimum: 1,
		maximum: pageSize.maximum,
		default: pageSize.default,
		description: 'Page size.',
	}),
	cursor: z.unknown().optional().meta({
		type: 'string',
		description: 'The next_cursor of the previous page; omit for the first.',
	}),
});

function readLimit(text: unknown): number {
	if (text === undefined) return pageSize.default;
	const limit = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : 0;
	if (limit >= 1 && limit <= pageSize.maximum) return limit;
	const detail = `limit must be a whole number from 1 to ${pageSize.maximum}, got "${String(text)}".`;
	throw problem('invalid-limit', detail);
}

/** The id of the record that a page starts after; '' for the first page. */
function readCursor(cardId: string, cursor: unknown): string {
	if (cursor === undefined) return '';
	if (typeof cursor === 'string') return decodeCursor(cardId, cursor);
	throw problem('invalid-cursor', 'The query has more than one cursor.');
}

/** Adds the record endpoints. @see service interface, part 4 "Records" */
export function addRecordRoutes(app: FastifyInstance, { records }: WorkspaceData) {
	addEndpoint(app, 'list', 'record', {
		summary: 'List records, oldest first. Repeat until next_cursor is null.',
		query: listQuery,
		response: recordListSchema,
		run({ wid, cid }, { query }) {
			const after = readCursor(cid, query.cursor);
			const page = records.page(wid, cid, { after, limit: readLimit(query.limit) });
			const last = page.records.at(-1);
			const next_cursor = page.more && last ? encodeCursor(cid, last.id) : null;
			return { records: page.records, next_cursor };
		},
	});
	addEndpoint(app, 'create', 'record', {
		summary: 'Create a record. Data is keyed by field ID.',
		body: recordCreateSchema,
		response: recordSchema,
		run: ({ wid, cid }, { body }) => records.create(wid, cid, body.data),
	});
	addEndpoint(app, 'update', 'record', {
		summary: 'Update a record. Other fields stay; null clears a field.',
		body: recordUpdateSchema,
		response: recordSchema,
		run: ({ wid, cid, rid }, { body }) => records.update(wid, cid, rid, body.data),
	});
	addEndpoint(app, 'delete', 'record', {
		summary: 'Delete a record. Its event has the last values.',
		run: ({ wid, cid, rid }) => records.remove(wid, cid, rid),
	});
}

/** One page of a card's records. @see service interface, part 2, "Record list response" */
import { z } from 'zod/v3';
import { isObject, isText } from '../../values/jsonObject';
import { nextCursor } from './parts';
import { record, type DataRecord } from './record';

export interface RecordPage {
	records: DataRecord[];
	/** Cursor of the next page; null on the last one. */
	nextCursor: string | null;
}

/** A record of a list always has its values. */
const listed = record.refine(({ raw }) => raw.data !== undefined, { path: ['data'] });

/** A record without its schema, which would take most of the time of a long list; undefined if anything is unusual. */
function usual(raw: unknown): DataRecord | undefined {
	if (!isObject(raw)) return undefined;
	const { id, data, created_at: createdAt } = raw;
	return isText(id) && isObject(data) && isText(createdAt)
		? { id, data, createdAt, raw }
		: undefined;
}

const records = z.array(z.unknown()).transform((list, context) =>
	list.map((raw, place) => {
		const found = usual(raw) ?? listed.safeParse(raw);
		if (!('success' in found)) return found;
		if (found.success) return found.data;
		for (const issue of found.error.issues) {
			context.addIssue({ ...issue, path: [place, ...issue.path], fatal: true });
		}
		return z.NEVER;
	}),
);

export const recordPage = z
	.object({ records, next_cursor: nextCursor })
	.transform((page): RecordPage => ({ records: page.records, nextCursor: page.next_cursor }));

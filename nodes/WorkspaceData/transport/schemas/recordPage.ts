/** One page of a card's records. @see service interface, part 2, "Record list response" */
import { z } from 'zod/v3';
import { nextCursor } from './parts';
import { record, type DataRecord } from './record';

export interface RecordPage {
	records: DataRecord[];
	/** Cursor of the next page; null on the last one. */
	nextCursor: string | null;
}

/** A record of a list always has its values. */
const listed = record.refine(({ raw }) => raw.data !== undefined, { path: ['data'] });

export const recordPage = z
	.object({ records: z.array(listed), next_cursor: nextCursor })
	.transform(({ records, next_cursor }): RecordPage => ({ records, nextCursor: next_cursor }));

import type { DataRecord } from './answer/record';
import { parseTime } from './time';

/** The age of a record: by its time, then by its sortable id. */
export interface Age {
	/** ms since the epoch. */
	at: number;
	id: string;
}

/**
 * The age of a record.
 *
 * @param undated the time of a record that has none
 */
export const ageOf = ({ id, createdAt }: DataRecord, undated = -Infinity): Age => ({
	at: parseTime(createdAt) ?? undated,
	id,
});

/** Oldest first. */
export function byAge(a: Age, b: Age): number {
	if (a.at !== b.at) return a.at < b.at ? -1 : 1;
	return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

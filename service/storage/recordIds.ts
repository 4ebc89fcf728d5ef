/** Ids of records: ULIDs that only ever rise. */
import { decodeTime, monotonicFactory } from 'ulid';
import type { Database } from './database.ts';

/** Gives the id of a record that is made now, in ms since 1970; belongs into the transaction that makes it. */
export type NextRecordId = (now: number) => string;

/** How far ahead the time in record ids is reserved, in ms. */
const reservedMs = 60_000;

/**
 * Makes the ids. They keep rising after a restart and when a clock steps back, or a cursor would miss records.
 * @see https://github.com/ulid/spec
 */
export function createRecordIds({ sql, meta, setMeta, afterRollback }: Database): NextRecordId {
	// They identify and protect nothing, so their random part need not be cryptographic (and is faster so).
	const ulid = monotonicFactory(Math.random);
	/** Ids have a time before this one; noted ahead, as noting each would cost a write for every record. */
	let reserved = Number(meta('reservedRecordTime') ?? 0);
	let floor = reserved;
	if (reserved === 0) {
		const { id } = sql.prepare('SELECT MAX(id) AS id FROM records').get() as { id: string | null };
		floor = id === null ? 0 : decodeTime(id) + 1;
	}
	const reserve = (time: number) => {
		if (time < reserved) return;
		const before = reserved;
		reserved = time + reservedMs;
		setMeta('reservedRecordTime', String(reserved));
		afterRollback(() => (reserved = before));
	};
	return (now) => {
		floor = Math.max(floor, now);
		reserve(floor);
		return ulid(floor);
	};
}

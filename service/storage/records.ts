/** Records of all cards. */
import { decodeTime, monotonicFactory } from 'ulid';
import type { Clock } from '../foundation/clock.ts';
import { heavyMs } from '../foundation/heavyWork.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { Database } from './database.ts';

/** A record as stored: `data` is keyed by the stored key of a field, not by its id. */
export interface StoredRecord {
	id: string;
	data: Record<string, unknown>;
	created_at: string;
}

/** Records in a row, and whether there are more after them. */
export interface RecordPage {
	records: StoredRecord[];
	more: boolean;
	/** Whether it ends early because it took long. */
	isCut: boolean;
	/** Bytes of what was read. */
	size: number;
}

/** How far ahead the time in record ids is reserved, in ms. */
const reservedMs = 60_000;

/** Records that are read between two looks at the time. */
const rowsBetweenLooks = 8;

/** Records that are read at a time where a whole card is looked through. */
const rowsAtATime = 50;

/** Records that are counted at a time; small enough to stay far below a slice. */
const countedAtATime = 5_000;

/** Comes after every record id, which are ULIDs. */
export const afterAll = '~';

interface Row {
	id: string;
	data: string;
	created_at: string;
}

const parse = (row: Row): StoredRecord => ({
	id: row.id,
	data: JSON.parse(row.data) as Record<string, unknown>,
	created_at: row.created_at,
});

/** Records of all cards. Prepares the statements. */
export function createRecordStore(
	{ sql, meta, setMeta, afterRollback }: Database,
	clock: Clock,
	quotas: Pick<Quotas, 'pageBytes'>,
) {
	const page = sql.prepare(
		'SELECT id, data, created_at FROM records WHERE card_id = ? AND id > ? ORDER BY id LIMIT ?',
	);
	const one = sql.prepare('SELECT id, data, created_at FROM records WHERE card_id = ? AND id = ?');
	const insert = sql.prepare(
		'INSERT INTO records (card_id, id, data, created_at) VALUES (?, ?, ?, ?)',
	);
	const update = sql.prepare('UPDATE records SET data = ? WHERE card_id = ? AND id = ?');
	const remove = sql.prepare('DELETE FROM records WHERE card_id = ? AND id = ?');
	const count = sql.prepare('SELECT COUNT(*) AS n FROM records WHERE card_id = ?');
	const slice = sql.prepare(
		`SELECT id, data FROM records WHERE card_id = ? AND id > ? ORDER BY id LIMIT ?`,
	);
	const before = sql.prepare(
		'SELECT id, data, created_at FROM records WHERE card_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
	);
	const countSome = sql.prepare(
		`SELECT COUNT(*) AS n, MAX(id) AS last FROM
			(SELECT id FROM records WHERE card_id = ? AND id > ? ORDER BY id LIMIT ${countedAtATime})`,
	);
	const latest = sql.prepare('SELECT MAX(id) AS id FROM records');

	// Ids must keep rising after a restart and when a clock steps back, or a cursor would miss records.
	// They identify and protect nothing, so their random part need not be cryptographic (and is faster so).
	const ulid = monotonicFactory(Math.random);
	/** Ids have a time before this one; noted ahead, as noting each would cost a write for every record. */
	let reserved = Number(meta('reservedRecordTime') ?? 0);
	let floor = reserved;
	if (reserved === 0) {
		const { id } = latest.get() as { id: string | null };
		floor = id === null ? 0 : decodeTime(id) + 1;
	}
	const reserve = (time: number) => {
		if (time < reserved) return;
		const before = reserved;
		reserved = time + reservedMs;
		setMeta('reservedRecordTime', String(reserved));
		afterRollback(() => (reserved = before));
	};

	return {
		/**
		 * At most `limit` records whose id is above `after`, in the order of their creation; fewer where they are large,
		 * or where reading them takes long.
		 * @param size the bytes that a page already has
		 * @returns `isCut`: it took long, so there may be room for more
		 */
		page(cardId: string, after: string, limit: number, size = 0): RecordPage {
			const records: StoredRecord[] = [];
			const until = performance.now() + heavyMs;
			let bytes = size;
			// Row by row, so that what does not fit is not read.
			const rows = page.iterate(cardId, after, limit + 1) as Iterable<unknown>;
			for (const row of rows as Iterable<Row>) {
				bytes += row.data.length;
				if (records.length === limit || (bytes > quotas.pageBytes && bytes > row.data.length)) {
					return { records, more: true, isCut: false, size: bytes };
				}
				records.push(parse(row));
				if (records.length % rowsBetweenLooks === 0 && performance.now() > until) {
					return { records, more: true, isCut: true, size: bytes };
				}
			}
			return { records, more: false, isCut: false, size: bytes };
		},
		find(cardId: string, id: string): StoredRecord | undefined {
			const row = one.get(cardId, id) as Row | undefined;
			return row && parse(row);
		},
		create(cardId: string, data: Record<string, unknown>): StoredRecord {
			const now = clock.now();
			floor = Math.max(floor, now);
			reserve(floor);
			const record = { id: ulid(floor), data, created_at: new Date(now).toISOString() };
			insert.run(cardId, record.id, JSON.stringify(data), record.created_at);
			return record;
		},
		update(cardId: string, id: string, data: Record<string, unknown>) {
			update.run(JSON.stringify(data), cardId, id);
		},
		remove(cardId: string, id: string) {
			remove.run(cardId, id);
		},
		/** The values that some records have under a field's stored key, and the last id, '' at the end. */
		someValues(cardId: string, key: number, after: string) {
			const rows = slice.all(cardId, after, rowsAtATime) as unknown as Row[];
			const values = rows.map((row) => parse(row).data[key]).filter((value) => value !== undefined);
			return { values, last: rows.at(-1)?.id ?? '' };
		},
		/** Some records whose id is below `id`, newest first. */
		someBefore(cardId: string, id: string): StoredRecord[] {
			return (before.all(cardId, id, rowsAtATime) as unknown as Row[]).map(parse);
		},
		/** Counts some records after an id; `last` is '' at the end. */
		countSome(cardId: string, after: string): { n: number; last: string } {
			const { n, last } = countSome.get(cardId, after) as { n: number; last: string | null };
			return { n, last: n < countedAtATime ? '' : (last ?? '') };
		},
		count(cardId: string): number {
			return (count.get(cardId) as { n: number }).n;
		},
	};
}

/** Records of all cards. */
import type { Clock } from '../foundation/clock.ts';
import { heavyMs } from '../foundation/heavyWork.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { Database } from './database.ts';
import { createRecordIds } from './recordIds.ts';
import { parseRow, type Row, type StoredRecord } from './recordRows.ts';
import { createRecordScans } from './recordScans.ts';

/** Records in a row, and whether there are more after them. */
export interface RecordPage {
	records: StoredRecord[];
	more: boolean;
	/** Whether it ends early because it took long. */
	isCut: boolean;
	/** Bytes of what was read. */
	size: number;
}

/** Records that are read between two looks at the time. */
const rowsBetweenLooks = 8;

/** Records of all cards. Prepares the statements. */
export function createRecordStore(
	database: Database,
	clock: Clock,
	quotas: Pick<Quotas, 'pageBytes'>,
) {
	const { sql } = database;
	const page = sql.prepare(
		'SELECT id, data, created_at FROM records WHERE card_id = ? AND id > ? ORDER BY id LIMIT ?',
	);
	// An array for each row takes two thirds of the time that an object takes.
	page.setReturnArrays(true);
	const one = sql.prepare('SELECT id, data, created_at FROM records WHERE card_id = ? AND id = ?');
	const insert = sql.prepare(
		'INSERT INTO records (card_id, id, data, created_at) VALUES (?, ?, ?, ?)',
	);
	const update = sql.prepare('UPDATE records SET data = ? WHERE card_id = ? AND id = ?');
	const remove = sql.prepare('DELETE FROM records WHERE card_id = ? AND id = ?');
	const nextId = createRecordIds(database);

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
			for (const [id, data, created_at] of rows as Iterable<[string, string, string]>) {
				bytes += data.length;
				if (records.length === limit || (bytes > quotas.pageBytes && bytes > data.length)) {
					return { records, more: true, isCut: false, size: bytes };
				}
				records.push({ id, data: JSON.parse(data) as StoredRecord['data'], created_at });
				if (records.length % rowsBetweenLooks === 0 && performance.now() > until) {
					return { records, more: true, isCut: true, size: bytes };
				}
			}
			return { records, more: false, isCut: false, size: bytes };
		},
		find(cardId: string, id: string): StoredRecord | undefined {
			const row = one.get(cardId, id) as Row | undefined;
			return row && parseRow(row);
		},
		/** @param json the data, as it is stored */
		create(
			cardId: string,
			data: Record<string, unknown>,
			json = JSON.stringify(data),
		): StoredRecord {
			const now = clock.now();
			const record = { id: nextId(now), data, created_at: new Date(now).toISOString() };
			insert.run(cardId, record.id, json, record.created_at);
			return record;
		},
		/** @param json the data, as it is stored */
		update(cardId: string, id: string, json: string) {
			update.run(json, cardId, id);
		},
		remove(cardId: string, id: string) {
			remove.run(cardId, id);
		},
		...createRecordScans(database),
	};
}

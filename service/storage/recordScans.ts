/** Looking through all records of a card, some at a time. */
import { heavyMs } from '../foundation/heavyWork.ts';
import type { Database } from './database.ts';
import { parseRow, type Row, type StoredRecord } from './recordRows.ts';

/** Records that are read at a time where a whole card is looked through. */
const rowsAtATime = 50;

/** Records that are counted at a time; small enough to stay far below a slice. */
const countedAtATime = 5_000;

/** The records of some rows: one at least, and no more than fit into a short time. */
function readBriefly(rows: Iterable<unknown>): StoredRecord[] {
	const records: StoredRecord[] = [];
	const until = performance.now() + heavyMs;
	for (const row of rows as Iterable<Row>) {
		records.push(parseRow(row));
		if (performance.now() > until) break;
	}
	return records;
}

/** Prepares the statements. */
export function createRecordScans({ sql }: Database) {
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

	return {
		/** The values that some records have under a field's stored key, and the last id, '' at the end. */
		someValues(cardId: string, key: number, after: string) {
			const records = readBriefly(slice.iterate(cardId, after, rowsAtATime));
			const values = records.map(({ data }) => data[key]).filter((value) => value !== undefined);
			return { values, last: records.at(-1)?.id ?? '' };
		},
		/** Some records whose id is below `id`, newest first. */
		someBefore(cardId: string, id: string): StoredRecord[] {
			return readBriefly(before.iterate(cardId, id, rowsAtATime));
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

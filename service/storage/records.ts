/** Records of all cards. */
import type { Clock } from '../foundation/clock.ts';
import { heavyMs } from '../foundation/heavyWork.ts';
import type { Database } from './database.ts';
import { createRecordIds } from './recordIds.ts';
import { parseRow, type Row, type StoredRecord } from './recordRows.ts';
import { createRecordScans } from './recordScans.ts';

/** Records in a row. */
export interface RecordPiece {
	records: StoredRecord[];
	/** Bytes that they take in an answer. */
	bytes: number;
	/** Why it ends: the card has no more, as many were asked for, the next has no room, or reading took long. */
	end: 'card' | 'limit' | 'room' | 'time';
}

/** Bytes that a record takes in an answer besides its data: id, time, and the names of all three. */
const bytesOfFrame = 84;

/** Records of all cards. Prepares the statements. */
export function createRecordStore(database: Database, clock: Clock) {
	const { sql } = database;
	const page = sql.prepare(
		`SELECT id, octet_length(data), iif(octet_length(data) <= ?, data, NULL), created_at FROM records
		WHERE card_id = ? AND id > ? ORDER BY id LIMIT ?`,
	);
	// An array for each row takes two thirds of the time that an object takes.
	page.setReturnArrays(true);
	const one = sql.prepare('SELECT id, data, created_at FROM records WHERE card_id = ? AND id = ?');
	const length = sql.prepare(
		'SELECT octet_length(data) AS bytes FROM records WHERE card_id = ? AND id = ?',
	);
	const insert = sql.prepare(
		'INSERT INTO records (card_id, id, data, created_at) VALUES (?, ?, ?, ?)',
	);
	const update = sql.prepare('UPDATE records SET data = ? WHERE card_id = ? AND id = ?');
	const remove = sql.prepare('DELETE FROM records WHERE card_id = ? AND id = ?');
	const nextId = createRecordIds(database);

	return {
		/**
		 * At most `limit` records whose id is above `after`, in the order of their creation.
		 * @param room bytes that they may take; data that has no room is not even read
		 * @param takesOne whether the first record has room, however large
		 */
		piece(
			cardId: string,
			after: string,
			limit: number,
			room: number,
			takesOne = false,
		): RecordPiece {
			const piece: RecordPiece = { records: [], bytes: 0, end: 'card' };
			const until = performance.now() + heavyMs;
			const most = takesOne ? Number.MAX_SAFE_INTEGER : room;
			const rows = page.iterate(most, cardId, after, limit + 1) as Iterable<unknown>;
			for (const row of rows as Iterable<[string, number, string | null, string]>) {
				const [id, length, data, created_at] = row;
				const isTaken = takesOne && piece.records.length === 0;
				const bytes = bytesOfFrame + length;
				if (piece.records.length === limit) return { ...piece, end: 'limit' };
				if (data === null || (piece.bytes + bytes > room && !isTaken)) {
					return { ...piece, end: 'room' };
				}
				piece.bytes += bytes;
				piece.records.push({ id, data: JSON.parse(data) as StoredRecord['data'], created_at });
				if (performance.now() > until) return { ...piece, end: 'time' };
			}
			return piece;
		},
		/** Bytes of a record's data; 0 where there is no such record. */
		bytesOf(cardId: string, id: string): number {
			return (length.get(cardId, id) as { bytes: number } | undefined)?.bytes ?? 0;
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

/** The records of cards: what clients can do with them; each change is one transaction with its events. */
import type { DomainEvent, EventName } from '../foundation/events.ts';
import { differences, type StoredData, toShown, toStored, withoutNulls } from './recordData.ts';
import { RecordIds } from './recordIds.ts';
import { problem } from '../foundation/problem.ts';
import type { CardData, Cards } from './cards.ts';
import type { Fields } from './fields.ts';

/** A record as the API shows it: `data` by field ID. */
export interface ApiRecord {
	id: string;
	data: Record<string, unknown>;
	created_at: string;
}

/** A record as stored: `data` by the stored key of a field. */
type StoredRecord = ApiRecord;

/** Which records of a card a person wants to see. */
export interface Search {
	/** Text that one of the values has, in any case; '' for all. */
	text: string;
	/** Only records before this ID. */
	before?: string | undefined;
	limit: number;
}

/** Comes after every record ID, which are ULIDs. */
const afterAll = '~';

type Row = Record<'id' | 'data' | 'created_at', string>;

function parse({ id, data, created_at }: Row): StoredRecord {
	return { id, data: JSON.parse(data) as StoredData, created_at };
}

function hasText({ data }: ApiRecord, wanted: string): boolean {
	return Object.values(data).some((value) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return text.toLowerCase().includes(wanted);
	});
}

function recordEvent(
	event: EventName,
	workspaceId: string,
	cardId: string,
	{ id, data }: Pick<ApiRecord, 'id' | 'data'>,
): DomainEvent {
	return { event, workspaceId, cardId, details: { record_id: id, data } };
}

/** What records need of everything that is stored. */
type RecordData = CardData & { cards: Cards; fields: Fields };

/** The records of all cards. */
export class Records {
	readonly #data: RecordData;
	readonly #ids: RecordIds;

	constructor(data: RecordData) {
		this.#data = data;
		this.#ids = new RecordIds(data.database);
	}

	/**
	 * At most `limit` records after an ID ('' for the first), oldest first, and whether there are more.
	 * @throws Problem card-not-found
	 */
	page(workspaceId: string, cardId: string, { after, limit }: { after: string; limit: number }) {
		this.#data.cards.get(workspaceId, cardId);
		const rows = this.#data.database.all<Row>(
			'SELECT id, data, created_at FROM records WHERE card_id = ? AND id > ? ORDER BY id LIMIT ?',
			...[cardId, after, limit + 1],
		);
		const records = rows.slice(0, limit).map((row) => this.#show(cardId, parse(row)));
		return { records, more: rows.length > limit };
	}

	count(cardId: string): number {
		const sql = 'SELECT COUNT(*) AS n FROM records WHERE card_id = ?';
		return this.#data.database.get<{ n: number }>(sql, cardId)?.n ?? 0;
	}

	/**
	 * Records for a person to look at, newest first.
	 * @returns `next`: the ID to continue before, null at the end
	 * @throws Problem card-not-found
	 */
	search(workspaceId: string, cardId: string, { text, before = afterAll, limit }: Search) {
		this.#data.cards.get(workspaceId, cardId);
		const wanted = text.toLowerCase();
		const records: ApiRecord[] = [];
		const rows = this.#data.database.iterate<Row>(
			'SELECT id, data, created_at FROM records WHERE card_id = ? AND id < ? ORDER BY id DESC',
			...[cardId, before],
		);
		for (const row of rows) {
			const record = this.#show(cardId, parse(row));
			if (wanted !== '' && !hasText(record, wanted)) continue;
			if (records.length === limit) return { records, next: records.at(-1)?.id ?? null };
			records.push(record);
		}
		return { records, next: null };
	}

	/** @throws Problem card-not-found, record-not-found */
	get(workspaceId: string, cardId: string, recordId: string): ApiRecord {
		return this.#show(cardId, this.#find(workspaceId, cardId, recordId));
	}

	/**
	 * Makes a record without an event.
	 * @param data field ID → value
	 * @throws Problem unknown-field, invalid-value
	 */
	insert(cardId: string, data: Record<string, unknown>): ApiRecord {
		const { database, fields, clock } = this.#data;
		const stored = withoutNulls(toStored(cardId, fields.of(cardId), data));
		const now = clock.now();
		const id = this.#ids.next(now);
		const created_at = new Date(now).toISOString();
		database.run(
			'INSERT INTO records (card_id, id, data, created_at) VALUES (?, ?, ?, ?)',
			...[cardId, id, JSON.stringify(stored), created_at],
		);
		return this.#show(cardId, { id, data: stored, created_at });
	}

	/** @throws Problem card-not-found, unknown-field, invalid-value */
	create(workspaceId: string, cardId: string, data: Record<string, unknown>): ApiRecord {
		return this.#data.changes.run((publish) => {
			this.#data.cards.get(workspaceId, cardId);
			const record = this.insert(cardId, data);
			publish(recordEvent('record.created', workspaceId, cardId, record));
			return record;
		});
	}

	/**
	 * Sets the given fields; null clears one. Without a difference there is no event.
	 * @throws Problem record-not-found, unknown-field, invalid-value
	 */
	update(workspaceId: string, cardId: string, recordId: string, data: Record<string, unknown>) {
		return this.#data.changes.run((publish) => {
			const before = this.#find(workspaceId, cardId, recordId);
			const fields = this.#data.fields.of(cardId);
			const changed = differences(before.data, toStored(cardId, fields, data));
			if (Object.keys(changed).length === 0) return this.#show(cardId, before);
			const after = withoutNulls({ ...before.data, ...changed });
			this.#data.database.run(
				'UPDATE records SET data = ? WHERE card_id = ? AND id = ?',
				...[JSON.stringify(after), cardId, recordId],
			);
			const shown = { id: recordId, data: toShown(changed, fields) };
			publish(recordEvent('record.updated', workspaceId, cardId, shown));
			return this.#show(cardId, { ...before, data: after });
		});
	}

	/** @throws Problem record-not-found */
	remove(workspaceId: string, cardId: string, recordId: string): void {
		this.#data.changes.run((publish) => {
			const record = this.get(workspaceId, cardId, recordId);
			const sql = 'DELETE FROM records WHERE card_id = ? AND id = ?';
			this.#data.database.run(sql, cardId, recordId);
			publish(recordEvent('record.deleted', workspaceId, cardId, record));
		});
	}

	#show(cardId: string, { id, data, created_at }: StoredRecord): ApiRecord {
		return { id, data: toShown(data, this.#data.fields.of(cardId)), created_at };
	}

	#find(workspaceId: string, cardId: string, id: string): StoredRecord {
		this.#data.cards.get(workspaceId, cardId);
		const sql = 'SELECT id, data, created_at FROM records WHERE card_id = ? AND id = ?';
		const row = this.#data.database.get<Row>(sql, cardId, id);
		if (row) return parse(row);
		throw problem('record-not-found', `Record "${id}" does not exist in card "${cardId}".`);
	}
}

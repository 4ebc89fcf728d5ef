/** The records of cards: what clients can do with them; each change is one transaction with its events. */
import { isDeepStrictEqual } from 'node:util';
import { decodeTime, monotonicFactory } from 'ulid';
import { checkValue } from '../foundation/fieldTypes.ts';
import { jsonPointer, problem, type Reason } from '../foundation/problem.ts';
import type { Cards } from './cards.ts';
import type { Database } from './database.ts';
import type { Field, Fields } from './fields.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Field ID → value. */
export type Data = Record<string, unknown>;

/** A record as the API shows it. */
export interface ApiRecord {
	id: string;
	data: Data;
	created_at: string;
}

const select = 'SELECT id, data, created_at FROM records WHERE cardId = ?';

/** Records that a person sees at a time. */
const shownRecords = 50;

type Row = Record<'id' | 'data' | 'created_at', string>;

const parse = ({ data, ...rest }: Row): ApiRecord => ({ ...rest, data: JSON.parse(data) as Data });

/** Everything stored that records depend on. */
export interface RecordParts {
	database: Database;
	subscriptions: Subscriptions;
	cards: Cards;
	fields: Fields;
}

/** The records of all cards. */
export class Records {
	readonly #parts: RecordParts;
	// They identify and protect nothing, so their random part need not be cryptographic (and is faster so).
	readonly #nextUlid = monotonicFactory(Math.random);

	constructor(parts: RecordParts) {
		this.#parts = parts;
	}

	/**
	 * At most `limit` records after an ID ('' for the first), oldest first, and whether there are more.
	 * @throws Problem card-not-found
	 */
	page(workspaceId: string, cardId: string, { after, limit }: { after: string; limit: number }) {
		this.#parts.cards.get(workspaceId, cardId);
		const sql = `${select} AND id > ? ORDER BY id LIMIT ?`;
		const rows = this.#parts.database.all<Row>(sql, cardId, after, limit + 1);
		return { records: rows.slice(0, limit).map(parse), more: rows.length > limit };
	}

	count(cardId: string): number {
		const sql = 'SELECT COUNT(*) AS n FROM records WHERE cardId = ?';
		return this.#parts.database.get<{ n: number }>(sql, cardId)?.n ?? 0;
	}

	/**
	 * Records for a person to look at, newest first.
	 * @param text what one of the values has, in any case; '' for all
	 * @param before only records before this ID
	 * @returns `next`: the ID to continue before, null at the end
	 * @throws Problem card-not-found
	 */
	search(workspaceId: string, cardId: string, text: string, before = '~') {
		this.#parts.cards.get(workspaceId, cardId);
		const wanted = text.toLowerCase();
		const records: ApiRecord[] = [];
		const sql = `${select} AND id < ? ORDER BY id DESC`;
		for (const row of this.#parts.database.iterate<Row>(sql, cardId, before)) {
			const record = parse(row);
			const values = Object.values(record.data).map((value) =>
				typeof value === 'string' ? value : JSON.stringify(value),
			);
			if (wanted !== '' && !values.some((value) => value.toLowerCase().includes(wanted))) continue;
			if (records.length === shownRecords) return { records, next: records.at(-1)?.id ?? null };
			records.push(record);
		}
		return { records, next: null };
	}

	/** @throws Problem card-not-found, record-not-found */
	get(workspaceId: string, cardId: string, recordId: string): ApiRecord {
		this.#parts.cards.get(workspaceId, cardId);
		const row = this.#parts.database.get<Row>(`${select} AND id = ?`, cardId, recordId);
		if (row) return parse(row);
		throw problem('record-not-found', `Record "${recordId}" does not exist in card "${cardId}".`);
	}

	/** Makes a record without an event. @throws Problem card-not-found, unknown-field, invalid-value */
	insert(workspaceId: string, cardId: string, data: Data): ApiRecord {
		const { database, fields } = this.#parts;
		checkData(cardId, fields.list(workspaceId, cardId), data);
		const created_at = database.clock.iso();
		const record = { id: this.#newId(), data: withoutNulls(data), created_at };
		database.insert('records', { ...record, cardId, data: JSON.stringify(record.data) });
		return record;
	}

	/** @throws Problem card-not-found, unknown-field, invalid-value */
	create(workspaceId: string, cardId: string, data: Data): ApiRecord {
		return this.#parts.database.transaction(() => {
			const record = this.insert(workspaceId, cardId, data);
			this.#publish('record.created', workspaceId, cardId, record);
			return record;
		});
	}

	/**
	 * Sets the given fields; null clears one. Without a difference there is no event.
	 * @throws Problem record-not-found, unknown-field, invalid-value
	 */
	update(workspaceId: string, cardId: string, recordId: string, data: Data): ApiRecord {
		const { database, fields } = this.#parts;
		return database.transaction(() => {
			const before = this.get(workspaceId, cardId, recordId);
			checkData(cardId, fields.list(workspaceId, cardId), data);
			const changed = differences(before.data, data);
			if (Object.keys(changed).length === 0) return before;
			const after = { ...before, data: withoutNulls({ ...before.data, ...changed }) };
			const sql = 'UPDATE records SET data = ? WHERE cardId = ? AND id = ?';
			database.run(sql, JSON.stringify(after.data), cardId, recordId);
			this.#publish('record.updated', workspaceId, cardId, { id: recordId, data: changed });
			return after;
		});
	}

	/** @throws Problem record-not-found */
	remove(workspaceId: string, cardId: string, recordId: string): void {
		const { database } = this.#parts;
		database.transaction(() => {
			const record = this.get(workspaceId, cardId, recordId);
			database.run('DELETE FROM records WHERE cardId = ? AND id = ?', cardId, recordId);
			this.#publish('record.deleted', workspaceId, cardId, record);
		});
	}

	#publish(
		event: 'record.created' | 'record.updated' | 'record.deleted',
		workspaceId: string,
		cardId: string,
		{ id, data }: Pick<ApiRecord, 'id' | 'data'>,
	): void {
		this.#parts.subscriptions.publish(event, workspaceId, cardId, { record_id: id, data });
	}

	/** A ULID. They only ever rise, also after a restart and if a clock steps back, or a cursor would miss records. */
	#newId(): string {
		const { database } = this.#parts;
		const last = database.meta('lastRecord') ?? '';
		const time = Math.max(database.clock.now(), last === '' ? 0 : decodeTime(last));
		// The first of a process is not bound to those of the one before, so it takes the next millisecond.
		const made = this.#nextUlid(time);
		const id = made > last ? made : this.#nextUlid(time + 1);
		database.setMeta('lastRecord', id);
		return id;
	}
}

/**
 * Checks the `data` of a request against the fields of its card; null clears and always fits.
 * @throws Problem unknown-field, invalid-value; with a reason for each refused entry
 */
function checkData(cardId: string, fields: readonly Field[], data: Data): void {
	const byId = new Map(fields.map((field) => [field.id, field]));
	const unknown: Reason[] = [];
	const invalid: Reason[] = [];
	for (const [id, value] of Object.entries(data)) {
		const field = byId.get(id);
		const pointer = jsonPointer(['data', id]);
		if (!field) {
			unknown.push({ pointer, detail: `Field "${id}" does not exist in card "${cardId}".` });
		} else if (value !== null) {
			const checked = checkValue(field.type, field.options, value);
			if (checked.ok) continue;
			invalid.push({ pointer, detail: `Field "${id}" (${field.type}): ${checked.detail}.` });
		}
	}
	if (unknown[0]) throw problem('unknown-field', unknown[0].detail, { errors: unknown });
	if (invalid[0]) throw problem('invalid-value', invalid[0].detail, { errors: invalid });
}

const withoutNulls = (data: Data): Data =>
	Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));

/** The entries of a change whose value differs from the present one; in JSON, -0 is 0. */
const differences = (present: Data, change: Data): Data =>
	Object.fromEntries(
		Object.entries(change).filter(([id, value]) => {
			const before = present[id] ?? null;
			return !isDeepStrictEqual(before, value) && JSON.stringify(before) !== JSON.stringify(value);
		}),
	);

/** Finds records by the values of their matching fields. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { Zone } from '../../model/time';
import { keyOf } from '../../model/value/value';
import { type DataRecord, ageOf, byAge } from '../../model/response/record';
import { ownValue, type JsonObject } from '../../model/response/shapes';
import { UnexpectedResponse } from '../../transport/failure/failures';
import { eachInSlices, type YieldToLoop } from '../schedule/yieldToLoop';
import type { CardView, UnknownCreation } from './cardMemory';
import { getOrCreate } from './getOrCreate';

/** Returns a text that is the same for all spellings of a field's value. */
export function identityOf(index: FieldIndex, fieldId: string, value: unknown, zone: Zone): string {
	const field = index.byId(fieldId);
	return field ? keyOf(field, value, zone) : JSON.stringify(value ?? null);
}

/** Returns true if two values of a field are the same in any spelling. */
export const isSameValue = (
	index: FieldIndex,
	fieldId: string,
	one: unknown,
	other: unknown,
	zone: Zone,
): boolean => identityOf(index, fieldId, one, zone) === identityOf(index, fieldId, other, zone);

/** Combines the values of some fields into one text: the service may store another spelling than was sent. */
export const matchKey = (
	fieldIds: readonly string[],
	data: JsonObject,
	index: FieldIndex,
	zone: Zone,
): string => JSON.stringify(fieldIds.map((id) => identityOf(index, id, ownValue(data, id), zone)));

/** Ignores what services change in text: spaces, invisible characters, character forms, fractions of a second. */
const loosened = (value: unknown): unknown =>
	typeof value === 'string'
		? value
				.normalize('NFKC')
				.replaceAll(/\p{Cf}/gu, '')
				.replaceAll(/\s+/g, ' ')
				.trim()
				.replace(/^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)[.,]\d+/, '$1')
		: value;

/** The milliseconds in the text of a time, without zeros at the end. */
function millisecondsIn(value: unknown): string {
	const [, digits = ''] =
		(typeof value === 'string' && /^\s*[\d-]+[T ][\d:]+[.,](\d{1,3})/.exec(value)) || [];
	return digits.replace(/0+$/, '');
}

/** Returns true if times are the same once a service drops their fractions of a second, or of a millisecond. */
const mayBeOneTime = (one: unknown, other: unknown): boolean => {
	const [a, b] = [millisecondsIn(one), millisecondsIn(other)];
	return a === '' || b === '' || a === b;
};

/** As `matchKey`, but the same for values that a service may store in one spelling. */
export const looseKey: typeof matchKey = (fieldIds, data, index, zone) =>
	matchKey(
		fieldIds,
		Object.fromEntries(fieldIds.map((id) => [id, loosened(ownValue(data, id))])),
		index,
		zone,
	)
		.toUpperCase()
		.toLowerCase();

/** Returns the records of a key, which may have one or several. */
const recordsOf = (
	known: DataRecord | Map<string, DataRecord> | undefined,
): readonly DataRecord[] => (known instanceof Map ? [...known.values()] : known ? [known] : []);

const skipped = (): UnexpectedResponse =>
	new UnexpectedResponse(
		"The service's list of records isn't complete: its pages show a record twice, so they may skip others",
		'Nothing was created or deleted. The list was read three times. Run the node again while nobody else changes the card, or tell the operator of the service.',
	);

const notListed = (): UnexpectedResponse =>
	new UnexpectedResponse(
		"The record that an earlier item created can't be found",
		"The service didn't return the ID of the new record, and doesn't list a record with these values. Nothing was written for this item, to avoid a duplicate.",
	);

const mayExist = (): UnexpectedResponse =>
	new UnexpectedResponse(
		"This record may exist already, but the service doesn't list it",
		'The response to its creation was lost. Nothing was written for this item, to avoid a duplicate. Run it again in a minute.',
	);

/** The input of a match index. */
export interface MatchSource {
	/** Reads all records of the card from the service. Returns true if none can have been skipped. */
	readAll(take: (record: DataRecord) => void): Promise<boolean>;
	/** Combines the matching values of a record into one text. */
	keyOf: (data: JsonObject) => string;
	/** The same for spellings that a service may store as one. */
	looseKeyOf: (data: JsonObject) => string;
	fieldIds: readonly string[];
	/** The records as this process knows them, opened before they were listed. */
	view: CardView;
	yieldToLoop: YieldToLoop;
}

/**
 * The records of a card by the values of their matching fields. A record is found by the values that were sent, and
 * by the values that it has, because the service may store another spelling.
 */
export class MatchIndex {
	/** Combines the matching values of a record into one text. */
	readonly keyOf: MatchSource['keyOf'];
	private readonly source: MatchSource;
	private readonly news: ReturnType<CardView['follow']>;
	/** Records as listed or created. There may be 100,000 keys, so only keys with several records have a map. */
	private readonly byKey = new Map<string, DataRecord | Map<string, DataRecord>>();
	/** The last values sent for a record, as one text. */
	private readonly sentKeys = new Map<string, string>();
	/** Records by their loose key. Created when the first record isn't found. */
	private nearby: Promise<Map<string, DataRecord[]>> | undefined;
	/** Loose keys whose record was created, or may have been, with an unknown ID. */
	private readonly unknown = new Map<string, UnknownCreation>();
	private isComplete = true;
	private rereading: Promise<void> | undefined;

	/** Reads nothing yet. */
	constructor(source: MatchSource) {
		this.source = source;
		this.keyOf = source.keyOf;
		this.news = source.view.follow();
	}

	async read(): Promise<void> {
		const { readAll, view } = this.source;
		// The keys of this listing, by record: a record that is listed twice is found by its later values.
		const keys = new Map<string, string>();
		this.isComplete = await readAll((record) => {
			const current = view.current(record);
			if (current === 'deleted') return;
			const key = this.keyOf(current.data);
			const before = keys.get(record.id);
			if (before !== undefined && before !== key) this.unfile(before, record.id);
			keys.set(record.id, key);
			this.file(key, record);
		});
		for (const record of view.creations()) {
			if (keys.has(record.id)) continue;
			this.file(this.keyOf(record.data), record);
			view.notListed(record.id);
		}
	}

	/**
	 * Requires that the listing has shown all records. Otherwise a skipped record would be created again, or count as
	 * missing.
	 *
	 * @throws UnexpectedResponse
	 */
	requireComplete(): void {
		if (!this.isComplete) throw skipped();
	}

	/** Returns true if records with these matching values were listed or created. */
	holds(key: string): boolean {
		this.catchUp();
		return recordsOf(this.byKey.get(key)).length > 0;
	}

	/** Returns all records that were listed or created and not deleted. */
	all(): DataRecord[] {
		this.catchUp();
		const records = new Map<string, DataRecord>();
		for (const filed of this.byKey.values())
			for (const record of recordsOf(filed))
				if (!records.has(record.id)) records.set(record.id, record);
		return this.current([...records.values()]);
	}

	/** Returns the records as they are now, without deleted ones. */
	private current(records: readonly DataRecord[]): DataRecord[] {
		return records
			.map((record) => this.source.view.current(record))
			.filter((record) => record !== 'deleted');
	}

	/** Returns records whose matching values differ only in spelling: case, spaces, or fractions of a second. */
	async near(data: JsonObject): Promise<readonly DataRecord[]> {
		this.nearby ??= this.fileNear();
		const nearby = await this.nearby;
		const { looseKeyOf, fieldIds } = this.source;
		const key = looseKeyOf(data);
		return this.current(nearby.get(key) ?? []).filter(
			(record) =>
				looseKeyOf(record.data) === key &&
				fieldIds.every((id) => mayBeOneTime(ownValue(record.data, id), ownValue(data, id))),
		);
	}

	/**
	 * Returns the records that have these values, oldest first.
	 *
	 * @throws UnexpectedResponse if a record was created for them, or may have been, but isn't listed
	 */
	async find(data: JsonObject): Promise<readonly DataRecord[]> {
		const found = this.known(data);
		if (found.length > 0) return found;
		const key = this.source.looseKeyOf(data);
		const creation = this.unknown.get(key);
		if (creation === undefined) return [];
		// One listing shows the IDs of all.
		this.rereading ??= this.read().finally(() => (this.rereading = undefined));
		await this.rereading;
		const listed = this.known(data);
		if (listed.length === 0) throw creation === 'done' ? notListed() : mayExist();
		this.unknown.delete(key);
		return listed;
	}

	private known(data: JsonObject): readonly DataRecord[] {
		this.catchUp();
		const key = this.keyOf(data);
		return (
			this.current(recordsOf(this.byKey.get(key)))
				// Another execution may have changed its values.
				.filter(({ id, data: own }) => this.keyOf(own) === key || this.sentKeys.get(id) === key)
				// Oldest first, as the interface specifies no order. A new record may not have a time yet.
				.sort((a, b) => byAge(ageOf(a, Infinity), ageOf(b, Infinity)))
		);
	}

	/** Adds what this process has written since. */
	private catchUp(): void {
		for (const { record, sent = {}, creation } of this.news()) {
			if (creation) this.unknown.set(this.source.looseKeyOf(sent), creation);
			else if (record) this.put(record, sent);
		}
	}

	/**
	 * Adds a record under its matching values, and under the sent values, if any. A value that was not sent is
	 * taken from the record.
	 */
	private put(record: DataRecord, sent: JsonObject): void {
		if (this.nearby) void this.nearby.then((nearby) => this.putNear(nearby, record));
		if (!this.source.fieldIds.some((id) => Object.hasOwn(sent, id))) return;
		const key = this.keyOf({ ...record.data, ...sent });
		this.sentKeys.set(record.id, key);
		for (const one of [key, this.keyOf(record.data)]) {
			if (!recordsOf(this.byKey.get(one)).some(({ id }) => id === record.id))
				this.file(one, record);
		}
	}

	private putNear(nearby: Map<string, DataRecord[]>, record: DataRecord): void {
		getOrCreate(nearby, this.source.looseKeyOf(record.data), () => []).push(record);
	}

	private async fileNear(): Promise<Map<string, DataRecord[]>> {
		const nearby = new Map<string, DataRecord[]>();
		await eachInSlices(this.source.yieldToLoop, this.all(), (one) => this.putNear(nearby, one));
		return nearby;
	}

	private file(key: string, record: DataRecord): void {
		const known = this.byKey.get(key);
		if (known instanceof Map) known.set(record.id, record);
		else if (!known || known.id === record.id) this.byKey.set(key, record);
		else this.byKey.set(key, new Map([known, record].map((one) => [one.id, one])));
	}

	private unfile(key: string, id: string): void {
		const known = this.byKey.get(key);
		if (known instanceof Map) known.delete(id);
		else if (known?.id === id) this.byKey.delete(key);
	}
}

/** Finds records by the values of their matching fields. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { Zone } from '../../model/time';
import { keyOf } from '../../model/value/value';
import { type DataRecord, ageOf, byAge } from '../../model/answer/record';
import { ownValue, type JsonObject } from '../../model/answer/shapes';
import { UnexpectedAnswer } from '../../transport/failure/failures';
import { eachInSlices, type YieldToLoop } from '../schedule/yieldToLoop';
import type { CardView, UnknownCreation } from './cardMemory';

/** A value of a field as a text that is the same for all spellings of the value. */
export function identityOf(index: FieldIndex, fieldId: string, value: unknown, zone: Zone): string {
	const field = index.byId(fieldId);
	return field ? keyOf(field, value, zone) : JSON.stringify(value ?? null);
}

/** Whether two values of a field are the same, in whatever spelling. */
export const isSameValue = (
	index: FieldIndex,
	fieldId: string,
	one: unknown,
	other: unknown,
	zone: Zone,
): boolean => identityOf(index, fieldId, one, zone) === identityOf(index, fieldId, other, zone);

/** The values of some fields as one text: the service may store another spelling than was sent. */
export const matchKey = (
	fieldIds: readonly string[],
	data: JsonObject,
	index: FieldIndex,
	zone: Zone,
): string => JSON.stringify(fieldIds.map((id) => identityOf(index, id, ownValue(data, id), zone)));

/** What services change in the texts that they keep: spaces, invisible characters, the form of characters, fractions of a second. */
const loosened = (value: unknown): unknown =>
	typeof value === 'string'
		? value
				.normalize('NFKC')
				.replaceAll(/\p{Cf}/gu, '')
				.replaceAll(/\s+/g, ' ')
				.trim()
				.replace(/^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)[.,]\d+/, '$1')
		: value;

/** As `matchKey`, the same for values that a service may keep in one spelling. */
export const looseKey: typeof matchKey = (fieldIds, data, index, zone) =>
	matchKey(
		fieldIds,
		Object.fromEntries(fieldIds.map((id) => [id, loosened(ownValue(data, id))])),
		index,
		zone,
	)
		.toUpperCase()
		.toLowerCase();

/** The records of a key, whether it has one or several. */
const recordsOf = (
	known: DataRecord | Map<string, DataRecord> | undefined,
): readonly DataRecord[] => (known instanceof Map ? [...known.values()] : known ? [known] : []);

const skipped = (): UnexpectedAnswer =>
	new UnexpectedAnswer(
		"The service's list of records isn't complete: its pages show a record twice, so they may skip others",
		'Nothing was created or deleted. The list was read three times. Run the node again while nobody else changes the card, or tell the operator of the service.',
	);

const notListed = (): UnexpectedAnswer =>
	new UnexpectedAnswer(
		"The record that an earlier item created can't be found",
		"The service didn't return the ID of the new record, and doesn't list a record with these values. Nothing was written for this item, to avoid a duplicate.",
	);

const mayExist = (): UnexpectedAnswer =>
	new UnexpectedAnswer(
		"This record may exist already, but the service doesn't list it",
		'The response to its creation was lost. Nothing was written for this item, to avoid a duplicate. Run it again in a minute.',
	);

/** What a match index is made of. */
export interface MatchSource {
	/** Reads all records of the card from the service, and tells whether none can have been skipped. */
	readAll(take: (record: DataRecord) => void): Promise<boolean>;
	/** The matching values of a record as one text. */
	keyOf(data: JsonObject): string;
	/** The same for spellings of which a service may keep one. */
	looseKeyOf(data: JsonObject): string;
	fieldIds: readonly string[];
	/** The records as this process knows them, from before they were listed. */
	view: CardView;
	yieldToLoop: YieldToLoop;
}

/**
 * The records of a card by the values of their matching fields. A record is found by the values it was sent, and by the values it
 * holds: the service may keep them in another spelling.
 */
export class MatchIndex {
	private readonly source: MatchSource;
	private readonly news: ReturnType<CardView['follow']>;
	/** Records as they were listed or created: by ID only where several have a key, as there may be a hundred thousand keys. */
	private readonly byKey = new Map<string, DataRecord | Map<string, DataRecord>>();
	/** The last values sent for a record, as one text. */
	private readonly sentKeys = new Map<string, string>();
	/** Records by their loose key; made when a record is first looked for that does not exist. */
	private nearby: Promise<Map<string, DataRecord[]>> | undefined;
	/** Loose keys whose record was created, or may have been, without its ID being known. */
	private readonly unknown = new Map<string, UnknownCreation>();
	private isComplete = true;
	private rereading: Promise<void> | undefined;

	/** Nothing is read yet. */
	constructor(source: MatchSource) {
		this.source = source;
		this.news = source.view.follow();
	}

	/** The matching values of a record as one text. */
	keyOf(data: JsonObject): string {
		return this.source.keyOf(data);
	}

	/** Reads the listing. */
	async read(): Promise<void> {
		const { readAll, view } = this.source;
		/** The keys of this listing, by record: a record that is listed twice is filed under its later values. */
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
	 * Requires that the listing has shown all records: what it skipped would be created a second time, or count as missing.
	 *
	 * @throws UnexpectedAnswer
	 */
	requireComplete(): void {
		if (!this.isComplete) throw skipped();
	}

	/** Whether records were listed or created with these matching values. */
	holds(key: string): boolean {
		this.catchUp();
		return recordsOf(this.byKey.get(key)).length > 0;
	}

	/** All records that were listed or created, and not deleted. */
	all(): DataRecord[] {
		this.catchUp();
		const records = new Map<string, DataRecord>();
		for (const filed of this.byKey.values()) {
			for (const record of recordsOf(filed)) {
				if (records.has(record.id)) continue;
				const current = this.source.view.current(record);
				if (current !== 'deleted') records.set(record.id, current);
			}
		}
		return [...records.values()];
	}

	/** The records whose matching values differ from these at most in their spelling: in case, spaces, or fractions of a second. */
	async near(data: JsonObject): Promise<readonly DataRecord[]> {
		this.nearby ??= this.fileNear();
		const nearby = await this.nearby;
		const { looseKeyOf, view } = this.source;
		const key = looseKeyOf(data);
		return (nearby.get(key) ?? [])
			.map((record) => view.current(record))
			.filter((record) => record !== 'deleted')
			.filter((record) => looseKeyOf(record.data) === key);
	}

	/**
	 * The records that hold these values, oldest first.
	 *
	 * @throws UnexpectedAnswer when one was created for them, or may have been, that is not listed
	 */
	async find(data: JsonObject): Promise<readonly DataRecord[]> {
		const found = this.known(data);
		if (found.length > 0) return found;
		const key = this.source.looseKeyOf(data);
		const creation = this.unknown.get(key);
		if (creation === undefined) return [];
		// One listing tells the IDs of all.
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
			recordsOf(this.byKey.get(key))
				.map((record) => this.source.view.current(record))
				.filter((record) => record !== 'deleted')
				// Another execution may have given it other values.
				.filter(({ id, data: own }) => this.keyOf(own) === key || this.sentKeys.get(id) === key)
				// Oldest first, as the interface does not show in which order records are listed. One that was just
				// created may have no time yet.
				.sort((a, b) => byAge(ageOf(a, Infinity), ageOf(b, Infinity)))
		);
	}

	/** Takes in what this process has written since. */
	private catchUp(): void {
		for (const { record, sent = {}, creation } of this.news()) {
			if (creation) this.unknown.set(this.source.looseKeyOf(sent), creation);
			else if (record) this.put(record, sent);
		}
	}

	/**
	 * Files a record under the matching values that it holds, and under the ones it was sent, if there are any. A value
	 * that was not sent is taken from what it holds.
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
		const key = this.source.looseKeyOf(record.data);
		const known = nearby.get(key);
		if (known) known.push(record);
		else nearby.set(key, [record]);
	}

	private async fileNear(): Promise<Map<string, DataRecord[]>> {
		const nearby = new Map<string, DataRecord[]>();
		const put = (record: DataRecord): void => this.putNear(nearby, record);
		await eachInSlices(this.source.yieldToLoop, this.all(), put);
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

/** Finds records by the values of their matching fields. */
import type { FieldIndex } from '../../records/fieldIndex';
import type { Zone } from '../../values/time';
import { isBlank } from '../../values/emptyValue';
import { showValue } from '../../values/messageText';
import { identityOf as identity } from '../../values/identity';
import { type DataRecord, ageOf, byAge } from '../../model/response/record';
import { ownValue, type JsonObject } from '../../model/response/jsonObject';
import { mayHaveHappened, UnexpectedResponse } from '../../transport/failure/failureKinds';
import { lastChange } from '../../transport/sharedState';
import { systemClock } from '../../transport/http/clock';
import type { News } from '../run/cardLog';
import type { CardRun } from '../run/cardRun';
import type { CardWriter } from '../run/cardWriter';
import type { Run } from '../run/run';
import { eachInSlices } from '../schedule/yieldToLoop';
import { scanAll } from './scan';

/** Returns a text that is the same for all spellings of a field's value. */
export function identityOf(index: FieldIndex, fieldId: string, value: unknown, zone: Zone): string {
	const field = index.byId(fieldId);
	return field ? identity(field, value, zone) : JSON.stringify(value ?? null);
}

/** Returns true if two values of a field are the same in any spelling. */
export const isSameValue = (
	index: FieldIndex,
	fieldId: string,
	one: unknown,
	other: unknown,
	zone: Zone,
): boolean => identityOf(index, fieldId, one, zone) === identityOf(index, fieldId, other, zone);

/** Ignores what services change in text: spaces, invisible characters, character forms, zero fractions of a second. */
const loosened = (value: unknown): unknown =>
	typeof value === 'string'
		? value
				.normalize('NFKC')
				.replaceAll(/\p{Cf}/gu, '')
				.replaceAll(/\s+/g, ' ')
				.trim()
				.replace(/^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)[.,]0+(?!\d)/, '$1')
		: value;

/** The fields by which an item finds its record. */
export class MatchingFields {
	readonly ids: readonly string[];
	/** The current field listing. */
	readonly index: FieldIndex;
	private readonly zone: Zone;

	constructor(ids: readonly string[], index: FieldIndex, zone: Zone) {
		this.index = index;
		this.zone = zone;
		// In any order of selection, a key is the same.
		this.ids = [...ids].sort((a, b) => (this.nameOf(a) < this.nameOf(b) ? -1 : 1));
	}

	/** Combines the values of the fields into one text, the same for all spellings of a value. */
	keyOf(data: JsonObject, form = (value: unknown): unknown => value): string {
		const identity = (id: string) =>
			identityOf(this.index, id, form(ownValue(data, id)), this.zone);
		return JSON.stringify(this.ids.map(identity));
	}

	/** As `keyOf`, but the same for values that a service may store in one spelling. */
	looseKeyOf(data: JsonObject): string {
		return this.keyOf(data, loosened).toUpperCase().toLowerCase();
	}

	/** Returns true if the values differ only in spelling: case, spaces, or zero fractions of a second. */
	mayBeSame(one: JsonObject, other: JsonObject): boolean {
		return this.looseKeyOf(one) === this.looseKeyOf(other);
	}

	/** The part of a card that a key is, in any spelling. It uses names, because the IDs of fields can change. */
	partOf(data: JsonObject): string {
		return JSON.stringify([this.ids.map((id) => this.nameOf(id)), this.looseKeyOf(data)]);
	}

	/** The ID of the first field without a value. */
	emptyIn(data: JsonObject): string | undefined {
		return this.ids.find((id) => isBlank(ownValue(data, id)));
	}

	nameOf(id: string): string {
		return this.index.byId(id)?.name ?? id;
	}

	/** Shows the values in a message. */
	shown(data: JsonObject): string {
		return this.ids.map((id) => showValue(ownValue(data, id))).join(', ');
	}
}

const skipped = (): UnexpectedResponse =>
	new UnexpectedResponse(
		"The service's list of records isn't complete: its pages show a record twice, so they may skip others",
		'Nothing was created or deleted. The list was read three times. Run the node again while nobody else changes the card, or tell the operator of the service.',
	);

const mayExist = (): UnexpectedResponse =>
	new UnexpectedResponse(
		"This record may exist already, but the service doesn't list it",
		'Its creation got no clear response. Nothing was written for this item, to avoid a duplicate. Run it again in a minute.',
	);

/** The IDs of records by some of their values. */
type IdsByKey = Map<string, Set<string>>;

function file(ids: IdsByKey, key: string, id: string): void {
	const same = ids.get(key);
	if (same) same.add(id);
	else ids.set(key, new Set([id]));
}

/** The indexes of each run, by the fields to match on. */
const indexes = new WeakMap<CardRun, Map<string, Promise<MatchIndex>>>();

/** Reads the records of a card by the values of their matching fields, once for all items. */
export async function readMatches(
	run: Run,
	writer: CardWriter,
	fields: MatchingFields,
): Promise<MatchIndex> {
	const own = indexes.get(writer.cardRun) ?? new Map<string, Promise<MatchIndex>>();
	indexes.set(writer.cardRun, own);
	const key = JSON.stringify(fields.ids);
	const read = async (): Promise<MatchIndex> => {
		const matches = new MatchIndex(run, writer, fields);
		await matches.read();
		return matches;
	};
	const reading = own.get(key) ?? read();
	own.set(key, reading);
	return await reading;
}

/**
 * The records of a card by the values of their matching fields. A record is found by the values that were sent, and
 * by the values that it has, because the service may store another spelling.
 */
export class MatchIndex {
	private readonly run: Run;
	private readonly writer: CardWriter;
	private readonly fields: MatchingFields;
	private readonly news: News[];
	/** Records as last listed, or as created. */
	private records = new Map<string, DataRecord>();
	/** Records by the values that they have, had, or were sent. */
	private readonly byKey: IdsByKey = new Map();
	/** The last values sent for a record, as one text. */
	private readonly sentKeys = new Map<string, string>();
	/** Records by their loose key. Created when the first record isn't found. */
	private nearby: Promise<IdsByKey> | undefined;
	/** Loose keys of records that may exist, and how many readings had begun before. */
	private readonly unclear = new Map<string, number>();
	private isComplete = true;
	/** How many readings have begun, the last of them, and the one after it. */
	private begun = 0;
	private reading = Promise.resolve();
	private next: Promise<void> | undefined;

	/** Reads nothing yet. */
	constructor(run: Run, writer: CardWriter, fields: MatchingFields) {
		this.run = run;
		this.writer = writer;
		this.fields = fields;
		this.news = writer.log.follow(writer.cardRun, systemClock.now());
	}

	/** Reads the records, unless more than `earlier` readings have begun. Those who ask before one begins share it. */
	async read(earlier = this.begun): Promise<void> {
		const begin = async (): Promise<void> => {
			this.next = undefined;
			this.catchUp();
			this.begun += 1;
			await (this.reading = this.load());
		};
		if (this.begun > earlier) return await this.reading;
		this.next ??= this.reading.then(begin, begin);
		await this.next;
	}

	private async load(): Promise<void> {
		const { run, writer, fields } = this;
		const before = lastChange();
		const records = new Map<string, DataRecord>();
		const take = (record: DataRecord): void => {
			const current = writer.log.current(record);
			if (!current) return;
			records.set(record.id, record);
			file(this.byKey, fields.keyOf(current.data), record.id);
		};
		this.isComplete = await scanAll(run, writer, take);
		for (const record of writer.log.createdAfter(before)) if (!records.has(record.id)) take(record);
		this.records = records;
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

	/** Returns all records that were listed or created and not deleted. */
	all(): DataRecord[] {
		this.catchUp();
		return this.current(this.records.keys());
	}

	/** Returns records whose matching values differ only in spelling: case, spaces, or fractions of a second. */
	async near(data: JsonObject): Promise<readonly DataRecord[]> {
		const { fields } = this;
		this.nearby ??= this.fileNear();
		const ids = (await this.nearby).get(fields.looseKeyOf(data));
		return this.current(ids).filter((record) => fields.mayBeSame(record.data, data));
	}

	/**
	 * Returns the records that have these values, oldest first. The service is asked again if a record may have been
	 * created for them, with an unknown ID.
	 *
	 * @throws UnexpectedResponse if that record isn't listed
	 */
	async find(data: JsonObject): Promise<readonly DataRecord[]> {
		const found = this.known(data);
		const unclear = this.unclear.get(this.fields.looseKeyOf(data));
		if (found.length > 0 || unclear === undefined) return found;
		await this.read(unclear);
		const listed = this.known(data);
		if (listed.length === 0) throw mayExist();
		return listed;
	}

	/**
	 * Creates a record. If the service has failed and may have created it all the same, it is looked for once.
	 *
	 * @param create gets a function that returns true for the ID of a record that existed before
	 * @throws the error of the creation, if the record isn't listed
	 */
	async create(
		data: JsonObject,
		create: (existed: (id: string) => boolean) => Promise<DataRecord>,
	): Promise<DataRecord> {
		// A reading meanwhile may show the new record, and replaces these.
		const { records, writer } = this;
		const existed = (id: string): boolean => {
			const before = records.get(id);
			return before !== undefined && writer.log.current(before) !== undefined;
		};
		return await create(existed).catch(async (error: unknown) => {
			if (!mayHaveHappened(error)) throw error;
			await this.read().catch(() => Promise.reject(error as Error));
			const [found] = this.known(data);
			if (!found) throw error;
			return found;
		});
	}

	/** Returns the records that have these values, oldest first, as far as their IDs are known. */
	known(data: JsonObject): readonly DataRecord[] {
		this.catchUp();
		const { fields } = this;
		const key = fields.keyOf(data);
		return (
			this.current(this.byKey.get(key))
				// Its values may have changed since it was filed.
				.filter(({ id, data: own }) => fields.keyOf(own) === key || this.sentKeys.get(id) === key)
				// Oldest first, as the interface specifies no order. A new record may not have a time yet.
				.sort((a, b) => byAge(ageOf(a, Infinity), ageOf(b, Infinity)))
		);
	}

	/** Returns records as they are now, without deleted ones. */
	private current(ids: Iterable<string> = []): DataRecord[] {
		return [...ids].flatMap((id) => {
			const record = this.records.get(id);
			return (record && this.writer.log.current(record)) ?? [];
		});
	}

	/** Adds what this process has written since. */
	private catchUp(): void {
		for (const { record, sent } of this.news.splice(0)) {
			if (record) this.put(record, sent);
			else this.unclear.set(this.fields.looseKeyOf(sent), this.begun);
		}
	}

	/** Files a record by its values, and by the sent ones. A value that was not sent is taken from the record. */
	private put(record: DataRecord, sent: JsonObject): void {
		const { fields } = this;
		const { id, data } = record;
		if (this.nearby) void this.nearby.then((ids) => file(ids, fields.looseKeyOf(data), id));
		if (!fields.ids.some((one) => Object.hasOwn(sent, one))) return;
		if (!this.records.has(id)) this.records.set(id, record);
		const key = fields.keyOf({ ...data, ...sent });
		this.sentKeys.set(id, key);
		for (const one of [key, fields.keyOf(data)]) file(this.byKey, one, id);
	}

	private async fileNear(): Promise<IdsByKey> {
		const { fields, run } = this;
		const ids: IdsByKey = new Map();
		await eachInSlices(run.yieldToLoop, this.all(), ({ id, data }) =>
			file(ids, fields.looseKeyOf(data), id),
		);
		return ids;
	}
}

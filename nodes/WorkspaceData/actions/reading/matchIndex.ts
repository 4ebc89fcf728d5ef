/** Finds records by the values of their matching fields. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { Zone } from '../../model/time';
import { isBlank } from '../../model/value/emptyValue';
import { showValue } from '../../model/value/serialization';
import { keyOf } from '../../model/value/value';
import { type DataRecord, ageOf, byAge } from '../../model/response/record';
import { ownValue, type JsonObject } from '../../model/response/shapes';
import { UnexpectedResponse } from '../../transport/failure/failures';
import type { CardView, News } from '../run/cardMemory';
import { getOrCreate } from '../run/getOrCreate';
import type { Run } from '../run/run';
import type { Writer } from '../run/writes';
import { eachInSlices } from '../schedule/yieldToLoop';
import { scanAll } from './scan';

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
		'The response to its creation was lost, or had no ID. Nothing was written for this item, to avoid a duplicate. Run it again in a minute.',
	);

const inDoubt = (): UnexpectedResponse =>
	new UnexpectedResponse(
		'The service lists a record with older values than n8n has just written',
		"Somebody may have restored them, or the list isn't up to date. Nothing was written for this item, to avoid a duplicate. Run it again in a minute.",
	);

/** The IDs of records by some of their values. */
type IdsByKey = Map<string, Set<string>>;

const file = (ids: IdsByKey, key: string, id: string): void =>
	void getOrCreate(ids, key, () => new Set<string>()).add(id);

/** Reads the records of a card by the values of their matching fields, once for all items. */
export async function readMatches(
	run: Run,
	writer: Writer,
	fields: MatchingFields,
): Promise<MatchIndex> {
	const key = JSON.stringify(['matches', writer.card.id, writer.isDry, fields.ids]);
	return await run.once(key, async () => {
		const matches = new MatchIndex(run, writer, fields);
		await matches.read();
		return matches;
	});
}

/**
 * The records of a card by the values of their matching fields. A record is found by the values that were sent, and
 * by the values that it has, because the service may store another spelling.
 */
export class MatchIndex {
	private readonly run: Run;
	private readonly writer: Writer;
	private readonly fields: MatchingFields;
	/** The records as this process knows them, opened before they are listed. */
	private readonly view: CardView;
	private readonly news: News[];
	/** Records as last listed, or as created. */
	private readonly records = new Map<string, DataRecord>();
	/** Records by the values that they have, had, or were sent. */
	private readonly byKey: IdsByKey = new Map();
	/** The last values sent for a record, as one text. */
	private readonly sentKeys = new Map<string, string>();
	/** Records by their loose key. Created when the first record isn't found. */
	private nearby: Promise<IdsByKey> | undefined;
	/** Loose keys that a record may have, and the error of an item with such a key. */
	private readonly unclear = new Map<string, typeof mayExist | typeof inDoubt>();
	private isComplete = true;
	private rereading: Promise<void> | undefined;

	/** Reads nothing yet. */
	constructor(run: Run, writer: Writer, fields: MatchingFields) {
		this.run = run;
		this.writer = writer;
		this.fields = fields;
		this.view = run.writes.view(writer);
		this.news = this.view.follow();
	}

	async read(): Promise<void> {
		const { run, writer, view } = this;
		for (const [key, error] of this.unclear) if (error === inDoubt) this.unclear.delete(key);
		this.isComplete = await scanAll(run, writer, (record) => this.take(record));
		for (const record of view.memory.creations) {
			if (this.records.has(record.id)) continue;
			this.take(record);
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
	 * Returns the records that have these values, oldest first. The service is asked again if a record was created for
	 * them, or may have been, with an unknown ID, and if the listing shows older values than this process wrote.
	 *
	 * @throws UnexpectedResponse if that record isn't listed, or still in doubt
	 */
	async find(data: JsonObject): Promise<readonly DataRecord[]> {
		const found = this.known(data);
		if (found.length > 0) return found;
		const key = this.fields.looseKeyOf(data);
		if (!this.unclear.has(key)) return [];
		// One listing shows the IDs of all.
		this.rereading ??= this.read().finally(() => (this.rereading = undefined));
		await this.rereading;
		const listed = this.known(data);
		const error = this.unclear.get(key);
		if (listed.length === 0 && error) throw error();
		return listed;
	}

	/** Returns the records that have these values, oldest first, as far as their IDs are known. */
	known(data: JsonObject): readonly DataRecord[] {
		this.catchUp();
		const { fields, view } = this;
		const key = fields.keyOf(data);
		const found = this.current(this.byKey.get(key))
			// Its values may have changed since it was filed.
			.filter(({ id, data: own }) => fields.keyOf(own) === key || this.sentKeys.get(id) === key)
			// Oldest first, as the interface specifies no order. A new record may not have a time yet.
			.sort((a, b) => byAge(ageOf(a, Infinity), ageOf(b, Infinity)));
		// Somebody may have deleted what isn't listed, and created it again.
		const listed = found.filter(({ id }) => !view.isUnlisted(id));
		return listed.length > 0 ? listed : found;
	}

	/** Returns records as they are now, without deleted ones. */
	private current(ids: Iterable<string> = []): DataRecord[] {
		return [...ids].flatMap((id) => {
			const record = this.records.get(id);
			const now = record && this.view.current(record);
			return now && now !== 'deleted' ? [now] : [];
		});
	}

	/** Files a listed record, unless its values are in doubt. */
	private take(record: DataRecord): void {
		const { fields, view } = this;
		const current = view.listed(record);
		const data = current === 'deleted' ? {} : current.data;
		if (view.isDoubtful(record.id) && fields.keyOf(data) !== fields.keyOf(record.data)) {
			for (const one of [data, record.data])
				getOrCreate(this.unclear, fields.looseKeyOf(one), () => inDoubt);
			this.records.delete(record.id);
		} else if (current !== 'deleted') {
			this.records.set(record.id, record);
			file(this.byKey, fields.keyOf(data), record.id);
		}
	}

	/** Adds what this process has written since. */
	private catchUp(): void {
		for (const { record, sent } of this.news.splice(0)) {
			if (record) this.put(record, sent);
			else this.unclear.set(this.fields.looseKeyOf(sent), mayExist);
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

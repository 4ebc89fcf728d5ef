/** Finds records by the values of their matching fields. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { Zone } from '../../model/time';
import { keyOf } from '../../model/value/value';
import { UNKNOWN_ID, type DataRecord, ageOf, byAge } from '../../model/answer/record';
import { ownValue, type JsonObject } from '../../model/answer/shapes';
import { UnexpectedAnswer } from '../../transport/failure/failures';
import { eachInSlices, type YieldToLoop } from '../schedule/yieldToLoop';
import type { RecordStates, WriteEvent } from './recordStates';

/** A value of a field as a text that is the same for all spellings of the value. */
export function identityOf(index: FieldIndex, fieldId: string, value: unknown, zone: Zone): string {
	const field = index.byId(fieldId);
	return field ? keyOf(field, value, zone) : JSON.stringify(value ?? null);
}

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

/** The records of a card by the values of their matching fields. */
export interface MatchIndex {
	/** The records whose matching values differ from these at most in their spelling: in case, spaces, or fractions of a second. */
	near(data: JsonObject): Promise<readonly DataRecord[]>;
	/** Whether records were listed or created with these matching values. */
	holds(key: string): boolean;
	/**
	 * The records that hold these values, oldest first.
	 *
	 * @throws UnexpectedAnswer when one was created for them that the listing does not show
	 */
	find(data: JsonObject): Promise<readonly DataRecord[]>;
	/** All records that were listed or created, and not deleted. */
	all(): DataRecord[];
	/** The matching values of a record as one text. */
	keyOf(data: JsonObject): string;
	/** Takes in a write of this process. */
	apply(event: WriteEvent): void;
	/** Reads the listing. */
	read(): Promise<void>;
	/**
	 * Requires that the listing has shown all records: what it skipped would be created a second time, or count as missing.
	 *
	 * @throws UnexpectedAnswer
	 */
	requireComplete(): void;
}

/** The records of a key, whether it has one or several. */
const recordsOf = (
	known: DataRecord | Map<string, DataRecord> | undefined,
): readonly DataRecord[] => (known instanceof Map ? [...known.values()] : known ? [known] : []);

/** The matching values of a record as one text. */
interface Keys {
	keyOf(data: JsonObject): string;
	/** The same for spellings of which a service may keep one. */
	nearKeyOf(data: JsonObject): string;
	yieldToLoop: YieldToLoop;
}

/** Why a record is looked for that is not found: it was created, or its creation has no clear answer. */
type Fate = 'created' | 'unclear';

const skipped = (): UnexpectedAnswer =>
	new UnexpectedAnswer(
		"The service's list of records is not complete: its pages show a record twice, so they may skip others",
		'Nothing was created or deleted. The list was read three times. Run the node again while nobody else changes the card, or tell the operator of the service.',
	);

const notFoundAgain = (fate: Fate): UnexpectedAnswer =>
	fate === 'created'
		? new UnexpectedAnswer(
				'The record that an earlier item created cannot be found',
				'The service did not return the ID of the new record, and does not list a record with these values. Nothing was written for this item, to avoid a duplicate.',
			)
		: new UnexpectedAnswer(
				'An earlier item may have created this record, but the service does not list it',
				'The answer to the earlier item was lost. Nothing was written for this item, to avoid a duplicate. Look for the record before you run the item again.',
			);

/**
 * Creates an index of the records of a card; nothing is read yet. A record is found by the values it was sent, and by the
 * values it holds: the service may keep them in another spelling.
 *
 * @param readAll reads all records of the card from the service, and tells whether none can have been skipped
 * @param keys the matching values of a record as one text: exactly, and the same for several spellings
 * @param states the records as writes have left them
 */
export function createMatchIndex(
	readAll: (take: (record: DataRecord) => void) => Promise<boolean>,
	{ keyOf, nearKeyOf, yieldToLoop }: Keys,
	fieldIds: readonly string[],
	states: RecordStates,
): MatchIndex {
	/** Records by their loose key; made when a record is first looked for that does not exist. */
	const nearby = new Map<string, DataRecord[]>();
	let filingNear: Promise<void> | undefined;
	/** Records as they were listed or created: by ID only where several have a key, as there may be a hundred thousand keys. */
	const byKey = new Map<string, DataRecord | Map<string, DataRecord>>();
	/** The last values sent for a record, as one text. */
	const sentKeys = new Map<string, string>();
	const creations = new Set<Promise<unknown>>();
	let isComplete = true;
	/** Keys whose record was created, or may have been, without its ID being known: the listing has it. */
	const unlisted = new Map<string, Fate>();
	/** Keys of records that the listing does not show. */
	const lost = new Map<string, Fate>();
	let rereading: Promise<void> | undefined;

	const filed = (key: string): readonly DataRecord[] => recordsOf(byKey.get(key));
	const file = (key: string, record: DataRecord): void => {
		const known = byKey.get(key);
		if (known instanceof Map) known.set(record.id, record);
		else if (!known || known.id === record.id) byKey.set(key, record);
		else byKey.set(key, new Map([known, record].map((one) => [one.id, one])));
	};
	const unfile = (key: string, id: string): void => {
		const known = byKey.get(key);
		if (known instanceof Map) known.delete(id);
		else if (known?.id === id) byKey.delete(key);
	};
	const isFiled = (key: string, id: string): boolean => {
		const known = byKey.get(key);
		return known instanceof Map ? known.has(id) : known?.id === id;
	};
	/**
	 * Files a record under the matching values that it holds, and under the ones it was sent, if there are any. A value
	 * that was not sent is taken from what it holds.
	 */
	const putNear = (record: DataRecord): void => {
		const key = nearKeyOf(record.data);
		const known = nearby.get(key);
		if (known) known.push(record);
		else nearby.set(key, [record]);
	};
	const put = (record: DataRecord, sent: JsonObject): void => {
		if (filingNear) putNear(record);
		if (!fieldIds.some((id) => Object.hasOwn(sent, id))) return;
		const key = keyOf({ ...record.data, ...sent });
		sentKeys.set(record.id, key);
		lost.delete(key);
		for (const one of [key, keyOf(record.data)]) {
			if (!isFiled(one, record.id)) file(one, record);
		}
	};
	const read = async (): Promise<void> => {
		/** The keys of this listing, by record: a record that is listed twice is filed under its later values. */
		const keys = new Map<string, string>();
		isComplete = await readAll((record) => {
			const current = states.current(record);
			if (current === 'deleted') return;
			const key = keyOf(current.data);
			const before = keys.get(record.id);
			if (before !== undefined && before !== key) unfile(before, record.id);
			keys.set(record.id, key);
			file(key, record);
		});
		for (const record of states.creations()) {
			if (keys.has(record.id)) continue;
			file(keyOf(record.data), record);
			states.notListed(record.id);
		}
	};
	/** One listing tells the IDs of all: it waits for the creates that are under way. */
	const reread = async (): Promise<void> => {
		await Promise.allSettled([...creations]);
		const keys = [...unlisted];
		await read();
		for (const [key, fate] of keys) {
			unlisted.delete(key);
			if (filed(key).length === 0) lost.set(key, fate);
		}
	};

	function all(): DataRecord[] {
		const ids = new Set<string>();
		const records: DataRecord[] = [];
		for (const record of [...byKey.values()].flatMap(recordsOf)) {
			const current = states.current(record);
			if (current === 'deleted' || ids.has(record.id)) continue;
			ids.add(record.id);
			records.push(current);
		}
		return records;
	}

	return {
		read,
		requireComplete() {
			if (!isComplete) throw skipped();
		},
		keyOf,
		all,
		async near(data) {
			await (filingNear ??= eachInSlices(yieldToLoop, all(), putNear));
			const key = nearKeyOf(data);
			return (nearby.get(key) ?? [])
				.map((record) => states.current(record))
				.filter((record) => record !== 'deleted')
				.filter((record) => nearKeyOf(record.data) === key);
		},
		holds: (key) => filed(key).length > 0,
		apply(event) {
			switch (event.type) {
				case 'creating': {
					const creation = event.settled.catch(() => undefined);
					creations.add(creation);
					void creation.then(() => creations.delete(creation));
					break;
				}
				case 'created':
					if (event.record.id === UNKNOWN_ID) unlisted.set(keyOf(event.sent), 'created');
					else put(event.record, event.sent);
					break;
				case 'maybeCreated':
					unlisted.set(keyOf(event.sent), 'unclear');
					break;
				case 'changed':
					put(event.record, event.sent);
					break;
				default:
			}
		},
		async find(data) {
			const key = keyOf(data);
			while (unlisted.has(key)) {
				rereading ??= reread().finally(() => (rereading = undefined));
				await rereading;
			}
			const fate = lost.get(key);
			if (fate) throw notFoundAgain(fate);
			const found = filed(key)
				.map((record) => states.current(record))
				.filter((record) => record !== 'deleted')
				// Another execution may have given it other values.
				.filter(({ id, data: own }) => keyOf(own) === key || sentKeys.get(id) === key);
			// Oldest first, as the interface does not show in which order records are listed. One that was just
			// created may have no time yet.
			return found.sort((a, b) => byAge(ageOf(a, Infinity), ageOf(b, Infinity)));
		},
	};
}

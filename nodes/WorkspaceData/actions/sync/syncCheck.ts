/** Compares a card's items with all of its records before anything is sent. */
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/jsonObject';
import { InputError } from '../../values/inputError';
import type { MatchingFields } from '../reading/matchIndex';
import { eachInSlices } from '../schedule/yieldToLoop';
import { count, clip, listed } from '../../values/messageText';

/** An item to be written. */
export interface SyncItem {
	itemIndex: number;
	/** Its matching values as one text. */
	key: string;
	data: JsonObject;
}

/** The items and the records of a card. */
export interface SyncCheck {
	/** The name of the card in messages. */
	card: string;
	items: readonly SyncItem[];
	/** All records of the card. */
	records: readonly DataRecord[];
	fields: Pick<MatchingFields, 'emptyIn' | 'keyOf' | 'shown'>;
	/** Returns true if a record meets the conditions and takes part. Undefined without conditions. */
	meets: ((record: DataRecord) => boolean) | undefined;
	/** The maximum number of deletions; undefined for no limit of any kind. */
	maxDeletions: number | undefined;
	/** True if the records without an item are deleted. */
	deletes: boolean;
	/** The creation time of new records, as an ISO timestamp. */
	now: string;
	/** Yields to others, because there may be 100,000 items and records. */
	pause(): Promise<void>;
}

/** The maximum number of items or records in a message. */
const MAX_NAMED = 10;

/** The keys of the items, each with the index of its item. */
type WantedKeys = ReadonlyMap<string, number>;

/** The records of a card by their matching values. */
type RecordsByKey = ReadonlyMap<string, readonly DataRecord[]>;

/**
 * Checks all items of a card against all of its records.
 *
 * @returns the records to delete
 * @throws InputError if anything is uncertain; names the items or records
 */
export async function checkAgainstRecords(check: SyncCheck): Promise<DataRecord[]> {
	const wanted = await distinctItems(check);
	const { byKey, taking, withoutItem, withoutKey } = await listRecords(check, wanted);
	const { card, maxDeletions, deletes } = check;
	if (withoutKey.length > 0) {
		throw new InputError(
			`${count(withoutKey.length, 'record')} of card '${card}' without a value in a field to match on`,
			`Nothing was sent. Give them a value, or exclude them by 'Filters': ${idsOf(withoutKey)}.`,
		);
	}
	requireDistinctRecords(check, wanted, byKey);
	await requireConditions(check, byKey);
	if (!deletes) return [];
	const deleted = withoutItem.length;
	const isMany = maxDeletions !== undefined && deleted > maxDeletions;
	if (maxDeletions === undefined || (!isMany && deleted * 2 <= taking)) return withoutItem;
	const reason = isMany
		? `'Max Records to Delete' is ${maxDeletions}`
		: 'that is more than half of those that take part';
	throw new InputError(
		`${deleted} of ${taking} records of card '${card}' have no item and would be deleted, but ${reason}`,
		"Nothing was sent. Check that the items are complete, or set 'Max Records to Delete' (-1 for no limit of either kind).",
	);
}

async function listRecords({ records, fields, meets, pause }: SyncCheck, wanted: WantedKeys) {
	const byKey = new Map<string, DataRecord[]>();
	/** Of the records that take part: those without a key or an item, and how many there are. */
	const withoutKey: DataRecord[] = [];
	const withoutItem: DataRecord[] = [];
	let taking = 0;
	await eachInSlices(pause, records, (record) => {
		const takesPart = meets?.(record) ?? true;
		if (takesPart) taking += 1;
		if (fields.emptyIn(record.data) !== undefined) {
			if (takesPart) withoutKey.push(record);
			return;
		}
		const key = fields.keyOf(record.data);
		if (takesPart && !wanted.has(key)) withoutItem.push(record);
		const same = byKey.get(key);
		if (same) same.push(record);
		else byKey.set(key, [record]);
	});
	return { byKey, taking, withoutItem, withoutKey };
}

const named = (names: readonly string[]): string => listed(names, MAX_NAMED);

const idsOf = (records: readonly DataRecord[]): string => named(records.map(({ id }) => id));

/** Returns the keys of the items. @throws InputError if two have the same */
async function distinctItems({ items, fields, pause }: SyncCheck): Promise<WantedKeys> {
	const byKey = new Map<string, number>();
	const twice: string[] = [];
	await eachInSlices(pause, items, (item) => {
		const other = byKey.get(item.key);
		if (other === undefined) byKey.set(item.key, item.itemIndex);
		else twice.push(`${clip(fields.shown(item.data))} (items ${other} and ${item.itemIndex})`);
	});
	if (twice.length === 0) return byKey;
	throw new InputError(
		'Several items have the same values in the fields to match on',
		`Nothing was sent. Each record may have one item only: ${named(twice)}.`,
	);
}

/** @throws InputError if several records have the key of an item, or take part and have the same key */
function requireDistinctRecords(
	{ card, meets = () => true, fields }: SyncCheck,
	wanted: WantedKeys,
	byKey: RecordsByKey,
): void {
	const twice = [...byKey].filter(
		([key, same]) => same.length > 1 && (wanted.has(key) || same.filter(meets).length > 1),
	);
	if (twice.length === 0) return;
	const groups = twice.map(
		([, same]) => `${clip(fields.shown(same[0]?.data ?? {}))} (${idsOf(same)})`,
	);
	throw new InputError(
		`Several records of card '${card}' have the same values in the fields to match on`,
		`Nothing was sent. Match on more fields, or delete all but one of: ${named(groups)}.`,
	);
}

/** @throws InputError if an item changes a record outside the conditions, or moves its record outside them */
async function requireConditions(
	{ card, items, meets, fields, now, pause }: SyncCheck,
	byKey: RecordsByKey,
): Promise<void> {
	if (!meets) return;
	const outside: SyncItem[] = [];
	await eachInSlices(pause, items, (item) => {
		const [known] = byKey.get(item.key) ?? [];
		const base = known ?? { id: '', data: {}, createdAt: now, raw: {} };
		const isInside =
			(!known || meets(known)) && meets({ ...base, data: { ...base.data, ...item.data } });
		if (!isInside) outside.push(item);
	});
	if (outside.length === 0) return;
	const names = outside.map((item) => `item ${item.itemIndex} (${clip(fields.shown(item.data))})`);
	throw new InputError(
		`Values or records of ${count(outside.length, 'item')} don't meet the conditions of card '${card}'`,
		`Nothing was sent. Change 'Filters' or the items: ${named(names)}.`,
	);
}

/** Compares a card's items with all of its records before anything is sent. */
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import { InputError } from '../../model/inputError';
import { eachInSlices } from '../schedule/yieldToLoop';
import { count, clip, listed } from '../../model/names';

/** An item to be written. */
export interface SyncItem {
	itemIndex: number;
	/** Its matching values as one text. */
	key: string;
	data: JsonObject;
}

/** The records of a card, and a test that selects the participating ones. */
export interface SyncRecords {
	/** The name of the card in messages. */
	card: string;
	all: readonly DataRecord[];
	/** The matching values of a record as one text; undefined if one of them is empty. */
	keyOf(record: DataRecord): string | undefined;
	/** Returns true if a record meets the conditions and takes part. Undefined without conditions. */
	meets: ((record: DataRecord) => boolean) | undefined;
}

/** What happens to records without an item. */
export interface Deletions {
	isWanted: boolean;
	/** The maximum of deletions; if undefined, 100 and half of the records that take part. */
	most: number | undefined;
}

/** Shows the matching values of an item or a record in a message. */
type Shown = (one: Pick<SyncItem, 'data'>) => string;

/** The maximum of deletions if the user sets none. */
const USUAL_DELETIONS = 100;
/** The maximum number of items or records in a message. */
const MAX_NAMED = 10;

/**
 * Checks all items of a card against all of its records.
 *
 * @param shown shows the matching values of an item to the user
 * @param now the creation time of new records, as an ISO timestamp
 * @param pause yields to others, because there may be 100,000 items and records
 * @returns the records to delete
 * @throws InputError if anything is uncertain; names the items or records
 */
export async function checkAgainstRecords(
	items: readonly SyncItem[],
	shown: Shown,
	records: SyncRecords,
	deletions: Deletions,
	now: string,
	pause: () => Promise<void>,
): Promise<DataRecord[]> {
	const wanted = await distinctItems(items, shown, pause);
	const { card, all, keyOf, meets } = records;
	// The first record of each key, and all records of a repeated key.
	const byKey = new Map<string, DataRecord>();
	const several = new Map<string, DataRecord[]>();
	const withoutKey: DataRecord[] = [];
	const missing: DataRecord[] = [];
	let taking = 0;
	await eachInSlices(pause, all, (record) => {
		const takesPart = meets?.(record) ?? true;
		const key = keyOf(record);
		if (takesPart) taking += 1;
		if (key === undefined) {
			if (takesPart) withoutKey.push(record);
			return;
		}
		if (takesPart && !wanted.has(key)) missing.push(record);
		const first = byKey.get(key);
		const same = several.get(key);
		if (same) same.push(record);
		else if (first) several.set(key, [first, record]);
		else byKey.set(key, record);
	});
	if (withoutKey.length > 0) {
		throw new InputError(
			`${count(withoutKey.length, 'record')} of card '${card}' without a value in a field to match on`,
			`Nothing was sent. Give them a value, or exclude them by 'Filters': ${idsOf(withoutKey)}.`,
		);
	}
	requireDistinctRecords(wanted, several, records, shown);
	await requireConditions(items, shown, byKey, records, now, pause);
	if (!deletions.isWanted) return [];
	const most = deletions.most ?? Math.min(USUAL_DELETIONS, Math.floor(taking / 2));
	if (missing.length <= most) return missing;
	throw new InputError(
		`${missing.length} of ${taking} records of card '${card}' have no item and would be deleted, but at most ${most} may be`,
		"Nothing was sent. Check that the items are complete, or set 'Max Records to Delete'.",
	);
}

const named = (names: readonly string[]): string => listed(names, MAX_NAMED);

const idsOf = (records: readonly DataRecord[]): string => named(records.map(({ id }) => id));

/** Returns the items by their keys. @throws InputError if two have the same key */
async function distinctItems(
	items: readonly SyncItem[],
	shown: Shown,
	pause: () => Promise<void>,
): Promise<ReadonlyMap<string, SyncItem>> {
	const byKey = new Map<string, SyncItem>();
	const twice: string[] = [];
	await eachInSlices(pause, items, (item) => {
		const other = byKey.get(item.key);
		if (other) {
			twice.push(`${clip(shown(item))} (items ${other.itemIndex} and ${item.itemIndex})`);
		} else byKey.set(item.key, item);
	});
	if (twice.length === 0) return byKey;
	throw new InputError(
		'Several items have the same values in the fields to match on',
		`Nothing was sent. Each record may have one item only: ${named(twice)}.`,
	);
}

/** @param several the records of keys that more than one record has */
function requireDistinctRecords(
	wanted: ReadonlyMap<string, SyncItem>,
	several: ReadonlyMap<string, readonly DataRecord[]>,
	{ card, meets }: SyncRecords,
	shown: Shown,
): void {
	const takePart = (records: readonly DataRecord[]) => (meets ? records.filter(meets) : records);
	const twice = [...several].filter(([key, same]) => wanted.has(key) || takePart(same).length > 1);
	if (twice.length === 0) return;
	throw new InputError(
		`Several records of card '${card}' have the same values in the fields to match on`,
		`Nothing was sent. Match on more fields, or delete all but one of: ${named(twice.map(([, same]) => `${same[0] ? clip(shown(same[0])) : ''} (${idsOf(same)})`))}.`,
	);
}

/** Requires that no item changes a record outside the conditions, or moves its record outside them. */
async function requireConditions(
	items: readonly SyncItem[],
	shown: Shown,
	byKey: ReadonlyMap<string, DataRecord>,
	{ card, meets }: SyncRecords,
	now: string,
	pause: () => Promise<void>,
): Promise<void> {
	if (!meets) return;
	const outside: SyncItem[] = [];
	await eachInSlices(pause, items, (item) => {
		const known = byKey.get(item.key);
		const base = known ?? { id: '', data: {}, createdAt: now, raw: {} };
		const isInside =
			(!known || meets(known)) && meets({ ...base, data: { ...base.data, ...item.data } });
		if (!isInside) outside.push(item);
	});
	if (outside.length === 0) return;
	const names = outside.map((item) => `item ${item.itemIndex} (${clip(shown(item))})`);
	throw new InputError(
		`${outside.length} items have values or records of card '${card}' that don't meet the conditions`,
		`Nothing was sent. Change 'Filters' or the items: ${named(names)}.`,
	);
}

/** What Sync would do to a card: checked as a whole, before anything is sent. */
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import { InputError } from '../../model/inputError';
import { clip } from '../../model/nearestNames';

/** An item, as it would be written. */
export interface SyncItem {
	itemIndex: number;
	/** Its matching values as one text. */
	key: string;
	/** Its matching values as a person reads them. */
	shownKey: string;
	data: JsonObject;
}

/** The records of a card, and which of them take part. */
export interface SyncRecords {
	/** How messages call the card. */
	card: string;
	all: readonly DataRecord[];
	/** The matching values of a record as one text; undefined where one of them is empty. */
	keyOf(record: DataRecord): string | undefined;
	/** Whether a record meets the conditions; always without conditions. */
	takesPart(record: DataRecord): boolean;
}

/** What happens to records without an item. */
export interface Deletions {
	isWanted: boolean;
	/** The most deletions; undefined for at most 100 and at most half of the records that take part. */
	most: number | undefined;
}

/** The most deletions where the user gives no number. */
const USUAL_DELETIONS = 100;
/** Most items or records that a message names. */
const MAX_NAMED = 10;

/**
 * Checks all items of a card against all of its records.
 *
 * @param now when new records would be created, as an ISO timestamp
 * @returns the records to delete
 * @throws InputError when anything is in doubt; names the items or records
 */
export function planDeletions(
	items: readonly SyncItem[],
	records: SyncRecords,
	deletions: Deletions,
	now: string,
): DataRecord[] {
	requireDistinctItems(items);
	const byKey = new Map<string, DataRecord[]>();
	const taking: DataRecord[] = [];
	const withoutKey: DataRecord[] = [];
	for (const record of records.all) {
		const key = records.keyOf(record);
		const takesPart = records.takesPart(record);
		if (takesPart) taking.push(record);
		if (key === undefined) {
			if (takesPart) withoutKey.push(record);
			continue;
		}
		const same = byKey.get(key);
		if (same) same.push(record);
		else byKey.set(key, [record]);
	}
	if (withoutKey.length > 0) {
		throw new InputError(
			`${withoutKey.length} records of card '${records.card}' have no value in a field to match on`,
			`Nothing was sent. Give them a value, or exclude them by 'Filters': ${idsOf(withoutKey)}.`,
		);
	}
	requireDistinctRecords(items, byKey, records);
	requireConditions(items, byKey, records, now);
	if (!deletions.isWanted) return [];
	const wanted = new Set(items.map(({ key }) => key));
	const missing = taking.filter((record) => !wanted.has(records.keyOf(record) ?? ''));
	const most = deletions.most ?? Math.min(USUAL_DELETIONS, Math.floor(taking.length / 2));
	if (missing.length <= most) return missing;
	throw new InputError(
		`${missing.length} of ${taking.length} records of card '${records.card}' have no item and would be deleted, but at most ${most} may be`,
		"Nothing was sent. Check that the items are complete, or set 'Most Records to Delete'.",
	);
}

const named = (names: readonly string[]): string =>
	`${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`;

const idsOf = (records: readonly DataRecord[]): string => named(records.map(({ id }) => id));

function requireDistinctItems(items: readonly SyncItem[]): void {
	const first = new Map<string, SyncItem>();
	const twice: string[] = [];
	for (const item of items) {
		const other = first.get(item.key);
		if (other) {
			twice.push(`${clip(item.shownKey)} (items ${other.itemIndex} and ${item.itemIndex})`);
		} else first.set(item.key, item);
	}
	if (twice.length === 0) return;
	throw new InputError(
		'Several items have the same values in the fields to match on',
		`Nothing was sent. Each record may have one item only: ${named(twice)}.`,
	);
}

function requireDistinctRecords(
	items: readonly SyncItem[],
	byKey: ReadonlyMap<string, readonly DataRecord[]>,
	{ card, takesPart }: SyncRecords,
): void {
	const wanted = new Set(items.map(({ key }) => key));
	const twice = [...byKey].filter(
		([key, same]) =>
			same.length > 1 && (wanted.has(key) || same.filter((record) => takesPart(record)).length > 1),
	);
	if (twice.length === 0) return;
	throw new InputError(
		`Several records of card '${card}' have the same values in the fields to match on`,
		`Nothing was sent. Match on more fields, or delete all but one of: ${named(twice.map(([, same]) => `(${idsOf(same)})`))}.`,
	);
}

/** An item must not reach a record outside the conditions, nor bring its record outside them. */
function requireConditions(
	items: readonly SyncItem[],
	byKey: ReadonlyMap<string, readonly DataRecord[]>,
	{ card, takesPart }: SyncRecords,
	now: string,
): void {
	const outside = items.filter(({ key, data }) => {
		const [record] = byKey.get(key) ?? [];
		if (record && !takesPart(record)) return true;
		const base = record ?? { id: '', data: {}, createdAt: now, raw: {} };
		return !takesPart({ ...base, data: { ...base.data, ...data } });
	});
	if (outside.length === 0) return;
	const names = outside.map(({ itemIndex, shownKey }) => `item ${itemIndex} (${clip(shownKey)})`);
	throw new InputError(
		`${outside.length} items have values or records of card '${card}' that do not meet the conditions`,
		`Nothing was sent. Change 'Filters' or the items: ${named(names)}.`,
	);
}

/** What Sync would do to a card: checked as a whole, before anything is sent. */
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import { InputError } from '../../model/inputError';
import { clip } from '../../model/nearestNames';
import { mapInSlices } from '../schedule/yieldToLoop';

/** An item, as it would be written. */
export interface SyncItem {
	itemIndex: number;
	/** Its matching values as one text. */
	key: string;
	/** Its matching values as a person reads them. */
	shownKey: string;
	data: JsonObject;
}

/** A record of the card. */
export interface SyncRecord {
	record: DataRecord;
	/** Its matching values as one text; undefined where one of them is empty. */
	key: string | undefined;
	/** Whether it meets the conditions; always without conditions. */
	takesPart: boolean;
}

/** The records of a card, and which of them take part. */
export interface SyncRecords {
	/** How messages call the card. */
	card: string;
	all: readonly SyncRecord[];
	/** Whether a record as it would be meets the conditions; undefined without conditions. */
	meets: ((record: DataRecord) => boolean) | undefined;
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
 * @param pause lets others compute: there may be a hundred thousand items and records
 * @returns the records to delete
 * @throws InputError when anything is in doubt; names the items or records
 */
export async function planDeletions(
	items: readonly SyncItem[],
	records: SyncRecords,
	deletions: Deletions,
	now: string,
	pause: () => Promise<void>,
): Promise<DataRecord[]> {
	requireDistinctItems(items);
	await pause();
	const byKey = new Map<string, SyncRecord[]>();
	for (const one of records.all) {
		if (one.key === undefined) continue;
		const same = byKey.get(one.key);
		if (same) same.push(one);
		else byKey.set(one.key, [one]);
	}
	await pause();
	const taking = records.all.filter(({ takesPart }) => takesPart);
	const withoutKey = taking.filter(({ key }) => key === undefined);
	if (withoutKey.length > 0) {
		throw new InputError(
			`${withoutKey.length} records of card '${records.card}' have no value in a field to match on`,
			`Nothing was sent. Give them a value, or exclude them by 'Filters': ${idsOf(withoutKey)}.`,
		);
	}
	const wanted = new Set(items.map(({ key }) => key));
	await pause();
	requireDistinctRecords(wanted, byKey, records.card);
	await pause();
	await requireConditions(items, byKey, records, now, pause);
	if (!deletions.isWanted) return [];
	await pause();
	const missing = taking.filter(({ key }) => key !== undefined && !wanted.has(key));
	const most = deletions.most ?? Math.min(USUAL_DELETIONS, Math.floor(taking.length / 2));
	if (missing.length <= most) return missing.map(({ record }) => record);
	throw new InputError(
		`${missing.length} of ${taking.length} records of card '${records.card}' have no item and would be deleted, but at most ${most} may be`,
		"Nothing was sent. Check that the items are complete, or set 'Most Records to Delete'.",
	);
}

const named = (names: readonly string[]): string =>
	`${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`;

const idsOf = (records: readonly SyncRecord[]): string =>
	named(records.map(({ record }) => record.id));

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
	wanted: ReadonlySet<string>,
	byKey: ReadonlyMap<string, readonly SyncRecord[]>,
	card: string,
): void {
	const twice = [...byKey].filter(
		([key, same]) =>
			same.length > 1 && (wanted.has(key) || same.filter(({ takesPart }) => takesPart).length > 1),
	);
	if (twice.length === 0) return;
	throw new InputError(
		`Several records of card '${card}' have the same values in the fields to match on`,
		`Nothing was sent. Match on more fields, or delete all but one of: ${named(twice.map(([, same]) => `(${idsOf(same)})`))}.`,
	);
}

/** An item must not reach a record outside the conditions, nor bring its record outside them. */
async function requireConditions(
	items: readonly SyncItem[],
	byKey: ReadonlyMap<string, readonly SyncRecord[]>,
	{ card, meets }: SyncRecords,
	now: string,
	pause: () => Promise<void>,
): Promise<void> {
	if (!meets) return;
	const isOutside = ({ key, data }: SyncItem): boolean => {
		const [known] = byKey.get(key) ?? [];
		if (known && !known.takesPart) return true;
		const base = known?.record ?? { id: '', data: {}, createdAt: now, raw: {} };
		return !meets({ ...base, data: { ...base.data, ...data } });
	};
	const outside = (await mapInSlices(pause, items, isOutside)).flatMap((is, place) =>
		is ? (items[place] ?? []) : [],
	);
	if (outside.length === 0) return;
	const names = outside.map(({ itemIndex, shownKey }) => `item ${itemIndex} (${clip(shownKey)})`);
	throw new InputError(
		`${outside.length} items have values or records of card '${card}' that do not meet the conditions`,
		`Nothing was sent. Change 'Filters' or the items: ${named(names)}.`,
	);
}

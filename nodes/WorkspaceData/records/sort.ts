/** The parameter 'Sort': the order of the returned records. */
import type { DataRecord } from '../transport/api';
import { byCharacter, compareForms, placeOf, type Place } from '../values/identity';
import type { FieldIndex } from './fieldIndex';
import { fieldKey, namedValue } from './filter';
import type { NamedValue } from './ownValues';
import type { Run } from './run';

/** A value to sort by. */
export interface Order extends NamedValue {
	direction: 'asc' | 'desc';
}

/**
 * Reads the order.
 *
 * @param by the entries of the parameter 'sort'
 * @throws InputError for an unknown field
 */
export const readSort = (
	by: ReadonlyArray<{ field: unknown; direction: Order['direction'] }>,
	index: FieldIndex,
): Order[] =>
	by.map(({ field, direction }) => ({ ...namedValue(index, fieldKey(field, 'Sort')), direction }));

/** Sorts by the first order; where values are equal by the next one, and so on. Then records keep their order. */
export async function sortRecords(
	run: Pick<Run, 'breathe' | 'zone'>,
	records: readonly DataRecord[],
	orders: readonly Order[],
): Promise<readonly DataRecord[]> {
	let sorted = records;
	for (const order of orders.toReversed()) sorted = await sortBy(run, sorted, order);
	return sorted;
}

/** Sorts by the type of the field, empty values last. Records with equal values keep their order. */
async function sortBy(
	run: Pick<Run, 'breathe' | 'zone'>,
	records: readonly DataRecord[],
	{ field, read, direction }: Order,
): Promise<DataRecord[]> {
	const keyed: Array<{ record: DataRecord; place: Place }> = [];
	for (const record of records) {
		await run.breathe();
		keyed.push({ record, place: placeOf(field, read(record), run.zone) });
	}
	const sorted = await sortInSlices(run, keyed, ({ place: a }, { place: b }) => {
		// Values that aren't of the type, and empty ones, stay last.
		if (a.rank !== b.rank) return a.rank - b.rank;
		const isText = field.kind.isText && a.rank === 0;
		const order = compareForms(a.form, b.form, isText ? byLanguage : byCharacter);
		return direction === 'desc' ? -order : order;
	});
	return sorted.map(({ record }) => record);
}

/** Compares text in the language of this n8n instance, then by characters. */
const byLanguage = (a: string, b: string): number => a.localeCompare(b) || byCharacter(a, b);

/** The number of entries that are sorted without a break: a few ms for any of our orders. */
const STEP = 1_000;

/** Sorts stably, and gives way to n8n's loop meanwhile. @returns a new list */
export async function sortInSlices<Entry>(
	run: Pick<Run, 'breathe'>,
	entries: readonly Entry[],
	compare: (a: Entry, b: Entry) => number,
): Promise<Entry[]> {
	await run.breathe();
	if (entries.length <= STEP) return entries.toSorted(compare);
	const middle = Math.ceil(entries.length / 2);
	const left = await sortInSlices(run, entries.slice(0, middle), compare);
	const right = await sortInSlices(run, entries.slice(middle), compare);
	const merged: Entry[] = [];
	let next = 0;
	for (const entry of left) {
		await run.breathe();
		while (next < right.length && compare(right[next] as Entry, entry) < 0)
			merged.push(right[next++] as Entry);
		merged.push(entry);
	}
	return [...merged, ...right.slice(next)];
}

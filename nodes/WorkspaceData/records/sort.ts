/** The parameter 'Sort': the order of the returned records. */
import type { DataRecord } from '../transport/api';
import { byCharacter, compareForms } from '../values/comparable';
import { placeOf, type Place } from '../values/identity';
import { InputError } from '../values/inputError';
import type { ValueField } from '../values/kind';
import type { FieldIndex } from './fieldIndex';
import { namedValue } from './filter';
import type { NamedValue } from './ownValues';
import type { Run } from './run';

export type Direction = 'asc' | 'desc';

/** A value to sort by. */
export interface Order extends NamedValue {
	direction: Direction;
}

/**
 * Reads the order.
 *
 * @param by the entries of the parameter 'sort'
 * @throws InputError for an unknown field
 */
export const readSort = (
	by: ReadonlyArray<{ field: unknown; direction: Direction }>,
	index: FieldIndex,
): Order[] =>
	by.map(({ field, direction }) => {
		const key = typeof field === 'string' ? field : '';
		if (key.trim() !== '') return { ...namedValue(index, key), direction };
		throw new InputError(
			"'Field Name or ID' in 'Sort' is empty",
			'Select the field to sort by, or remove the entry.',
		);
	});

/**
 * Sorts records: values by their field's type, empty ones last. Records with equal values keep their order.
 *
 * @param records is emptied, so that they aren't held twice
 * @returns a new list
 */
export async function sortRecords(
	run: Run,
	records: DataRecord[],
	orders: readonly Order[],
): Promise<DataRecord[]> {
	const compare = compareBy(orders);
	const keyed: Array<{ record: DataRecord; places: Place[] }> = [];
	for (const record of records.splice(0)) {
		await run.breathe();
		const places = orders.map(({ field, read }) => placeOf(field, read(record), run.zone));
		keyed.push({ record, places });
	}
	const inOrder = await sortInSlices(run, keyed, (a, b) => compare(a.places, b.places));
	return inOrder.map(({ record }) => record);
}

/**
 * Compares by the first field; if the values are equal, by the next one, and so on.
 *
 * @returns below 0 if `a` comes first; 0 if they are equal
 */
export function compareBy(
	orders: ReadonlyArray<Pick<Order, 'field' | 'direction'>>,
): (a: readonly Place[], b: readonly Place[]) => number {
	return (a, b) => {
		for (const [column, { field, direction }] of orders.entries()) {
			const [one, other] = [a[column] as Place, b[column] as Place];
			const order = comparePlaces(field, one, other, direction === 'desc');
			if (order !== 0) return order;
		}
		return 0;
	};
}

/** Compares text in the language of this n8n instance, then by characters. */
const byLanguage = (a: string, b: string): number => a.localeCompare(b) || byCharacter(a, b);

/** @param isDescending true if valid values are in descending order; others and empty ones stay last */
function comparePlaces(
	{ kind }: Pick<ValueField, 'kind'>,
	a: Place,
	b: Place,
	isDescending: boolean,
): number {
	if (a.rank !== b.rank) return a.rank - b.rank;
	const compareTexts = kind.isText && a.rank === 0 ? byLanguage : byCharacter;
	const order = compareForms(a.form, b.form, compareTexts);
	return isDescending ? -order : order;
}

/** The number of entries that are sorted or merged without a break: a few ms for any of our orders. */
const STEP = 1_000;

/** Sorts stably, and gives way to n8n's loop meanwhile. @returns a new list */
export async function sortInSlices<Entry>(
	run: Pick<Run, 'breathe'>,
	entries: readonly Entry[],
	compare: (a: Entry, b: Entry) => number,
): Promise<Entry[]> {
	await run.breathe();
	if (entries.length <= STEP) return [...entries].sort(compare);
	const middle = Math.ceil(entries.length / 2);
	const left = await sortInSlices(run, entries.slice(0, middle), compare);
	const right = await sortInSlices(run, entries.slice(middle), compare);
	const merged: Entry[] = [];
	let [a, b] = [0, 0];
	while (merged.length < entries.length) {
		if (merged.length % STEP === 0) await run.breathe();
		const takesLeft =
			b >= right.length || (a < left.length && compare(left[a] as Entry, right[b] as Entry) <= 0);
		merged.push((takesLeft ? left[a++] : right[b++]) as Entry);
	}
	return merged;
}

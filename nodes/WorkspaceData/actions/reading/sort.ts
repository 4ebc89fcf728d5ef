/** The parameter 'Sort': the order of the returned records. */
import { z } from 'zod/v3';
import type { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import type { DataRecord } from '../../model/response/record';
import { namedValue } from '../../records/filter';
import { byCharacter, compareForms } from '../../values/comparable';
import { directionProperty } from '../../properties/readOptions';
import { readChoice } from '../readParameters';
import type { Run } from '../run/run';
import { sortInSlices, mapInSlices } from '../schedule/yieldToLoop';
import type { ValueField } from '../../values/kinds/kind';
import { placeOf, type Place } from '../../values/identity';

const sortSchema = z.object({
	by: z.array(z.object({ field: z.unknown(), direction: z.unknown() })).nullish(),
});

/** Sorts records. */
type Sorting = (records: readonly DataRecord[]) => Promise<DataRecord[]>;

/**
 * Reads the order. Values are compared by their field's type, and empty ones come last. Records with equal values
 * keep their order.
 *
 * @param sort the parameter 'sort'
 * @returns undefined if there is no order
 * @throws InputError for an unknown field or direction
 */
export function readSort(
	sort: unknown,
	index: FieldIndex,
	{ yieldToLoop, zone }: Run,
): Sorting | undefined {
	const parsed = sortSchema.safeParse(sort ?? {});
	if (!parsed.success) throw new InputError("'Sort' can't be read", 'Add the fields again.');
	const by = (parsed.data.by ?? []).map(({ field, direction }) => {
		const key = typeof field === 'string' ? field : '';
		if (key.trim() !== '') {
			return {
				...namedValue(index, key),
				direction: readChoice(directionProperty, direction) ?? 'asc',
			};
		}
		throw new InputError(
			"'Field Name or ID' in 'Sort' is empty",
			'Select the field to sort by, or remove the entry.',
		);
	});
	if (by.length === 0) return undefined;
	const compare = compareBy(by);
	return async (records) => {
		await yieldToLoop();
		const keyed = await mapInSlices(yieldToLoop, records, (record) => ({
			record,
			places: by.map(({ field, read }) => placeOf(field, read(record), zone)),
		}));
		const inOrder = await sortInSlices(yieldToLoop, keyed, (a, b) => compare(a.places, b.places));
		return inOrder.map(({ record }) => record);
	};
}

export type Direction = 'asc' | 'desc';

/** A field to sort by. */
export interface OrderField {
	field: ValueField;
	direction: Direction;
}

/**
 * Compares by the first field; if the values are equal, by the next one, and so on.
 *
 * @returns below 0 if `a` comes first; 0 if they are equal
 */
export function compareBy(
	orders: readonly OrderField[],
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

/**
 * Compares two values of one field.
 *
 * @param isDescending true if valid values are in descending order; others and empty ones stay last
 * @returns below 0 if `a` comes first; 0 only if both are the same value
 */
export function comparePlaces(
	{ kind }: Pick<ValueField, 'kind'>,
	a: Place,
	b: Place,
	isDescending = false,
): number {
	if (a.rank !== b.rank) return a.rank - b.rank;
	const compareTexts = kind.isLanguage && a.rank === 0 ? byLanguage : byCharacter;
	const order = compareForms(a.form, b.form, compareTexts);
	return isDescending ? -order : order;
}

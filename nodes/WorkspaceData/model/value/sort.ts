/** The order of records by the values of their fields, each as a value of its field's kind. */
import type { Zone } from '../time';
import type { ValueField } from './kinds/kind';
import { comparePlaces, placeOf, type Place } from './value';

export const DIRECTIONS = ['asc', 'desc'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** A field that records are ordered by. */
export interface OrderField {
	field: ValueField;
	direction: Direction;
}

/** The places of a record's values, one for each field of an order. */
export const placesOf = (
	orders: readonly OrderField[],
	values: readonly unknown[],
	zone: Zone,
): Place[] => orders.map(({ field }, column) => placeOf(field, values[column], zone));

/**
 * Orders by the first field, where that leaves a tie by the next one, and so on.
 *
 * @returns below 0 where `a` comes first; 0 leaves two records as they were
 */
export function compareBy(
	orders: readonly OrderField[],
): (a: readonly Place[], b: readonly Place[]) => number {
	return (a, b) => {
		for (const [column, { field, direction }] of orders.entries()) {
			const order = comparePlaces(
				field,
				a[column] as Place,
				b[column] as Place,
				direction === 'desc',
			);
			if (order !== 0) return order;
		}
		return 0;
	};
}

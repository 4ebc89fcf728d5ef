/** The order of records by the values of their fields, each as a value of its field's type. */
import { isEmpty, isTyped, orderable, type ComparedField } from './comparison';
import { byCharacter } from '../text';

export const DIRECTIONS = ['asc', 'desc'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** A field that records are ordered by. */
export interface OrderField {
	field: ComparedField;
	direction: Direction;
	/** Whether it is an identifier: sortable character by character, not as a language does. */
	isIdentifier?: boolean;
}

/**
 * The place of a value: among the values of its field's type, behind them where it is none of the type,
 * or last where it is empty, whatever the direction.
 */
export interface OrderKey {
	rank: 'typed' | 'other' | 'empty';
	/** Several for a list. */
	parts: ReadonlyArray<number | string>;
}

const RANKS = { typed: 0, other: 1, empty: 2 } as const;

const EMPTY: OrderKey = { rank: 'empty', parts: [] };

const textOf = (value: unknown): string =>
	typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** The place of a value in the order of a field. */
export function orderKey({ field }: OrderField, value: unknown): OrderKey {
	if (isEmpty(value)) return EMPTY;
	const parts = (Array.isArray(value) ? value : [value]).map((member: unknown) =>
		typeof member === 'number' && !isTyped(field) ? member : orderable(field, member),
	);
	const known = parts.filter((part) => part !== undefined);
	if (known.length < parts.length) return { rank: 'other', parts: [textOf(value)] };
	// The same choices in another order are the same value.
	if (field.kind === 'choices') known.sort(compareParts);
	return { rank: 'typed', parts: known };
}

/** As the language of this n8n orders texts. */
const byLanguage = (a: string, b: string): number => a.localeCompare(b);

/** Numbers before texts. */
function compareParts(a: number | string, b: number | string, compareTexts = byCharacter): number {
	if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
	if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a < b ? -1 : 1;
	return typeof a === 'number' ? -1 : 1;
}

function compareKeys(order: OrderField, a: OrderKey, b: OrderKey): number {
	if (a.rank !== b.rank) return RANKS[a.rank] - RANKS[b.rank];
	const isCoded = order.isIdentifier === true || (isTyped(order.field) && a.rank === 'typed');
	const compareTexts = isCoded ? byCharacter : byLanguage;
	const sign = order.direction === 'desc' ? -1 : 1;
	const length = Math.min(a.parts.length, b.parts.length);
	for (let place = 0; place < length; place += 1) {
		const left = a.parts[place];
		const right = b.parts[place];
		const difference =
			left === undefined || right === undefined ? 0 : compareParts(left, right, compareTexts);
		if (difference !== 0) return sign * difference;
	}
	return sign * (a.parts.length - b.parts.length);
}

/**
 * Orders by the first field, where that leaves a tie by the next one, and so on.
 *
 * @returns below 0 where `a` comes first; 0 leaves two records as they were
 */
export function compareBy(
	orders: readonly OrderField[],
): (a: readonly OrderKey[], b: readonly OrderKey[]) => number {
	return (a, b) => {
		for (const [place, order] of orders.entries()) {
			const difference = compareKeys(order, a[place] ?? EMPTY, b[place] ?? EMPTY);
			if (difference !== 0) return difference;
		}
		return 0;
	};
}

/** Compares values by a field's type: equal values may be spelled in many ways. */
import { choicePosition } from './choices';
import type { Field } from '../answer/field';
import { isObject } from '../answer/shapes';
import { parseTime } from '../time';

/** The part of a field that comparing needs to know. */
export type ComparedField = Pick<Field, 'kind' | 'options'>;

/** Whether the type of a field says how its values are compared. */
export const isTyped = ({ kind, options }: ComparedField): boolean =>
	kind === 'choice' || kind === 'choices'
		? options.length > 0
		: kind !== 'text' && kind !== 'json' && kind !== 'unknown';

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const DAY = /^\s*(\d{4}-\d{2}-\d{2})(?:$|[T ])/;

/** No value at all: missing, null, empty text or an empty list. `false` and `0` are values. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	value === '' ||
	(Array.isArray(value) && value.length === 0);

/** The number that a value is, also as text; NaN for all else. */
const numberOf = (value: unknown): number => {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && NUMBER.test(value) ? Number(value) : NaN;
};

function booleanOf(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const text = String(typeof value === 'number' || typeof value === 'string' ? value : '');
	if (/^\s*(?:true|1)\s*$/i.test(text)) return true;
	return /^\s*(?:false|0)\s*$/i.test(text) ? false : undefined;
}

/**
 * A value as a number or text by which its field's type orders it: days and texts as text, numbers,
 * instants (ms), the position of a choice and booleans as numbers.
 *
 * @returns undefined if it is not a value of the type
 */
export function orderable(field: ComparedField, value: unknown): number | string | undefined {
	if (isEmpty(value)) return undefined;
	switch (field.kind) {
		case 'number': {
			const number = numberOf(value);
			return Number.isNaN(number) ? undefined : number;
		}
		case 'boolean': {
			const is = booleanOf(value);
			return is === undefined ? undefined : Number(is);
		}
		case 'date':
			return typeof value === 'string' ? DAY.exec(value)?.[1] : undefined;
		case 'datetime':
			return typeof value === 'string' ? parseTime(value) : undefined;
		case 'choice':
		case 'choices':
			if (field.options.length > 0) return choicePosition(field.options, value);
			return typeof value === 'object' ? undefined : String(value);
		default:
			return typeof value === 'object' ? undefined : String(value);
	}
}

/** Digits that any number keeps. */
const EXACT_DIGITS = 15;

/** Whether a text for a number has digits that a number loses: two such texts may be different values. */
function isRounded(field: ComparedField, value: unknown): boolean {
	if (field.kind !== 'number' || typeof value !== 'string') return false;
	const digits = value
		.replace(/e.*$/i, '')
		.replace(/\D/g, '')
		.replace(/^0+|0+$/g, '');
	return digits.length > EXACT_DIGITS && String(numberOf(value)) !== value.trim();
}

/** JSON with the keys of objects in order. */
const canonical = (value: unknown): string =>
	JSON.stringify(value, (_key, part: unknown) =>
		isObject(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);

/**
 * A text that is the same for two values exactly where they are the same value of the field: `10` and
 * `"10.00"` of a number field, a choice by its label or its ID, one instant with two offsets, the same
 * choices in another order. A number and the same number as text are one value in a field of any type.
 */
export function sameness(field: ComparedField, value: unknown): string {
	if (isEmpty(value)) return '';
	if (Array.isArray(value)) {
		const members = value.map((member) => sameness(field, member));
		return `[${(field.kind === 'choices' ? [...new Set(members)].sort() : members).join()}]`;
	}
	const order = isRounded(field, value) ? undefined : orderable(field, value);
	// -0 and 0 are one number.
	if (typeof order === 'number') return `#${order === 0 ? 0 : order}`;
	if (order !== undefined) return JSON.stringify(order);
	return isObject(value) ? canonical(value) : JSON.stringify(String(value));
}

/**
 * Orders two values of a field.
 *
 * @returns below 0 where `a` comes first; undefined where one of them is empty or no value of the type
 */
export function compareValues(field: ComparedField, a: unknown, b: unknown): number | undefined {
	const [left, right] = [orderable(field, a), orderable(field, b)];
	if (typeof left === 'number' && typeof right === 'number') return left - right;
	if (typeof left !== 'string' || typeof right !== 'string') return undefined;
	return left === right ? 0 : left < right ? -1 : 1;
}

/** The forms of any value: as JSON, as text, and the form by which values are compared. */
import { isObject } from '../answer/shapes';
import { byCharacter } from '../text';

const hasJsonForm = (value: unknown): value is { toJSON(): unknown } =>
	isObject(value) && typeof value.toJSON === 'function';

/**
 * The JSON form of an object that defines it itself: dates, including Luxon's and those of Code nodes,
 * which have a `Date` class of their own.
 */
export const jsonForm = (value: unknown): unknown => (hasJsonForm(value) ? value.toJSON() : value);

/** Any value as text, without loss: lists and objects as JSON. */
export function textOf(value: unknown): string {
	const form = jsonForm(value);
	return typeof form === 'object' && form !== null ? JSON.stringify(form) : String(form);
}

/** JSON with the keys of objects in order. */
export const canonicalJson = (value: unknown): string =>
	JSON.stringify(value, (_key, part: unknown) =>
		isObject(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	) ?? 'null';

/**
 * Whether JSON can carry a value. Other values would arrive as null and clear the field, or
 * not arrive at all.
 */
export function isSendable(value: unknown): boolean {
	if (value === undefined) return true;
	if (typeof value === 'number') return Number.isFinite(value);
	if (hasJsonForm(value)) {
		const form = value.toJSON();
		return form !== null && isSendable(form);
	}
	if (typeof value === 'object' && value !== null) return Object.values(value).every(isSendable);
	return value === null || typeof value === 'string' || typeof value === 'boolean';
}

/** Values that JSON cannot hold, as text; others unchanged. */
const readable = (part: unknown): unknown =>
	isSendable(part) || (typeof part === 'object' && !hasJsonForm(part)) ? part : String(part);

/** A value in a message: short and readable. */
export function showValue(value: unknown): string {
	const whole = readable(value);
	const text =
		whole === value
			? (JSON.stringify(value, (_key, part: unknown) => readable(part)) ?? 'undefined')
			: String(whole);
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** No value at all: missing, null, empty text or an empty list. `false` and `0` are values. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	value === '' ||
	(Array.isArray(value) && value.length === 0);

/** A value between two numbers, where no number is exact: `near` is the nearest one, `rest` tells on which side of it. */
export interface Between {
	near: number;
	/** Ordered character by character: `<…` below `near`, `>…` above it; see {@link AT}. */
	rest: string;
}

/** The form of a value in which it is compared: two values are the same exactly where their forms are. */
export type Comparable = number | string | Between | readonly Comparable[];

/** The `rest` of a number itself, between all that is below and above it. */
const AT = '=';

const isList = (form: Comparable): form is readonly Comparable[] => Array.isArray(form);

const between = (form: number | Between): Between =>
	typeof form === 'number' ? { near: form, rest: AT } : form;

/** A text that two forms share exactly where they are the same. */
export function keyOfForm(form: Comparable): string {
	if (typeof form === 'string') return `'${form}`;
	// 0 and -0 have one text.
	if (typeof form === 'number') return `#${form}`;
	return isList(form) ? JSON.stringify(form.map(keyOfForm)) : `#${form.near}${form.rest}`;
}

const rankOf = (form: Comparable): number => (typeof form === 'string' ? 1 : isList(form) ? 2 : 0);

/** Whether two forms are both numbers, both texts, or both lists. */
export const isOfOneSort = (a: Comparable, b: Comparable): boolean => rankOf(a) === rankOf(b);

/**
 * Orders two forms: numbers before texts before lists, lists by their first difference.
 *
 * @param compareTexts gives 0 for the same text only
 * @returns below 0 where `a` comes first; 0 exactly where they are the same
 */
export function compareForms(a: Comparable, b: Comparable, compareTexts = byCharacter): number {
	if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a < b ? -1 : 1;
	if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
	if (typeof a === 'string' || typeof b === 'string' || isList(a) !== isList(b)) {
		return rankOf(a) - rankOf(b);
	}
	if (isList(a) && isList(b)) return compareLists(a, b, compareTexts);
	const [left, right] = [between(a as number | Between), between(b as number | Between)];
	return compareForms(left.near, right.near) || byCharacter(left.rest, right.rest);
}

function compareLists(
	a: readonly Comparable[],
	b: readonly Comparable[],
	compareTexts: typeof byCharacter,
): number {
	for (const [place, left] of a.entries()) {
		const right = b[place];
		const difference = right === undefined ? 1 : compareForms(left, right, compareTexts);
		if (difference !== 0) return difference;
	}
	return a.length - b.length;
}

/** The form of a value in which it is compared: what is the same, and which comes first. */
import { byCharacter } from '../text';

/** A value between two numbers, where no number is exact: `near` is the nearest one, `rest` says on which side of it. */
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

/** Whether two forms are both numbers, both text, or both lists. */
export const isOfOneSort = (a: Comparable, b: Comparable): boolean => rankOf(a) === rankOf(b);

/**
 * Orders two forms: numbers before text before lists, lists by their first difference.
 *
 * @param compareTexts returns 0 for the same text only
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

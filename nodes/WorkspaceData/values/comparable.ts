/** The comparable form of a value, for equality and order. */
/**
 * A value between two numbers, if no number is exact. `near` is the nearest one, and `rest` says on which
 * side of it.
 */
export interface Between {
	near: number;
	/** Ordered character by character: `<…` below `near`, `>…` above it; see {@link AT}. */
	rest: string;
}

/** The comparable form of a value: two values are equal only if their forms are equal. */
export type Comparable = number | string | Between | readonly Comparable[];

/** The `rest` of a number itself, between everything below and above it. */
const AT = '=';

const isList = (form: Comparable): form is readonly Comparable[] => Array.isArray(form);

const between = (form: number | Between): Between =>
	typeof form === 'number' ? { near: form, rest: AT } : form;

/** Returns text that is the same for two forms only if they are equal. */
export function keyOfForm(form: Comparable): string {
	if (typeof form === 'string') return `'${form}`;
	// 0 and -0 have the same text.
	if (typeof form === 'number') return `#${form}`;
	return isList(form) ? JSON.stringify(form.map(keyOfForm)) : `#${form.near}${form.rest}`;
}

const rankOf = (form: Comparable): number => (typeof form === 'string' ? 1 : isList(form) ? 2 : 0);

/**
 * Compares two forms: numbers before text before lists, lists by their first difference.
 *
 * @param compareTexts returns 0 only for the same text
 * @returns below 0 if `a` comes first; 0 only if they are equal
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

/**
 * Compares text character by character, for lists that are sorted while n8n loads the nodes.
 * `localeCompare` would load language rules first, which takes as long as everything else.
 */
export const byCharacter = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** The comparable form of a value, for equality and order. */

/** Two values are equal only if their forms are equal. A bigint is a whole number beyond 2^53. */
export type Comparable = number | bigint | string;

/**
 * Compares two forms: numbers before text.
 *
 * @param compareTexts returns 0 only for the same text
 * @returns below 0 if `a` comes first; 0 only if they are equal
 */
export function compareForms(a: Comparable, b: Comparable, compareTexts = byCharacter): number {
	if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
	if (typeof a === 'string' || typeof b === 'string') return typeof a === 'string' ? 1 : -1;
	return a < b ? -1 : Number(a > b);
}

/**
 * Compares text character by character, for lists that are sorted while n8n loads the nodes.
 * `localeCompare` would load language rules first, which takes as long as everything else.
 */
export const byCharacter = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

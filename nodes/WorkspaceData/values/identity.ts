/** Identifies stored values of a field: equality, order, and the text by which they are found. */
import type { Zone } from './time';
import { isEmpty } from './emptyValue';
import { canonicalJson, textOf } from './json';
import type { Comparable, ValueField } from './kind';

/**
 * The identity of a stored value: text that is the same for two values only if they are equal in the field.
 * Values that aren't of its kind are equal if their JSON is equal.
 *
 * @param zone of times without an offset
 * @returns `''` for an empty value only
 */
export function identityOf(field: ValueField, stored: unknown, zone: Zone): string {
	if (isEmpty(stored)) return '';
	const form = field.kind.read(stored, field, zone);
	if (form === undefined) return `?${canonicalJson(stored)}`;
	// 0 and -0 have the same text.
	return typeof form === 'string' ? `'${form}` : `#${form}`;
}

/** The position of a stored value in the order of its field: values of the kind, then others, then empty ones. */
export interface Place {
	rank: 0 | 1 | 2;
	form: Comparable;
}

export function placeOf(field: ValueField, stored: unknown, zone: Zone): Place {
	if (isEmpty(stored)) return { rank: 2, form: '' };
	const { kind } = field;
	const form = kind.position?.(stored, field, zone) ?? kind.read(stored, field, zone);
	return form === undefined ? { rank: 1, form: canonicalJson(stored) } : { rank: 0, form };
}

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

/** The members of a stored list, if the field holds lists; else the value itself. */
export const membersOf = ({ kind }: ValueField, stored: unknown): readonly unknown[] =>
	kind.member && Array.isArray(stored) ? stored : [stored];

/** The text values by which a stored value is found. */
export function textsOf(field: ValueField, stored: unknown): readonly string[] {
	if (isEmpty(stored)) return [];
	const { shownText = textOf } = field.kind.member ?? field.kind;
	return [stored].flat().map((one) => shownText(one, field));
}

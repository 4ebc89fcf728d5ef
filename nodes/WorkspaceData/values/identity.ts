/** Identifies stored values of a field: equality, order, and the text by which they are found. */
import type { Zone } from './time';
import type { Comparable } from './comparable';
import { isEmpty } from './emptyValue';
import { canonicalJson, textOf } from './json';
import type { ValueField } from './kind';

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

/** Returns true if two values of a field are the same value, in any spelling. */
export const isSame = (field: ValueField, one: unknown, other: unknown, zone: Zone): boolean =>
	identityOf(field, one, zone) === identityOf(field, other, zone);

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

/** The members of a stored list, if the field holds lists; else the value itself. */
export const membersOf = ({ kind }: ValueField, stored: unknown): readonly unknown[] =>
	kind.member && Array.isArray(stored) ? stored : [stored];

/** The text values by which a stored value is found. */
export function textsOf(field: ValueField, stored: unknown): readonly string[] {
	if (isEmpty(stored)) return [];
	const { shownText = textOf } = field.kind.member ?? field.kind;
	return [stored].flat().map((one) => shownText(one, field));
}

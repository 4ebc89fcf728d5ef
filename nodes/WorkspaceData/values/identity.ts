/** Identifies stored values of a field: equality, order, and the text by which they are found. */
import type { Zone } from './time';
import { keyOfForm, type Comparable } from './comparable';
import { isEmpty } from './emptyValue';
import { canonicalJson, textOf } from './serialization';
import type { ValueField } from './kinds/kind';

/**
 * The identity of a stored value: text that is the same for two values only if they are equal in the field.
 * Values that aren't of its kind are equal if their JSON is equal.
 *
 * @param zone of times without an offset
 * @returns `''` for an empty value only
 */
export function identityOf(field: ValueField, stored: unknown, zone: Zone): string {
	if (isEmpty(stored)) return '';
	const form = identify(field, stored, zone);
	return form === undefined ? `?${canonicalJson(stored)}` : keyOfForm(form);
}

const identify = (field: ValueField, stored: unknown, zone: Zone): Comparable | undefined =>
	field.kind.identify ? field.kind.identify(stored, field) : field.kind.read(stored, field, zone);

/** Returns true if two values of a field are the same value, in any spelling. */
export const isSame = (field: ValueField, one: unknown, other: unknown, zone: Zone): boolean =>
	identityOf(field, one, zone) === identityOf(field, other, zone);

/**
 * The position of a stored value in the order of its field: values of the kind, then others, then empty
 * ones.
 */
export interface Place {
	rank: 0 | 1 | 2;
	form: Comparable;
}

const NOWHERE: Place = { rank: 2, form: '' };

export function placeOf(field: ValueField, stored: unknown, zone: Zone): Place {
	if (isEmpty(stored)) return NOWHERE;
	const form = field.kind.read(stored, field, zone);
	return form === undefined ? { rank: 1, form: canonicalJson(stored) } : { rank: 0, form };
}

/** The text values by which a stored value is found. */
export function textsOf(field: ValueField, stored: unknown): readonly string[] {
	if (isEmpty(stored)) return [];
	return field.kind.texts?.(stored, field) ?? [stored].flat().map(textOf);
}

/** The values of a field: which ones are equal, how they are ordered, and what is sent. */
import { InputError } from '../inputError';
import type { Zone } from '../time';
import { keyOfForm, type Comparable } from './comparable';
import { mayHaveLostDigits } from './decimal';
import { isEmpty } from './emptyValue';
import { canonicalJson, isSendable, jsonForm, textOf } from './serialization';
import { TOO_MANY_DIGITS, unusable, type EntryRules, type ValueField } from './kinds/kind';

/**
 * The identity of a stored value: a text that two values share exactly where they are the same value of the field. Values
 * that are none of its kind are the same where their JSON is.
 *
 * @param zone of times without an offset
 * @returns `''` for an empty value only
 */
export function keyOf(field: ValueField, stored: unknown, zone: Zone): string {
	if (isEmpty(stored)) return '';
	const form = identify(field, stored, zone);
	return form === undefined ? `?${canonicalJson(stored)}` : keyOfForm(form);
}

const identify = (field: ValueField, stored: unknown, zone: Zone): Comparable | undefined =>
	field.kind.identify ? field.kind.identify(stored, field) : field.kind.read(stored, field, zone);

/** Whether a stored value, which is not empty, is one of its field's kind. */
export const isOfKind = (field: ValueField, stored: unknown, zone: Zone): boolean =>
	identify(field, stored, zone) !== undefined;

/** The place of a stored value in the order of its field: values of the kind, then others, then empty ones. */
export interface Place {
	rank: 0 | 1 | 2;
	form: Comparable;
}

const NOWHERE: Place = { rank: 2, form: '' };

/** The place of a stored value. */
export function placeOf(field: ValueField, stored: unknown, zone: Zone): Place {
	if (isEmpty(stored)) return NOWHERE;
	const form = field.kind.read(stored, field, zone);
	return form === undefined ? { rank: 1, form: canonicalJson(stored) } : { rank: 0, form };
}

/** The text by which a stored value is found. */
export function textsOf(field: ValueField, stored: unknown): readonly string[] {
	if (isEmpty(stored)) return [];
	return field.kind.texts?.(stored, field) ?? [textOf(stored)];
}

const holdsEmptyText = (field: ValueField): boolean => field.kind.holdsEmptyText?.(field) ?? false;

/** Whether an entry is an empty text. Spaces are one, too, in a field that holds no text of spaces. */
const isBlank = (field: ValueField, entered: unknown): boolean =>
	entered === '' ||
	(typeof entered === 'string' && entered.trim() === '' && !holdsEmptyText(field));

/**
 * The value that is sent for an entered one. `null` clears, `false`, `0` and `''` are values, `undefined` changes
 * nothing.
 *
 * @returns undefined to send none
 * @throws InputError that names the field and the values it accepts
 */
export function enter(field: ValueField, entered: unknown, rules: EntryRules): unknown {
	if (entered === undefined || entered === null) return entered;
	if (isBlank(field, entered)) {
		if (rules.emptyValues === 'clear') return null;
		if (rules.emptyValues === 'ignore') return undefined;
		if (rules.fits && !holdsEmptyText(field)) return undefined;
		if (entered === '') return '';
	}
	const sent = field.kind.enter(entered, field, rules);
	if (isSendable(sent)) return jsonForm(sent);
	throw unusable(field, sent, 'Enter text, finite numbers, dates, or lists and objects of these.');
}

/**
 * The value to compare stored ones with, as an entry means it: entered, and a value of the field's kind.
 *
 * @throws InputError for a value that the field cannot hold: no record could ever be compared with it
 */
export function enterOperand(field: ValueField, entered: unknown, rules: EntryRules): unknown {
	let refusal: unknown = unusable(field, entered);
	try {
		// Two numbers of the service may have become this one.
		if (rules.exact && typeof entered === 'number' && mayHaveLostDigits(entered)) {
			throw unusable(field, entered, TOO_MANY_DIGITS);
		}
		const sent = enter(field, entered, rules);
		if (!isEmpty(sent) && field.kind.read(sent, field, rules.zone) !== undefined) return sent;
	} catch (error) {
		refusal = error;
	}
	if (!(refusal instanceof InputError)) throw refusal;
	const told = new InputError(
		`${refusal.message} ('Value' of a condition in 'Filters')`,
		refusal.description,
	);
	if (!rules.unlisted || !field.kind.mayBeUnlisted?.(entered, field)) throw told;
	rules.unlisted.set(entered, told);
	return entered;
}

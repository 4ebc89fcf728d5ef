/** Converts what a person enters into the value that a field takes. */
import { InputError } from './inputError';
import { isInexact } from '../model/response/jsonObject';
import { isBlank, isEmpty } from './emptyValue';
import { inUsualSpelling } from './formats';
import { isSendable, jsonForm } from './serialization';
import {
	accepted,
	oneValueOf,
	TOO_MANY_DIGITS,
	unusable,
	type EntryRules,
	type ValueField,
} from './kinds/kind';

const holdsEmptyText = (field: ValueField): boolean => field.kind.holdsEmptyText?.(field) ?? false;

/** Returns true if an entry is empty text. Spaces count as empty if the field can't hold text of spaces. */
const isEmptyEntry = (field: ValueField, entered: unknown): boolean =>
	entered === '' || (typeof entered === 'string' && isBlank(entered) && !holdsEmptyText(field));

const EMPTY_ADVICE = "Select 'Ignore' or 'Clear the Field' in the option 'Empty Values'.";

/** What a field takes for an entered value: a value to send, nothing, or the reason why it is refused. */
export type Entry = { value: unknown } | { empty: true } | { refused: InputError };

/**
 * Converts an entered value to the value to send. `null` clears; `false`, `0` and `''` are values;
 * `undefined` changes nothing.
 *
 * @returns the refusal names the field and the values that it accepts
 */
export function enter(field: ValueField, entered: unknown, rules: EntryRules): Entry {
	let refused: unknown;
	try {
		const value = valueToSend(field, entered, rules);
		return value === undefined ? { empty: true } : { value };
	} catch (error) {
		refused = error;
	}
	if (!(refused instanceof InputError)) throw refused;
	return { refused };
}

/** The value of an entry; undefined if there is none. @throws InputError if it is refused */
export function valueOf(entry: Entry): unknown {
	if ('refused' in entry) throw entry.refused;
	return 'value' in entry ? entry.value : undefined;
}

/** @returns undefined to send none @throws InputError */
function valueToSend(field: ValueField, entered: unknown, rules: EntryRules): unknown {
	if (entered === undefined || entered === null) return entered;
	if (isEmptyEntry(field, entered)) {
		if (rules.emptyValues === 'clear') return null;
		if (rules.emptyValues === 'ignore') return undefined;
		// An empty key is refused as such.
		if (holdsEmptyText(field) || rules.exact) return '';
		if (rules.fits) return undefined;
		throw new InputError(`Field '${field.name}' can't hold empty text`, EMPTY_ADVICE);
	}
	// Two different numbers of the service may have become this one.
	if (rules.exact && isInexact(entered)) throw unusable(field, entered, TOO_MANY_DIGITS);
	const { kind } = field;
	const form = jsonForm(entered);
	const isText = rules.fits && kind.isLanguage;
	if (kind.isSingle && typeof form === 'object' && form !== null && !isText) {
		throw unusable(field, entered, oneValueOf(form));
	}
	const usual = kind.formatted ? inUsualSpelling(kind.formatted, entered, rules.formats) : entered;
	const sent = usual === undefined ? undefined : kind.enter(usual, field, rules);
	if (sent === undefined) throw unusable(field, entered, accepted(field, entered, rules.formats));
	if (isSendable(sent)) return jsonForm(sent);
	throw unusable(field, sent, 'Enter text, finite numbers, dates, or lists and objects of these.');
}

/**
 * Converts an entered value to the value that stored ones are compared with.
 *
 * @throws InputError for a value that the field can't hold, because no record could match it
 */
export function enterOperand(field: ValueField, entered: unknown, rules: EntryRules): unknown {
	const entry = enter(field, entered, rules);
	if ('value' in entry && !isEmpty(entry.value)) {
		if (field.kind.read(entry.value, field, rules.zone) !== undefined) return entry.value;
	}
	const { message, description } = 'refused' in entry ? entry.refused : unusable(field, entered);
	const told = new InputError(`${message} ('Value' of a condition in 'Filters')`, description);
	if (!rules.unlisted || !field.kind.mayBeUnlisted?.(entered, field)) throw told;
	rules.unlisted.set(entered, told);
	return entered;
}

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

/**
 * Converts an entered value to the value to send. `null` clears; `false`, `0` and `''` are values.
 *
 * @param entered a value of an item or a parameter, of any type
 * @returns the value as JSON; undefined to leave the field alone
 * @throws InputError that names the field and the values that it accepts
 */
export function enter(field: ValueField, entered: unknown, rules: EntryRules): unknown {
	if (rules.isExact && isBlank(entered)) return null;
	if (entered === undefined || entered === null) return entered;
	if (isEmptyEntry(field, entered)) {
		if (rules.emptyValues === 'clear') return null;
		if (rules.emptyValues === 'ignore') return undefined;
		if (holdsEmptyText(field)) return '';
		if (rules.fits) return undefined;
		throw new InputError(`Field '${field.name}' can't hold empty text`, EMPTY_ADVICE);
	}
	// Two different numbers of the service may have become this one.
	if (rules.isExact && isInexact(entered)) throw unusable(field, entered, TOO_MANY_DIGITS);
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
	try {
		const value = enter(field, entered, rules);
		if (!isEmpty(value) && field.kind.read(value, field, rules.zone) !== undefined) return value;
		throw unusable(field, entered);
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		throw new InputError(
			`${error.message} ('Value' of a condition in 'Filters')`,
			error.description,
		);
	}
}

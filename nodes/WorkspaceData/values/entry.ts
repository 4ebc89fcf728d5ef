/** Converts what a person enters into the value that a field takes. */
import { InputError } from './inputError';
import { isBlank, isEmpty } from './emptyValue';
import { isSendable, jsonForm } from './json';
import { mayLackDigits } from './decimal';
import { unusable, type EntryRules, type ValueField } from './kind';

const EMPTY_ADVICE = "Select 'Ignore' or 'Clear the Field' in 'Empty Values'.";

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
	const reason = whyUnusable(entered);
	if (reason !== undefined) throw unusable(field, entered, reason);
	const { kind } = field;
	if (entered === '' || (typeof entered === 'string' && !kind.isText && isBlank(entered))) {
		if (rules.emptyValues === 'clear') return null;
		if (rules.emptyValues === 'ignore') return undefined;
		if (kind.isText) return '';
		if (rules.addsFields) return undefined;
		throw new InputError(`Field '${field.name}' can't hold empty text`, EMPTY_ADVICE);
	}
	const sent = kind.enter(entered, field, rules);
	if (sent !== undefined) return jsonForm(sent);
	const form = jsonForm(entered);
	const isOne = typeof form !== 'object' || form === null;
	throw unusable(field, entered, isOne ? kind.accepts(entered, field, rules) : oneOf(form, kind));
}

/** The name of a condition's value in messages. */
export const VALUE_LABEL = "'Value' in a condition of 'Filters'";

/** n8n's text for a date that doesn't exist. */
const NO_DATE = 'Invalid DateTime';

/**
 * The way out for a value, or a list with a value, that no field can hold, whatever its kind.
 *
 * @returns undefined if some field may hold it
 */
export function whyUnusable(entered: unknown): string | undefined {
	const values = [entered].flat();
	if (values.includes(NO_DATE)) {
		return "The value is a date that couldn't be read. Check its expression.";
	}
	if (values.some(mayLackDigits)) {
		return 'This number has too many digits to be exact. Enter it as text.';
	}
	if (isSendable(entered)) return undefined;
	return 'Enter text, finite numbers, valid dates, or lists and objects of these.';
}

/** Says how to get one value from a list or an object. */
function oneOf(value: object, { isText }: ValueField['kind']): string {
	const isList = Array.isArray(value);
	const what = isList
		? 'This is a list. Enter one of its entries'
		: 'This is an object. Enter one of its values';
	const example = isList ? '{{ $json.tags[0] }}' : '{{ $json.status.value }}';
	if (!isText) return `${what}, for example ${example}.`;
	const whole = isList
		? "join them: {{ $json.tags.join(', ') }}"
		: 'its JSON: {{ JSON.stringify($json.status) }}';
	return `${what}, for example ${example}, or ${whole}.`;
}

/**
 * Converts an entered value to the value that stored ones are compared with.
 *
 * @throws InputError for a value that the field can't hold, because no record could match it
 */
export function enterOperand(field: ValueField, entered: unknown, rules: EntryRules): unknown {
	let refusal: unknown = unusable(field, entered, field.kind.accepts(entered, field, rules));
	try {
		const value = enter(field, entered, rules);
		if (!isEmpty(value) && field.kind.read(value, field, rules.zone) !== undefined) return value;
	} catch (error) {
		refusal = error;
	}
	if (!(refusal instanceof InputError)) throw refusal;
	throw new InputError(`${refusal.message} (${VALUE_LABEL})`, refusal.description);
}

/** The entered values of conditions: one value, a list, or a number of days. */
import { InputError } from './inputError';
import { plainNumber, showValue } from './messageText';
import { isChoice } from './choices';
import { isBlank } from './emptyValue';
import { VALUE_LABEL, whyUnusable } from './entry';
import type { ValueField } from './kind';
import { parseJsonText, jsonForm } from './json';

/** The error for a condition without a value. */
export const noValue = (): InputError =>
	new InputError(
		"'Value' is empty in a condition of 'Filters'",
		"Enter a value to compare with, or select the condition 'Is Empty' or 'Is Not Empty'.",
	);

/**
 * Reads the entered list. @throws InputError for an empty list, an empty entry, or text that may be one or
 * several values
 */
export function listOf(
	entered: unknown,
	options: ValueField['options'],
	isExact: boolean | undefined,
): readonly unknown[] {
	const json = typeof entered === 'string' ? parseJsonText(entered) : undefined;
	const given = Array.isArray(json) ? json : entered;
	if (isExact && typeof given === 'string' && given.includes(',')) {
		throw new InputError(
			`${VALUE_LABEL} may be one value with commas or several`,
			'Records are changed, so enter a list, for example ["a", "b"], or one value without commas.',
		);
	}
	const list: readonly unknown[] =
		typeof given === 'string' && !isExact && !isChoice(options, given)
			? given.split(',').map((part) => part.trim())
			: [given].flat();
	if (list.length === 0) throw noValue();
	requireEntries(list);
	return list;
}

/** @throws InputError for an empty entry */
export function requireEntries(list: readonly unknown[]): void {
	if (!list.some(isBlank)) return;
	throw new InputError(
		`${VALUE_LABEL} has an empty entry`,
		"Remove it, or add a condition 'Is Empty' for records without a value.",
	);
}

/** @throws InputError for a value that no field can hold, such as a date that can't be read */
export function requireUsable(entered: unknown): void {
	const reason = whyUnusable(entered);
	if (reason === undefined) return;
	throw new InputError(`${VALUE_LABEL} can't be ${showValue(entered)}`, reason);
}

/**
 * The JSON form of the entered value. @throws InputError for a list or an object, because nobody means
 * their text
 */
export function single(entered: unknown): unknown {
	const form = jsonForm(entered);
	if (typeof form !== 'object') return form;
	throw new InputError(
		`${VALUE_LABEL} can't be ${showValue(entered)}`,
		'Enter one value: text, a number, true or false, or a date. To compare with several, add a condition for each.',
	);
}

/** The entered number of days. @throws InputError */
export function daysOf(entered: unknown): number {
	const count = typeof entered === 'boolean' ? NaN : plainNumber(entered);
	if (Number.isInteger(count) && count > 0) return count;
	throw notDays(entered);
}

/** The error for an invalid number of days. */
export const notDays = (entered: unknown): InputError =>
	new InputError(
		`${VALUE_LABEL} can't be ${showValue(entered)}`,
		'Enter a number of days: 1 is today, 7 is a week with today.',
	);

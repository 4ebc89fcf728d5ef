/** The conditions by which records are filtered: entered values are compared with values of records. */
import { findChoice } from './choices';
import { compareValues, isEmpty, isTyped, orderable, sameness } from './comparison';
import type { Field } from '../answer/field';
import { InputError } from '../inputError';
import { isObject } from '../answer/shapes';
import { parseEnteredTime, parseTime, type ToUtc } from '../time';
import { jsonForm, toFieldValue, unusable } from './values';

/** The conditions that Get Many can filter by, as the node's parameter calls them. */
export const CONDITIONS = [
	'equals',
	'notEquals',
	'contains',
	'notContains',
	'startsWith',
	'endsWith',
	'greaterThan',
	'greaterOrEqual',
	'lessThan',
	'lessOrEqual',
	'isEmpty',
	'isNotEmpty',
] as const;

export type Condition = (typeof CONDITIONS)[number];

/** Whether a record value meets a condition. */
export type Test = (actual: unknown) => boolean;

const asText = (value: unknown): string =>
	typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** NaN if it is not a number; neither is a blank text. */
const asNumber = (value: unknown): number => (asText(value).trim() === '' ? NaN : Number(value));

/** The members of a list, or the value itself: a list meets a condition if one member does. */
const members = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const ISO_TIMESTAMP = /^\d{4}-\d{2}-\d{2}T/;
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The part of a field that comparing with its values needs to know. */
export type FilteredField = Pick<Field, 'name' | 'kind' | 'options'>;

/** The value that a condition compares with. */
interface Expected {
	field: FilteredField;
	/** As entered; dates as JSON has them. */
	value: unknown;
	toUtc: ToUtc;
}

/**
 * Orders two values of a field of unknown type: numbers as numbers (also when one is numeric
 * text), points in time by time, others as text. Undefined where they cannot be ordered: lists,
 * objects and empty values.
 */
function compareAny(actual: unknown, expected: unknown, toUtc: ToUtc): number | undefined {
	if (isEmpty(actual) || isEmpty(expected)) return undefined;
	if (typeof actual === 'object' || typeof expected === 'object') return undefined;
	if (typeof actual === 'number' || typeof actual === 'boolean') {
		const number = asNumber(expected);
		return Number.isNaN(number) ? undefined : Number(actual) - number;
	}
	if (typeof expected === 'number') {
		const number = asNumber(actual);
		if (!Number.isNaN(number)) return number - expected;
	}
	const a = String(actual);
	const entered = String(expected);
	const b = ISO_DAY.test(a) && ISO_TIMESTAMP.test(entered) ? entered.slice(0, 10) : entered;
	if (ISO_TIMESTAMP.test(a)) {
		const [left, right] = [parseTime(a), parseEnteredTime(b, toUtc)];
		if (left !== undefined && right !== undefined) return left - right;
	}
	return a === b ? 0 : a < b ? -1 : 1;
}

const compare = (actual: unknown, { field, value, toUtc }: Expected): number | undefined =>
	isTyped(field) ? compareValues(field, actual, value) : compareAny(actual, value, toUtc);

function equal(actual: unknown, expected: Expected): boolean {
	const { field, value } = expected;
	if (isEmpty(value)) return isEmpty(actual);
	if (isTyped(field)) {
		return Array.isArray(actual) && !Array.isArray(value)
			? actual.some((member) => equal(member, expected))
			: sameness(field, actual) === sameness(field, value);
	}
	if (Array.isArray(actual)) {
		return Array.isArray(value)
			? JSON.stringify(actual) === JSON.stringify(value)
			: actual.some((member) => equal(member, expected));
	}
	if (typeof actual === 'boolean') return String(actual) === asText(value).trim().toLowerCase();
	if (isObject(actual) || isObject(value)) return asText(actual) === asText(value);
	return compare(actual, expected) === 0;
}

const fold = (text: string): string => text.toLowerCase();

/** The texts of one member of a value: a choice is known by its label, too. */
function textsOf(member: unknown, { options }: FilteredField): string[] {
	const text = asText(member);
	const label = options.length > 0 ? findChoice(options, text)?.label : undefined;
	return [text, label ?? text].map(fold);
}

/** A condition about the text of a value, or of one member of a list. */
const textual =
	(accepts: (text: string, part: string) => boolean) =>
	(actual: unknown, { field, value }: Expected): boolean => {
		const part = fold(asText(value));
		return members(actual).some(
			(member) => !isEmpty(member) && textsOf(member, field).some((text) => accepts(text, part)),
		);
	};

const includes = textual((text, part) => text.includes(part));

const ordered =
	(accepts: (order: number) => boolean) =>
	(actual: unknown, expected: Expected): boolean =>
		members(actual).some((member) => {
			const order = compare(member, expected);
			return order !== undefined && accepts(order);
		});

const TESTS: Record<Condition, (actual: unknown, expected: Expected) => boolean> = {
	equals: equal,
	notEquals: (actual, expected) => !equal(actual, expected),
	contains: includes,
	notContains: (actual, expected) => !includes(actual, expected),
	startsWith: textual((text, part) => text.startsWith(part)),
	endsWith: textual((text, part) => text.endsWith(part)),
	greaterThan: ordered((order) => order > 0),
	greaterOrEqual: ordered((order) => order >= 0),
	lessThan: ordered((order) => order < 0),
	lessOrEqual: ordered((order) => order <= 0),
	isEmpty,
	isNotEmpty: (actual) => !isEmpty(actual),
};

const NEEDS_VALUE: readonly Condition[] = [
	'contains',
	'notContains',
	'startsWith',
	'endsWith',
	'greaterThan',
	'greaterOrEqual',
	'lessThan',
	'lessOrEqual',
];

/** Conditions about the whole value: the value to compare with must fit the field. */
const COMPARES_VALUES: readonly Condition[] = [
	'equals',
	'notEquals',
	'greaterThan',
	'greaterOrEqual',
	'lessThan',
	'lessOrEqual',
];

/**
 * The entered value, converted for the field: read as in writing, so that the same spellings are known.
 *
 * @throws InputError for a value that the field cannot hold: no record would ever meet the condition
 */
function readExpected(field: FilteredField, entered: unknown, toUtc: ToUtc): unknown {
	if (!isTyped(field) || isEmpty(entered)) return jsonForm(entered);
	const value = toFieldValue(field, entered, { emptyValues: 'send', toUtc });
	const list = Array.isArray(value) ? value : [value];
	if (list.some((member) => orderable(field, member) === undefined)) {
		throw unusable(field, entered);
	}
	// One choice as a text asks for records that have it, a list for records that have just these.
	return typeof entered === 'string' && list.length === 1 ? list[0] : value;
}

/**
 * The test of one condition. Text is compared without regard to case in the conditions about parts
 * of a text, and exactly in `equals`; choices, numbers, dates and times as values of the field's type.
 *
 * @param expected the value entered; `equals` with nothing entered means "is empty"
 * @param toUtc as the workflow's time zone means a time without an offset
 * @throws InputError for an unknown condition, or when a value is needed and none was entered, or the
 * field cannot hold the value
 */
export function conditionTest(
	condition: string,
	expected: unknown,
	field: FilteredField,
	toUtc: ToUtc,
): Test {
	const known = CONDITIONS.find((name) => name === condition);
	if (!known) {
		throw new InputError(
			`'Condition' cannot be '${condition}'`,
			`Choose one of: ${CONDITIONS.join(', ')}.`,
		);
	}
	if (NEEDS_VALUE.includes(known) && isEmpty(expected)) {
		throw new InputError(
			"'Value' is empty in a condition of 'Filters'",
			"Enter a value to compare with, or choose the condition 'Is Empty' or 'Is Not Empty'.",
		);
	}
	const value = COMPARES_VALUES.includes(known)
		? readExpected(field, expected, toUtc)
		: entryText(field, expected);
	return (actual) => TESTS[known](actual, { field, value, toUtc });
}

/** The text to look for: of a date in a field of days, its day. */
function entryText(field: FilteredField, entered: unknown): unknown {
	const text = jsonForm(entered);
	return field.kind === 'date' && typeof text === 'string' && ISO_TIMESTAMP.test(text)
		? text.slice(0, 10)
		: text;
}

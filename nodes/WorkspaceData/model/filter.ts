import { InputError } from './inputError';
import { isObject } from './shapes';
import { parseEnteredTime, parseTime, type ToUtc } from './time';

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

/** No value at all: missing, null, empty text or an empty list. `false` and `0` are values. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	value === '' ||
	(Array.isArray(value) && value.length === 0);

const asText = (value: unknown): string =>
	typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** NaN for what is no number; a blank text is none. */
const asNumber = (value: unknown): number => (asText(value).trim() === '' ? NaN : Number(value));

/** The members of a list, or the value itself: a list meets a condition if one member does. */
const members = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const ISO_TIMESTAMP = /^\d{4}-\d{2}-\d{2}T/;

/**
 * Orders two values: numbers as numbers (also when one is numeric text), points in time by time,
 * all else as text. Undefined where they cannot be ordered: lists and objects, and what is empty.
 */
function compare(actual: unknown, expected: unknown, toUtc: ToUtc): number | undefined {
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
	const [a, b] = [String(actual), String(expected)];
	if (ISO_TIMESTAMP.test(a)) {
		const [left, right] = [parseTime(a), parseEnteredTime(b, toUtc)];
		if (left !== undefined && right !== undefined) return left - right;
	}
	return a === b ? 0 : a < b ? -1 : 1;
}

function equal(actual: unknown, expected: unknown, toUtc: ToUtc): boolean {
	if (isEmpty(expected)) return isEmpty(actual);
	if (Array.isArray(actual)) {
		return Array.isArray(expected)
			? JSON.stringify(actual) === JSON.stringify(expected)
			: actual.some((member) => equal(member, expected, toUtc));
	}
	if (typeof actual === 'boolean') return String(actual) === asText(expected).trim().toLowerCase();
	if (isObject(actual) || isObject(expected)) return asText(actual) === asText(expected);
	return compare(actual, expected, toUtc) === 0;
}

const fold = (text: string): string => text.toLowerCase();

/** A condition about the text of a value, or of one member of a list. */
const textual =
	(accepts: (text: string, part: string) => boolean) =>
	(actual: unknown, expected: unknown): boolean =>
		members(actual).some(
			(member) => !isEmpty(member) && accepts(fold(asText(member)), fold(asText(expected))),
		);

const includes = textual((text, part) => text.includes(part));

const ordered =
	(accepts: (order: number) => boolean) =>
	(actual: unknown, expected: unknown, toUtc: ToUtc): boolean =>
		members(actual).some((member) => {
			const order = compare(member, expected, toUtc);
			return order !== undefined && accepts(order);
		});

const TESTS: Record<Condition, (actual: unknown, expected: unknown, toUtc: ToUtc) => boolean> = {
	equals: equal,
	notEquals: (actual, expected, toUtc) => !equal(actual, expected, toUtc),
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

/**
 * The test of one condition. Text is compared without regard to case in the conditions about parts
 * of a text, and exactly in `equals`.
 *
 * @param expected the value entered; `equals` with nothing entered means "is empty"
 * @param toUtc as the workflow's time zone means a time without an offset
 * @throws InputError for an unknown condition, or when a value is needed and none was entered
 */
export function conditionTest(condition: string, expected: unknown, toUtc: ToUtc): Test {
	const known = CONDITIONS.find((name) => name === condition);
	if (!known) {
		throw new InputError(
			`'Condition' cannot be '${condition}'`,
			`Choose one of ${CONDITIONS.join(', ')}.`,
		);
	}
	if (NEEDS_VALUE.includes(known) && isEmpty(expected)) {
		throw new InputError(
			"'Value' of a filter condition is empty",
			"Enter a value to compare with, or choose the condition 'Is Empty' or 'Is Not Empty'.",
		);
	}
	return (actual) => TESTS[known](actual, expected, toUtc);
}

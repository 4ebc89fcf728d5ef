import { splitChoices } from './choiceList';
import type { Field } from './field';
import { InputError } from './inputError';
import { parseJsonText } from './json';
import { isObject } from './shapes';
import type { ToUtc } from './time';

/** How values are turned into what a field holds. */
export interface ConversionRules {
	/** What `''` does: sent as it is, left out, or sent as null. */
	emptyValues: 'send' | 'ignore' | 'clear';
	/** As the workflow's time zone means it. */
	toUtc: ToUtc;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const MAX_OPTIONS_SHOWN = 20;

const hasJsonForm = (value: unknown): value is { toJSON(): unknown } =>
	isObject(value) && typeof value.toJSON === 'function';

/**
 * What JSON makes of an object that decides that itself: dates, also those of Luxon and of Code nodes,
 * whose class is another one.
 */
const jsonForm = (value: unknown): unknown => (hasJsonForm(value) ? value.toJSON() : value);

/**
 * Whether JSON can carry a value. What it cannot carry would arrive as null and clear the field, or
 * not arrive at all.
 */
function isSendable(value: unknown): boolean {
	if (value === undefined) return true;
	if (typeof value === 'number') return Number.isFinite(value);
	if (hasJsonForm(value)) {
		const form = value.toJSON();
		return form !== null && isSendable(form);
	}
	if (typeof value === 'object' && value !== null) return Object.values(value).every(isSendable);
	return value === null || typeof value === 'string' || typeof value === 'boolean';
}

/** What JSON cannot carry as the text of it, all else as it is. */
const readable = (part: unknown): unknown =>
	isSendable(part) || (typeof part === 'object' && !hasJsonForm(part)) ? part : String(part);

/** A value in a message: short, and readable as what it is. */
function show(value: unknown): string {
	const whole = readable(value);
	const text =
		whole === value
			? JSON.stringify(value, (_key, part: unknown) => readable(part))
			: String(whole);
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const unusable = (field: Field, value: unknown, expected: string) =>
	new InputError(`Field '${field.name}' cannot hold ${show(value)}`, expected);

function toNumber(field: Field, value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const text = value.trim();
	const number = NUMBER.test(text) ? Number(text) : NaN;
	if (!Number.isFinite(number)) {
		throw unusable(
			field,
			value,
			'Enter a number such as 12 or 12.5, with a point and no separators.',
		);
	}
	if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number)) {
		throw unusable(
			field,
			value,
			'A number field keeps whole numbers up to 9007199254740991 exactly. Use a text field for longer ones.',
		);
	}
	return number;
}

function toBoolean(field: Field, value: unknown): unknown {
	if (value === 1 || value === 0) return value === 1;
	if (typeof value !== 'string') return value;
	const text = value.trim().toLowerCase();
	if (text === 'true' || text === '1') return true;
	if (text === 'false' || text === '0') return false;
	throw unusable(field, value, 'Enter true or false.');
}

/** Whether year, month and day name a day that exists. */
function isCalendarDay(text: string): boolean {
	const [, year, month, day] = DATE.exec(text) ?? [];
	const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
}

function toTimestampText(field: Field, value: unknown, expected: string): string {
	const text = jsonForm(value);
	if (typeof text !== 'string' || !TIMESTAMP.test(text.trim()) || !isCalendarDay(text.trim())) {
		throw unusable(field, value, expected);
	}
	return text.trim();
}

/** The day as written: a timestamp gives its own calendar day, whatever the offset. */
function toDate(field: Field, value: unknown): string {
	return toTimestampText(
		field,
		value,
		'Enter a date as YYYY-MM-DD, for example 2026-03-31, or an ISO 8601 timestamp.',
	).slice(0, 10);
}

function toDateTime(field: Field, value: unknown, rules: ConversionRules): string {
	const expected = 'Enter an ISO 8601 timestamp, for example 2026-03-31T14:30:00Z.';
	const text = toTimestampText(field, value, expected);
	const isAbsolute = /(Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10));
	if (isAbsolute && !Number.isNaN(Date.parse(text))) return text;
	const utc = isAbsolute ? undefined : rules.toUtc(text.replace(' ', 'T'));
	if (utc === undefined) throw unusable(field, value, expected);
	return utc;
}

/** The spelling under which the listing knows a choice; any of its spellings may be given. */
function toChoice(field: Field, value: unknown): unknown {
	if (typeof value !== 'string' && typeof value !== 'number') return value;
	const text = String(value);
	const spellings = field.options.flatMap(({ values }) => values);
	if (spellings.length === 0 || spellings.includes(text)) return value;
	const wanted = text.trim().toLowerCase();
	const [meant, ...others] = field.options.flatMap(
		({ values }) => values.find((known) => known.toLowerCase() === wanted) ?? [],
	);
	if (meant !== undefined && others.length === 0) return meant;
	const labels = field.options.map(({ label }) => `'${label}'`);
	const shown = labels.slice(0, MAX_OPTIONS_SHOWN).join(', ');
	const more =
		labels.length > MAX_OPTIONS_SHOWN ? ` and ${labels.length - MAX_OPTIONS_SHOWN} more` : '';
	throw unusable(field, value, `Allowed values are ${shown}${more}.`);
}

function toChoices(field: Field, value: unknown): unknown {
	if (typeof value === 'string') {
		const spellings = new Set(
			field.options.flatMap(({ values }) => values.map((known) => known.toLowerCase())),
		);
		const knows = (text: string) => spellings.has(text.toLowerCase());
		const list = parseJsonText(value);
		if (Array.isArray(list)) return toChoices(field, list);
		return splitChoices(value, knows).map((part) => toChoice(field, part));
	}
	return Array.isArray(value) ? value.map((choice) => toChoice(field, choice)) : value;
}

/** Text that is a JSON object or list becomes what it says: the editor gives such values as text. */
function toJson(value: unknown): unknown {
	return typeof value === 'string' ? (parseJsonText(value) ?? value) : value;
}

function convert(field: Field, value: unknown, rules: ConversionRules): unknown {
	switch (field.type) {
		case 'number':
			return toNumber(field, value);
		case 'boolean':
			return toBoolean(field, value);
		case 'date':
			return toDate(field, value);
		case 'datetime':
			return toDateTime(field, value, rules);
		case 'single_select':
			return toChoice(field, value);
		case 'multi_select':
			return toChoices(field, value);
		case 'json':
			return toJson(value);
		default:
			return value;
	}
}

/**
 * Turns an entered value into what the service is sent for a field. `null` clears, `false`, `0` and
 * `''` are values, `undefined` leaves the field alone. Values of unknown field types, and values that
 * are already of the right kind, pass as they are.
 *
 * @returns the value to send, or undefined where nothing is to be sent
 * @throws InputError naming the field and what it accepts
 */
export function toFieldValue(field: Field, value: unknown, rules: ConversionRules): unknown {
	if (value === undefined || value === null) return value;
	if (value === '') {
		return { send: '', ignore: undefined, clear: null }[rules.emptyValues];
	}
	const converted = convert(field, value, rules);
	if (isSendable(converted)) return converted;
	throw unusable(
		field,
		converted,
		'Enter texts, finite numbers, dates, or lists and objects of them.',
	);
}

import { splitChoices } from './choiceText';
import { findChoice } from './choices';
import type { Field } from '../answer/field';
import { plainTypeName, type FieldKind } from './fieldKind';
import { InputError } from '../inputError';
import { parseJsonText } from '../answer/json';
import { isObject } from '../answer/shapes';
import { EXACT_DIGITS, isCalendarDay, isDay, isPlainNumber } from './spelling';
import type { ToUtc } from '../time';

/** How entered values are converted to values of a field. */
export interface ConversionRules {
	/** How `''` is treated: sent unchanged, left out, or sent as null. */
	emptyValues: 'send' | 'ignore' | 'clear';
	/** As the workflow's time zone means it. */
	toUtc: ToUtc;
	/** Whether values are made to fit: others as text in a text field, `''` left out where a field refuses it. */
	fits?: boolean;
	/** Whether a text is refused that the field would keep in part only: `007` as 7, a time as its day. */
	exact?: boolean;
	/** Further advice for a choice that the field does not have. */
	choiceAdvice?: string;
}

/** The part of a field that converting a value needs to know. */
export type ValueField = Pick<Field, 'name' | 'kind' | 'options'> & Partial<Pick<Field, 'type'>>;

/** The values that fields of some types accept, for messages. */
const EXPECTED: Partial<Record<FieldKind, string>> = {
	number:
		'Enter a number such as 12 or 12.5, with a decimal point and without thousands separators.',
	boolean: 'Enter true or false.',
	date: 'Enter a date as YYYY-MM-DD, for example 2026-03-31, or an ISO 8601 timestamp.',
	datetime: 'Enter an ISO 8601 timestamp, for example 2026-03-31T14:30:00Z.',
};

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const MAX_OPTIONS_SHOWN = 20;

const hasJsonForm = (value: unknown): value is { toJSON(): unknown } =>
	isObject(value) && typeof value.toJSON === 'function';

/**
 * The JSON form of an object that defines it itself: dates, including Luxon's and those of Code nodes,
 * which have a `Date` class of their own.
 */
export const jsonForm = (value: unknown): unknown => (hasJsonForm(value) ? value.toJSON() : value);

/** Any value as text, without loss: lists and objects as JSON. */
export function textOf(value: unknown): string {
	const form = jsonForm(value);
	return typeof form === 'object' && form !== null ? JSON.stringify(form) : String(form);
}

/**
 * Whether JSON can carry a value. Other values would arrive as null and clear the field, or
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

/** Values that JSON cannot hold, as text; others unchanged. */
const readable = (part: unknown): unknown =>
	isSendable(part) || (typeof part === 'object' && !hasJsonForm(part)) ? part : String(part);

/** A value in a message: short and readable. */
function show(value: unknown): string {
	const whole = readable(value);
	const text =
		whole === value
			? JSON.stringify(value, (_key, part: unknown) => readable(part))
			: String(whole);
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The refusal of a value. @param expected a sentence that says which values the field accepts */
export const unusable = (
	field: ValueField,
	value: unknown,
	expected = EXPECTED[field.kind] ?? `Enter a value that fits the type of field '${field.name}'.`,
) => new InputError(`Field '${field.name}' cannot hold ${show(value)}`, expected);

/** Whether a number keeps all digits of a text: whole numbers beyond 2^53 would change silently. */
function isExact(text: string, number: number): boolean {
	if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return true;
	const [mantissa = '', exponent] = text.toLowerCase().split('e');
	const digits = mantissa.replace(/[+.-]/g, '').replace(/^0+|0+$/g, '');
	return exponent !== undefined && digits.length <= EXACT_DIGITS;
}

function toNumber(field: ValueField, value: unknown, rules: ConversionRules): unknown {
	if (typeof value !== 'string') return value;
	const text = value.trim();
	const number = NUMBER.test(text) ? Number(text) : NaN;
	if (!Number.isFinite(number)) {
		throw unusable(field, value);
	}
	if (rules.exact && !isPlainNumber(value)) {
		throw unusable(field, value, `As a number it would become ${number}. Use a text field for it.`);
	}
	if (!isExact(text, number)) {
		throw unusable(
			field,
			value,
			'A number field is exact only up to 9007199254740991. Use a text field for longer numbers.',
		);
	}
	return number;
}

function toBoolean(field: ValueField, value: unknown): unknown {
	if (value === 1 || value === 0) return value === 1;
	if (typeof value !== 'string') return value;
	const text = value.trim().toLowerCase();
	if (text === 'true' || text === '1') return true;
	if (text === 'false' || text === '0') return false;
	throw unusable(field, value);
}

function toTimestampText(field: ValueField, value: unknown): string {
	const text = jsonForm(value);
	if (typeof text !== 'string' || !TIMESTAMP.test(text.trim()) || !isCalendarDay(text.trim())) {
		throw unusable(field, value);
	}
	return text.trim();
}

/** The day as written: a timestamp gives its own calendar day, whatever the offset. */
function toDate(field: ValueField, value: unknown, rules: ConversionRules): string {
	const text = toTimestampText(field, value);
	if (!rules.exact || isDay(text)) return text.slice(0, 10);
	throw unusable(field, value, `The field keeps ${text.slice(0, 10)} only. Use a field for times.`);
}

function toDateTime(field: ValueField, value: unknown, rules: ConversionRules): string {
	const text = toTimestampText(field, value);
	const isAbsolute = /(Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10));
	if (isAbsolute && !Number.isNaN(Date.parse(text))) return text;
	const utc = isAbsolute ? undefined : rules.toUtc(text.replace(' ', 'T'));
	if (utc === undefined) throw unusable(field, value);
	return utc;
}

/** The choices of a field in a message, as many as can be read. */
function allowedChoices({ options }: ValueField): string {
	const labels = options.map(({ label }) => `'${label}'`);
	const shown = labels.slice(0, MAX_OPTIONS_SHOWN).join(', ');
	const more =
		labels.length > MAX_OPTIONS_SHOWN ? ` and ${labels.length - MAX_OPTIONS_SHOWN} more` : '';
	return labels.length > 0 ? `Allowed values are ${shown}${more}.` : 'Enter at least one value.';
}

/** The value that records hold for the choice that a value names; any of its spellings may be given. */
function toChoice(field: ValueField, value: unknown, rules: ConversionRules): unknown {
	if ((typeof value !== 'string' && typeof value !== 'number') || field.options.length === 0) {
		return value;
	}
	const text = String(value);
	const choice = findChoice(field.options, text);
	if (!choice) {
		throw unusable(
			field,
			value,
			[allowedChoices(field), rules.choiceAdvice].filter(Boolean).join(' '),
		);
	}
	if (choice.sent !== undefined) return choice.sent;
	if (choice.values.includes(text)) return value;
	const wanted = text.trim().toLowerCase();
	return choice.values.find((known) => known.toLowerCase().trim() === wanted) ?? choice.label;
}

/** The choices that a value for several names, one by one; undefined where it is no list of any kind. */
export function listedChoices(
	{ options }: Pick<Field, 'options'>,
	value: unknown,
): unknown[] | undefined {
	if (typeof value !== 'string') return Array.isArray(value) ? value : undefined;
	const json = parseJsonText(value);
	if (Array.isArray(json)) return json;
	const spellings = new Set(
		options.flatMap(({ values }) => values.map((known) => known.toLowerCase())),
	);
	return splitChoices(value, (text) => spellings.has(text.toLowerCase()));
}

function toChoices(field: ValueField, value: unknown, rules: ConversionRules): unknown {
	const list = listedChoices(field, value);
	// The text `[]` is an empty list; one without a choice is no list at all.
	if (list?.length === 0 && typeof value === 'string' && !value.includes('[')) {
		throw unusable(field, value, `${allowedChoices(field)} An empty list clears the field.`);
	}
	return list?.map((choice) => toChoice(field, choice, rules)) ?? value;
}

/** Parses text that is a JSON object or list: the editor gives such values as text. */
function toJson(value: unknown): unknown {
	return typeof value === 'string' ? (parseJsonText(value) ?? value) : value;
}

function convert(field: ValueField, value: unknown, rules: ConversionRules): unknown {
	switch (field.kind) {
		case 'number':
			return toNumber(field, value, rules);
		case 'boolean':
			return toBoolean(field, value);
		case 'date':
			return toDate(field, value, rules);
		case 'datetime':
			return toDateTime(field, value, rules);
		case 'choice':
			return toChoice(field, value, rules);
		case 'choices':
			return toChoices(field, value, rules);
		case 'json':
			return toJson(value);
		case 'text':
			return rules.fits && typeof value !== 'string' ? textOf(value) : value;
		default:
			return value;
	}
}

/** Types of text whose fields refuse an empty one. */
const NEVER_EMPTY = ['email', 'url'];

const holdsEmptyText = ({ kind, type = '' }: ValueField): boolean =>
	kind === 'unknown' || (kind === 'text' && !NEVER_EMPTY.includes(plainTypeName(type)));

/**
 * Converts an entered value to the value that is sent for a field. `null` clears, `false`, `0` and
 * `''` are values, `undefined` changes nothing. Values of unknown field types, and values that
 * are already of the right kind, pass unchanged.
 *
 * @returns the value to send; undefined to send none
 * @throws InputError that names the field and the values it accepts
 */
export function toFieldValue(field: ValueField, value: unknown, rules: ConversionRules): unknown {
	if (value === undefined || value === null) return value;
	if (value === '') {
		if (rules.fits && rules.emptyValues === 'send' && !holdsEmptyText(field)) return undefined;
		return { send: '', ignore: undefined, clear: null }[rules.emptyValues];
	}
	const converted = convert(field, value, rules);
	if (isSendable(converted)) return converted;
	throw unusable(
		field,
		converted,
		'Enter text, finite numbers, dates, or lists and objects of these.',
	);
}

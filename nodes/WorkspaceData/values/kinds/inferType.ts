/** Infers the type that a field needs to hold the values of a column without loss, and names types as a service does. */
import { isDecimal } from '../decimal';
import { isBlank } from '../emptyValue';
import { whyUnusable } from '../entry';
import {
	isDayInParts,
	numberHint,
	numberReadings,
	toBooleanText,
	toNumberText,
	toTimeText,
	type Formats,
} from '../formats';
import { kindOfType } from './allKinds';
import { plainTypeName } from '../kind';
import { quote } from '../messageText';
import { foldCase } from '../nameSpelling';
import { jsonForm, textOf } from '../json';
import type { Zone } from '../time';
import { dayOf, isDate, isDay, readTimestamp } from '../timestamp';

/** The type of a field, and the reason for it. */
interface Inference {
	/** The name in the service's description. */
	type: string;
	/** For the user, such as the value that rules out another type. */
	why: string;
}

/** A type other than text, which is inferred if it fits all values. */
interface InferredType {
	type: string;
	/** The word for one value in messages. */
	one: string;
	/** The text in the usual format; undefined if it can't become such a value and return unchanged. */
	fromText(text: string, formats: Formats): string | undefined;
	/** Returns true if a value that isn't text is such a value. */
	fits?(value: unknown): boolean;
}

/** Text with leading zeros, an exponent or more than 15 digits may be a code: a number wouldn't keep it. */
const PLAIN_NUMBER = /^(?!-0(?:\.0*)?$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MAX_DIGITS = 15;

/** Not every service keeps more than milliseconds, and a time without an offset differs between zones. */
const KEPT_EVERYWHERE =
	/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A value of a format, if it has the form. */
const only = (value: unknown, hasForm: (text: string) => boolean): string | undefined =>
	typeof value === 'string' && hasForm(value) ? value : undefined;

/** Numbers are Excel's days only in fields that are dates. */
const timeOf = (text: string, formats: Formats): unknown =>
	formats.date === 'excel' ? text : toTimeText(text, formats);

/** The narrowest first. */
const INFERRED: readonly InferredType[] = [
	{
		type: 'boolean',
		one: 'true or false',
		fromText: (text, formats) =>
			only(toBooleanText(text, formats), (word) => /^(?:true|false)$/i.test(word)),
		fits: (value) => typeof value === 'boolean',
	},
	{
		type: 'number',
		one: 'a number',
		fromText: (text, formats) =>
			only(
				toNumberText(text, formats),
				(plain) => PLAIN_NUMBER.test(plain) && plain.replace(/\D/g, '').length <= MAX_DIGITS,
			),
		fits: (value) => typeof value === 'number',
	},
	{ type: 'date', one: 'a day', fromText: (text, formats) => only(timeOf(text, formats), isDay) },
	{
		type: 'datetime',
		one: 'a time with an offset',
		fromText: (text, formats) =>
			only(
				timeOf(text, formats),
				(time) => KEPT_EVERYWHERE.test(time) && readTimestamp(time) !== undefined,
			),
	},
];

/**
 * Infers the type of a field that holds all these values, so that each can be read back unchanged. If a
 * value fits no other type, the field is a text field, and other values are sent as text.
 *
 * @param values the values of all items; empty ones, and those that no field can hold, are ignored
 * @param formats the formats of numbers, days, and yes or no in text
 * @param zone a `Date` at midnight of this zone, or of UTC, is a day
 */
export function inferType(
	values: readonly unknown[],
	formats: Formats | undefined,
	zone: Zone,
): Inference {
	const given = values.filter(
		(value) => (Array.isArray(value) || !isBlank(value)) && whyUnusable(value) === undefined,
	);
	if (given.length === 0) return { type: 'text', why: 'no item has a value' };
	if (given.every((value) => isDate(value) && dayOf(value, zone) !== undefined)) {
		return { type: 'date', why: 'each is a day' };
	}
	const filled = given.map(jsonForm);
	const [first] = filled;
	if (filled.every((value) => typeof value === 'string')) return fromTexts(filled, formats ?? {});
	if (filled.every((value) => typeof value === 'object')) {
		return { type: 'json', why: filled.every(Array.isArray) ? 'lists' : 'objects or lists' };
	}
	const fitting = INFERRED.find(({ fits }) => fits && filled.every(fits));
	if (fitting)
		return { type: fitting.type, why: `each is ${fitting.one}, such as ${textOf(first)}` };
	const typeOf = (value: unknown): string =>
		({ object: 'list or object', string: 'text' })[String(typeof value)] ?? typeof value;
	const other = filled.find((value) => typeOf(value) !== typeOf(first));
	return asText(
		filled,
		`${quote(textOf(first))} (${typeOf(first)}) and ${quote(textOf(other))} (${typeOf(other)}) are of different types`,
	);
}

function fromTexts(texts: readonly string[], formats: Formats): Inference {
	let why: string | undefined;
	for (const { type, one, fromText } of INFERRED) {
		const read = texts.map((text) => fromText(text, formats));
		const stranger = texts.find((_, place) => read[place] === undefined);
		if (stranger === undefined) {
			const doubt = type === 'number' ? doubtOf(texts, formats) : undefined;
			if (doubt !== undefined) return asText(texts, doubt);
			return { type, why: eachIs(one, texts[0] ?? '', read[0] ?? '') };
		}
		// The reason names a type that some of the values have.
		if (read.every((text) => text === undefined)) continue;
		const looksLikeOne = type === 'number' ? whyNoNumber(stranger, formats) : undefined;
		why = looksLikeOne ?? `${quote(stranger)} isn't ${one}`;
	}
	return asText(texts, why ?? otherReason(texts, formats));
}

/** The reason for a type, with an example and what becomes of it. */
function eachIs(one: string, example: string, usual: string): string {
	const kept = isDecimal(usual) ? String(Number(usual)) : usual;
	return `each is ${one}, such as ${quote(example)}${kept === example ? '' : ` (${kept})`}`;
}

/** Why text that looks like a number isn't one; undefined if it doesn't look like one. */
function whyNoNumber(text: string, formats: Formats): string | undefined {
	if (formats.number === undefined && isDecimal(text))
		return `${quote(text)} would change as a number`;
	const misfit = `${quote(text)} doesn't fit the selected 'Number Format'`;
	return numberHint(text, formats) ?? (numberReadings(text).length > 0 ? misfit : undefined);
}

/** Why numbers in text may be something else: no value tells whether a sign is that of the decimals. */
function doubtOf(texts: readonly string[], { number }: Formats): string | undefined {
	if (number !== undefined) return undefined;
	const readings = texts.map(numberReadings);
	// One value that can be read in one way only tells the format.
	if (readings.some(({ length }) => length === 1)) return undefined;
	const doubtful = texts.find((_, place) => (readings[place]?.length ?? 0) > 1);
	return doubtful === undefined ? undefined : numberHint(doubtful, {});
}

/** Why text that looks like numbers, days, times, or yes or no isn't read as these. */
function otherReason(texts: readonly string[], formats: Formats): string {
	const number = texts.map((text) => whyNoNumber(text, formats)).find((why) => why !== undefined);
	if (number !== undefined) return number;
	const times = texts.map((text) => readTimestamp(timeOf(text, formats)));
	if (times.every((time) => time?.clock !== undefined && time.offset === undefined)) {
		return "times without an offset stay text: set 'Field Types'";
	}
	const day = texts.find(isDayInParts);
	if (day !== undefined) {
		return formats.date
			? `${quote(day)} doesn't fit the selected 'Date Format'`
			: `${quote(day)} isn't a day like 2026-03-31: select 'Date Format'`;
	}
	const two = new Set(texts.map(foldCase));
	if (formats.words || two.size !== 2 || texts.length < 3) return 'text';
	return `only ${[...two].map(quote).join(' and ')}: for true and false, enter 'Yes and No Words'`;
}

/** Max length of a short text field, in characters: many services have this limit. */
const MAX_TEXT_LENGTH = 255;

/** The text type that holds any values as text. */
function textType(values: readonly unknown[]): string {
	const isLong = values.some((value) => {
		const text = textOf(value);
		return text.length > MAX_TEXT_LENGTH || /[\r\n]/.test(text);
	});
	return isLong ? 'long_text' : 'text';
}

const asText = (values: readonly unknown[], why: string): Inference => ({
	type: textType(values),
	why,
});

/** The types for a service that doesn't list its own. */
export const USUAL_TYPES: readonly string[] = [
	...['boolean', 'number', 'date', 'datetime', 'single_select', 'multi_select'],
	...['json', 'email', 'url', 'long_text', 'text'],
];

/** The service's name for a type that a user entered, in its spelling or by a usual name; undefined if there is none. */
export function offeredName(type: string, offered: readonly string[]): string | undefined {
	const plain = plainTypeName(type);
	const find = (wanted: string) => offered.find((name) => plainTypeName(name) === wanted);
	const { types } = kindOfType(type);
	const synonyms = types.includes(plain) ? types : [];
	return find(plain) ?? synonyms.map(find).find((name) => name !== undefined);
}

/** The service's name for an inferred type, or for the nearest type that loses nothing; `text` if none is known. */
export function offeredType(type: string, offered: readonly string[]): string {
	const textTypes = type === 'json' ? ['long_text', 'text'] : ['text', 'long_text'];
	const names = [type, ...textTypes].map((candidate) => offeredName(candidate, offered));
	return names.find((name) => name !== undefined) ?? 'text';
}

/**
 * Infers the type that a field needs to hold the values of a column without loss. The types are the `newTypes` of
 * the kinds.
 */
import { isDecimal } from './decimal';
import { isBlank } from './emptyValue';
import {
	inUsualSpelling,
	numberReadings,
	readingsHint,
	type Formats,
	type Formatted,
} from './formats';
import { jsonForm, textOf } from './serialization';
import { readTimestamp } from './timestamp';
import { plainTypeName } from './kinds/kind';
import { NEW_TYPES } from './kinds/allKinds';
import { quote } from './messageText';
import { foldCase } from './nameSpelling';

/** The type of a field, and the reason for it. */
export interface Inference {
	/** The name in the service's description. */
	type: string;
	/** For the user, such as the value that rules out another type. */
	why: string;
}

/** Max length of a short text field, in characters: many services have this limit. */
const MAX_TEXT_LENGTH = 255;

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The text type that holds any values as text. */
export function textType(values: readonly unknown[]): string {
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

/** Converts text values to the format that fields of a type read; undefined for an invalid value. */
function spellingsFor(
	type: string,
	texts: readonly string[],
	formats: Formats,
): Array<string | undefined> {
	// Numbers are Excel's days only in fields that are dates.
	const own = formats.date === 'excel' ? { ...formats, date: 'iso' as const } : formats;
	return texts.map((text) => {
		const usual = inUsualSpelling(type, text, own);
		return typeof usual === 'string' ? usual : undefined;
	});
}

/** What text can be as a number in another format; undefined if it is one, or if it can't be one in any. */
function readingsOf(text: string, formats: Formats): string | undefined {
	const readings = isDecimal(text) && formats.number === undefined ? [] : numberReadings(text);
	if (readings.length === 0) return undefined;
	return formats.number ? unfitting(text, 'Number Format') : readingsHint(text, readings);
}

/** Says that text isn't in the format that the user selected. */
const unfitting = (text: string, option: string): string =>
	`${quote(text)} doesn't fit the selected '${option}'`;

/** Explains why text that looks like a number or a day isn't read as one. */
function inOtherFormat(texts: readonly string[], formats: Formats): string | undefined {
	const find = (type: Formatted, other: Formats) =>
		texts.find((text) => inUsualSpelling(type, text, other) !== undefined);
	const number = texts.map((text) => readingsOf(text, formats)).find((hint) => hint);
	if (number !== undefined) return number;
	const day = find('date', { date: 'dayFirst' }) ?? find('date', { date: 'monthFirst' });
	if (day !== undefined && readTimestamp(day) === undefined) {
		return formats.date
			? unfitting(day, 'Date Format')
			: `${quote(day)} isn't a day like 2026-03-31: select 'Date Format'`;
	}
	if (formats.words) return undefined;
	const two = new Set(texts.map(foldCase));
	if (two.size !== 2 || texts.length < 3) return undefined;
	return `only ${[...two].map(quote).join(' and ')}: for true and false, enter 'Yes and No Words'`;
}

/**
 * Text whose points or commas have two meanings, while no format is selected and no other value of the column has only
 * one.
 */
function ambiguousNumber(texts: readonly string[], { number }: Formats): string | undefined {
	if (number !== undefined) return undefined;
	const readings = texts.map(numberReadings);
	const place = readings.findIndex(({ length }) => length > 1);
	return readings.some(({ length }) => length === 1) ? undefined : texts[place];
}

/** Why a value rules out a type that other values have. */
const strangerHint = (text: string, type: string, one?: string): string =>
	type === 'number' && isDecimal(text)
		? `${quote(text)} would change as a number`
		: `${quote(text)} isn't ${one}`;

/** The reason for a type, with an example. @param becomes the example in the usual format */
function eachIs(one: string | undefined, example: string, becomes = example): string {
	const kept = isDecimal(becomes) ? String(Number(becomes)) : becomes;
	return `each is ${one}, such as ${example}${quote(kept) === example ? '' : ` (${kept})`}`;
}

function fromTexts(texts: readonly string[], formats: Formats): Inference {
	let why: string | undefined;
	for (const { type, one, fitsText = () => false, otherFormat } of NEW_TYPES) {
		const spelled = spellingsFor(type, texts, formats);
		const fits = (text: string | undefined) => text !== undefined && fitsText(text);
		const stranger = spelled.findIndex((text) => !fits(text));
		if (stranger >= 0) {
			// The reason names a type that some of the values have.
			const text = texts[stranger] ?? '';
			if (spelled.some(fits)) why = readingsOf(text, formats) ?? strangerHint(text, type, one);
			continue;
		}
		const ambiguous = type === 'number' ? ambiguousNumber(texts, formats) : undefined;
		if (ambiguous !== undefined) {
			return asText(texts, readingsHint(ambiguous, numberReadings(ambiguous)));
		}
		const [first = ''] = texts;
		const other = texts[otherFormat?.(spelled.map(String)) ?? -1];
		if (other === undefined) return { type, why: eachIs(one, quote(first), spelled[0]) };
		return asText(
			texts,
			`each is ${one}, but ${quote(first)} and ${quote(other)} are spelled in different ways`,
		);
	}
	const number = texts.find((text) => isDecimal(text));
	why ??= inOtherFormat(texts, formats);
	if (number !== undefined) why ??= `${quote(number)} would change as a number`;
	return asText(texts, why ?? 'text');
}

/**
 * Infers the type of a field that holds all these values, so that each can be read back unchanged. If a
 * value fits no other type, the field is a text field, and other values are sent as text.
 *
 * @param values the values of all items; empty ones are ignored
 * @param formats the formats of numbers, days, and yes or no in text
 */
export function inferType(values: readonly unknown[], formats: Formats = {}): Inference {
	const filled = values.map(jsonForm).filter((value) => isContainer(value) || !isBlank(value));
	if (filled.length === 0) return { type: 'text', why: 'no item has a value' };
	const [first] = filled;
	if (filled.every((value) => typeof value === 'string')) return fromTexts(filled, formats);
	if (filled.every(isContainer)) {
		return { type: 'json', why: filled.every(Array.isArray) ? 'lists' : 'objects or lists' };
	}
	const fitting = NEW_TYPES.find(({ fitsValue }) => fitsValue && filled.every(fitsValue));
	if (fitting) {
		const { type, one } = fitting;
		return { type, why: `each is ${one}, such as ${textOf(first)}` };
	}
	const kindOf = (value: unknown): string =>
		isContainer(value) ? 'list or object' : typeof value === 'string' ? 'text' : typeof value;
	const other = filled.find((value) => kindOf(value) !== kindOf(first)) ?? first;
	return asText(
		filled,
		`${quote(textOf(first))} (${kindOf(first)}) and ${quote(textOf(other))} (${kindOf(other)}) are of different types`,
	);
}

/** The types for a service that doesn't list its own. */
export const USUAL_TYPES: readonly string[] = NEW_TYPES.map(({ type }) => type);

/** The service's name for a type that a user entered, in its spelling or by a usual name; undefined if there is none. */
export function offeredName(type: string, offered: readonly string[]): string | undefined {
	const plain = plainTypeName(type);
	const own = offered.find((name) => plainTypeName(name) === plain);
	const usual = NEW_TYPES.find(({ names }) => names.includes(plain))?.names ?? [];
	return own ?? offered.find((name) => usual.includes(plainTypeName(name)));
}

/**
 * The service's name for a type, or for the nearest type that loses nothing.
 *
 * @param offered as the service spells them
 * @returns the usual name of the text type if none is known
 */
export function offeredType(
	type: string,
	offered: readonly string[],
): { type: string; name: string } {
	const wanted = NEW_TYPES.find((known) => known.type === type);
	for (const candidate of [type, ...(wanted?.else ?? []), 'text', 'long_text']) {
		for (const plain of NEW_TYPES.find((known) => known.type === candidate)?.names ?? []) {
			const name = offered.find((own) => plainTypeName(own) === plain);
			if (name !== undefined) return { type: candidate, name };
		}
	}
	return { type: 'text', name: 'text' };
}

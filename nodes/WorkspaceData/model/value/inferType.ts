/**
 * Infers the type that a field needs to hold the values of a column without loss. The types are the `newTypes` of
 * the kinds.
 */
import { isDecimal } from './decimal';
import { inUsualSpelling, isExcelDay, type Formats, type Formatted } from './formats';
import { jsonForm, textOf } from './serialization';
import { readTimestamp } from './timestamp';
import { plainTypeName, type NewType } from './kinds/kind';
import { NEW_TYPES } from './kinds/allKinds';
import { quote } from '../names';
import { foldCase } from '../text';

/** The type of a field, and the reason for it. */
export interface Inference {
	/** The name in the service's description. */
	type: string;
	/** For the user: `3 whole numbers`, or the value that rules out another type. */
	why: string;
	/** The choices of a select, in the order of their first use. */
	choices?: string[];
}

/** Min values for a select, max number of its choices, and max length of a choice, in characters. */
const MIN_CHOICE_VALUES = 20;
const MAX_CHOICES = 12;
const MAX_CHOICE_LENGTH = 40;
/** Max length of a short text field, in characters: many services have this limit. */
const MAX_TEXT_LENGTH = 255;

/** Names of columns whose digits aren't amounts: a value in another row may begin with a zero. */
const CODE_NAME =
	/(?:^|[^\p{L}])(?:(?:phone|telephone|telefon|mobile|fax)(?:numbers?|nummer|nr)?|tel|zip(?:codes?)?|postal(?:codes?)?|postcodes?|postleitzahl|plz|iban|isbn|ean|gtin|upc|sku|ssn|vat)(?=[^\p{L}]|$)/iu;
/** Names of columns whose numbers may be Excel's days. */
const DAY_NAME =
	/(?:(?<!\p{L})(?:due|deadline|birthday|born|created|updated|start|end|since|until|fällig|fecha|data|jour|échéance|naissance)|(?<!up)date|datum|day|tag)(?!\p{L})/iu;
/** Returns true for numbers, dates and the like in any spelling: digits, and no letters. */
const isFigures = (text: string): boolean => /\d/.test(text) && !/\p{L}/u.test(text);

/** Empty values say nothing about a type. */
const tells = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/**
 * The choices of a select for these text values, in the order of their first use.
 *
 * @returns undefined if they aren't suitable: too many, too long, figures, or different only in case
 */
function choicesOf(texts: Iterable<string>): string[] | undefined {
	const choices = new Set<string>();
	for (const text of texts) {
		if (choices.has(text)) continue;
		const isChoice =
			text.length <= 2 * MAX_CHOICE_LENGTH &&
			[...text].length <= MAX_CHOICE_LENGTH &&
			text === text.trim() &&
			!/[\r\n]|^\d{4}-\d{2}-\d{2}/.test(text) &&
			!isFigures(text);
		if (!isChoice || choices.size === MAX_CHOICES) return undefined;
		choices.add(text);
	}
	const folded = new Set([...choices].map((choice) => choice.toLowerCase()));
	return folded.size === choices.size && !folded.has('') ? [...choices] : undefined;
}

/** A select with these text values as choices; undefined if there are too few values, or they don't suit. */
function selectOf(
	how: NewType['choices'],
	values: readonly unknown[],
	texts: readonly string[],
): Inference | undefined {
	const choices = values.length < MIN_CHOICE_VALUES ? undefined : choicesOf(texts);
	const type = NEW_TYPES.find((one) => one.choices === how)?.type;
	if (!choices || !type) return undefined;
	return { type, why: `${values.length} values, ${choices.length} different`, choices };
}

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
	// Excel's days are recognized by the name of the column.
	const own = formats.date === 'excel' ? { ...formats, date: 'iso' as const } : formats;
	return texts.map((text) => {
		const usual = inUsualSpelling(type, text, own);
		return typeof usual === 'string' ? usual : undefined;
	});
}

/** Explains why text that looks like a number or a day isn't read as one. */
function otherFormat(texts: readonly string[]): string | undefined {
	const find = (type: Formatted, formats: Formats) =>
		texts.find((text) => inUsualSpelling(type, text, formats) !== undefined);
	const comma = find('number', { number: 'comma' });
	if (comma?.includes(',')) return `${quote(comma)} has a decimal comma: see 'Number Format'`;
	const day = find('date', { date: 'dayFirst' }) ?? find('date', { date: 'monthFirst' });
	if (day !== undefined && readTimestamp(day) === undefined) {
		return `${quote(day)} isn't a day like 2026-03-31: see 'Date Format'`;
	}
	const two = new Set(texts.map(foldCase));
	if (two.size !== 2 || texts.length < 3) return undefined;
	return `only ${[...two].map(quote).join(' and ')}: for true and false, see 'Yes and No Words'`;
}

function fromTexts(words: string, texts: readonly string[], formats: Formats): Inference {
	if (CODE_NAME.test(words) && texts.every(isFigures)) {
		return asText(texts, 'digits under such a name are a code, not an amount');
	}
	let why: string | undefined;
	for (const { type, one, fitsText = () => false, isUniform } of NEW_TYPES) {
		const spelled = spellingsFor(type, texts, formats);
		const fits = (text: string | undefined) => text !== undefined && fitsText(text);
		const stranger = spelled.findIndex((text) => !fits(text));
		if (stranger < 0) {
			if (isUniform?.(spelled.filter((text) => text !== undefined)) ?? true) {
				return { type, why: `each is ${one}` };
			}
			why = `each is ${one}, but they are spelled in different ways`;
			break;
		}
		// The reason names a type that some of the values have.
		if (spelled.some(fits)) why = `${quote(texts[stranger] ?? '')} isn't ${one}`;
	}
	const select = selectOf('one', texts, texts);
	if (select) return select;
	const number = texts.find((text) => isDecimal(text));
	why ??= otherFormat(texts);
	if (number !== undefined) why ??= `${quote(number)} would change as a number`;
	return asText(texts, why ?? 'mixed values');
}

function fromContainers(values: readonly unknown[]): Inference {
	const areLists = values.every((value) => Array.isArray(value));
	const lists = areLists ? values.filter(({ length }) => length > 0) : [];
	const texts = lists.flat().filter((member) => typeof member === 'string');
	const isSet = (list: unknown[]) =>
		new Set(list).size === list.length && list.every((member) => typeof member === 'string');
	const select = lists.every(isSet) ? selectOf('several', lists, texts) : undefined;
	return select ?? { type: 'json', why: areLists ? 'lists' : 'objects or lists' };
}

/**
 * Infers the type of a field that holds all these values, so that each can be read back unchanged. If a
 * value fits no other type, the field is a text field, and other values are sent as text.
 *
 * @param name of the column: digits under `Phone` stay text
 * @param values the values of all items; empty ones are ignored
 * @param formats the formats of numbers, days, and yes or no in text
 */
export function inferType(
	name: string,
	values: readonly unknown[],
	formats: Formats = {},
): Inference {
	const words = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
	const filled = values.map(jsonForm).filter(tells);
	if (filled.length === 0) return { type: 'text', why: 'no item has a value' };
	const [first] = filled;
	if (formats.date === 'excel' && DAY_NAME.test(words) && filled.every(isExcelDay)) {
		const type = filled.every((value) => Number.isInteger(Number(value))) ? 'date' : 'datetime';
		return { type, why: `each is Excel's number for a ${type === 'date' ? 'day' : 'time'}` };
	}
	if (filled.every((value) => typeof value === 'string'))
		return fromTexts(words, filled as string[], formats);
	if (filled.every(isContainer)) return fromContainers(filled);
	const fitting = NEW_TYPES.find(({ fitsValue }) => fitsValue && filled.every(fitsValue));
	if (fitting) return { type: fitting.type, why: `each is ${fitting.one}` };
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

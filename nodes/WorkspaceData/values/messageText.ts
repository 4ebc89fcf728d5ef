/** Text in messages: names and values limited in length, counts, sentences. */
import { isSendable, jsonForm } from './json';

/** Max length of a name in a message, in characters. */
const SHOWN_LENGTH = 80;
/** Max length of a value in a message, in characters. */
const SHOWN_VALUE_LENGTH = 60;

/** Shortens a name for a message. */
export const clip = (name: string): string =>
	name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;

export const quote = (name: string): string => `'${clip(name)}'`;

/** Max names in a message. */
const MAX_LISTED = 20;

/** The first of several names, and how many more there are. */
export function listed(names: readonly string[]): string {
	const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
	return `${names.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** Like `listed`, with each name in quotes. */
export const listedInQuotes = (names: readonly string[]): string => listed(names.map(quote));

/**
 * A number of things in a message: `1 record`, `2 records`. @param noun in the singular; its plural ends in
 * s
 */
export const count = (number: number, noun: string): string =>
	`${number} ${noun}${number === 1 ? '' : 's'}`;

/** Joins sentences, and ends each of them before the next begins. Empty ones are left out. */
export const sentences = (...texts: Array<string | false | undefined>): string =>
	texts
		.filter((text): text is string => Boolean(text))
		.map((text, place, all) =>
			place < all.length - 1 && !/[.!?:…]$/.test(text) ? `${text}.` : text,
		)
		.join(' ');

/** A value in a message: short and readable. What JSON can't hold is text. */
export function showValue(value: unknown): string {
	const isDate = typeof value === 'object' && value !== null && jsonForm(value) === null;
	const text =
		typeof value === 'object' && !isDate
			? JSON.stringify(value, (_key, part: unknown) => readable(part))
			: isSendable(value) && value !== undefined
				? JSON.stringify(value)
				: String(value);
	return text.length > SHOWN_VALUE_LENGTH ? `${text.slice(0, SHOWN_VALUE_LENGTH)}…` : text;
}

const readable = (part: unknown): unknown =>
	typeof part === 'object' || isSendable(part) ? part : String(part);

/**
 * Converts any value of a parameter to text. Objects become JSON, because one with a property called
 * `toString` has no other text.
 */
export const plainText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** The number in a parameter, also if it is text; NaN for all other values. */
export const plainNumber = (value: unknown): number => Number(plainText(value));

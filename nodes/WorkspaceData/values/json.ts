/** JSON: objects, the JSON form of any value, and parsing without losing the digits of long whole numbers. */
import { isLongWhole } from './decimal';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value under a key. Ignores properties that all objects have, such as `constructor`. */
export const ownValue = (object: JsonObject, key: string): unknown =>
	Object.hasOwn(object, key) ? object[key] : undefined;

/** The JSON form of an object that defines one: dates, also Luxon's and those of Code nodes. */
export const jsonForm = (value: unknown): unknown =>
	isObject(value) && typeof value.toJSON === 'function' ? value.toJSON() : value;

/** Any value as text, without loss: lists and objects as JSON. */
export function textOf(value: unknown): string {
	const form = jsonForm(value);
	return typeof form === 'object' && form !== null ? JSON.stringify(form) : String(form);
}

/** JSON with sorted keys. */
export const canonicalJson = (value: unknown): string =>
	JSON.stringify(value, (_key, part: unknown) =>
		isObject(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	) ?? 'null';

/** Returns true if JSON can hold a value. Others would become null and clear the field, or be dropped. */
export function isSendable(value: unknown): boolean {
	const form = jsonForm(value);
	if (form === null) return value === null;
	if (typeof form === 'object') return Object.values(form).every(isSendable);
	if (typeof form === 'number') return Number.isFinite(form);
	return ['string', 'boolean', 'undefined'].includes(typeof form);
}

const LONG_NUMBER = /\d{16}/;

/** A text or a number of JSON. */
const TEXT_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** The JSON with quotes around whole numbers beyond 2^53. */
const quoteLongNumbers = (json: string): string =>
	json.replace(TEXT_OR_NUMBER, (part) => (isLongWhole(part) ? `"${part}"` : part));

/**
 * Parses JSON. Whole numbers beyond 2^53 become text, so that their digits stay.
 *
 * @returns undefined if the text isn't JSON; the value is in an object, because it can be anything
 */
export function tryParse(text: string): { value: unknown } | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return { value: LONG_NUMBER.test(text) ? JSON.parse(quoteLongNumbers(text)) : value };
	} catch {
		return undefined;
	}
}

/** Returns true if parsing keeps all digits of all whole numbers in the text, or if the text isn't JSON. */
export const isExactJson = (text: string): boolean =>
	!LONG_NUMBER.test(text) || quoteLongNumbers(text) === text;

/** Returns true for text that begins like the JSON of an object or a list. */
export const looksLikeJson = (text: string): boolean => /^\s*[{[]/.test(text);

/**
 * Parses text that is a JSON object or list.
 *
 * @returns undefined if the text is anything else; bare JSON values such as `12` are text
 */
export function parseJsonText(text: string): object | undefined {
	return looksLikeJson(text) ? (tryParse(text)?.value as object | undefined) : undefined;
}

/** Parses JSON without losing the digits of long whole numbers. */

const LONG_NUMBER = /\d{16}/;

/** A text or a number of JSON. */
const TEXT_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

const WHOLE = /^-?\d+$/;

const isTooLong = (part: string): boolean =>
	WHOLE.test(part) && !Number.isSafeInteger(Number(part));

/** The JSON with quotes around whole numbers beyond 2^53. */
const quoteLongNumbers = (json: string): string =>
	json.replace(TEXT_OR_NUMBER, (part) => (isTooLong(part) ? `"${part}"` : part));

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

/** The beginning of the JSON of an object or a list. */
const JSON_START = /^\s*[{[]/;

/**
 * Parses text that is a JSON object or list.
 *
 * @returns undefined if the text is anything else; bare JSON values such as `12` are text
 */
export function parseJsonText(text: string): object | undefined {
	return JSON_START.test(text) ? (tryParse(text)?.value as object | undefined) : undefined;
}

/** Returns true if a value is truncated or invalid JSON, which is still text. */
export const isBrokenJson = (body: unknown): boolean =>
	typeof body === 'string' && JSON_START.test(body);

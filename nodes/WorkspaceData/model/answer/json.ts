import { keepsDigits } from '../value/decimal';

/** Whether JSON may hold a number that loses digits. Most JSON does not, and this takes a third of the time of parsing. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d[\d.]{15}|[\d.]+e)/i;

const NUMBERS = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Where the text that begins at a quote ends: after its closing quote. */
function endOfText(json: string, start: number): number {
	let place = start + 1;
	while (place < json.length && json[place] !== '"') place += json[place] === '\\' ? 2 : 1;
	return place + 1;
}

/** Valid JSON with quotes around each number that would lose digits. */
function quoteLongNumbers(json: string): string {
	const parts: string[] = [];
	for (let from = 0; from < json.length; ) {
		const next = json.indexOf('"', from);
		const quote = next === -1 ? json.length : next;
		const end = endOfText(json, quote);
		parts.push(
			json.slice(from, quote).replace(NUMBERS, (text) => (keepsDigits(text) ? text : `"${text}"`)),
			json.slice(quote, end),
		);
		from = end;
	}
	return parts.join('');
}

/**
 * Parses a text as JSON. A number that would lose digits, such as `12345678901234567890`, becomes its text: the digits
 * stay, and two such numbers that differ are never one. (`1e400` would become Infinity, which is sent as null.)
 *
 * @returns undefined if the text is not JSON. The value is in an object, as it can be anything
 */
export function tryParse(text: string): { value: unknown } | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return { value: LONG_NUMBER.test(text) ? JSON.parse(quoteLongNumbers(text)) : value };
	} catch {
		return undefined;
	}
}

/** Whether parsing keeps all digits of all numbers in a text, if it is JSON. */
export const isExactJson = (text: string): boolean =>
	!LONG_NUMBER.test(text) || quoteLongNumbers(text) === text;

/** How the JSON of an object or a list begins. */
const JSON_START = /^\s*[{[]/;

/**
 * The object or list that a text holds as JSON.
 *
 * @returns undefined if the text holds anything else; bare JSON values such as `12` are text
 */
export function parseJsonText(text: string): object | undefined {
	return JSON_START.test(text) ? (tryParse(text)?.value as object | undefined) : undefined;
}

/**
 * The most levels of lists and objects that are taken from a service. n8n stores data level by
 * level: of 20,000 levels it makes an execution that nobody can open again.
 */
export const MAX_LEVELS = 500;

/** Whether lists and objects are nested too deeply to be stored. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	// A loop: for a page of records, a callback for each value takes half as long as parsing them.
	for (const part of Array.isArray(value) ? value : Object.values(value)) {
		if (isTooDeep(part, levels - 1)) return true;
	}
	return false;
}

/** A body with its JSON parsed where that came as a text: under another content type, or encoded twice. */
export const parsedBody = (body: unknown): unknown =>
	typeof body === 'string' ? (parseJsonText(body) ?? body) : body;

/** Whether a parsed body is JSON that breaks off or is not valid: it is still a text then. */
export const isBrokenJson = (body: unknown): boolean =>
	typeof body === 'string' && JSON_START.test(body);

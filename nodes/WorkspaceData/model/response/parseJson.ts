const keepsDigits = (text: string): boolean =>
	!/^-?\d+$/.test(text) || Number.isSafeInteger(Number(text));

/**
 * Matches JSON that may hold a number that loses digits. Most JSON doesn't, and this check takes a third of
 * the time of parsing.
 */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d[\d.]{15}|[\d.]+e)/i;

const NUMBERS = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Returns the end of the text that begins at a quote: the position after its closing quote. */
function endOfText(json: string, start: number): number {
	let place = start + 1;
	while (place < json.length && json[place] !== '"') place += json[place] === '\\' ? 2 : 1;
	return place + 1;
}

/** Returns the JSON with quotes around each number that would lose digits. */
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
 * Parses JSON. A number that would lose digits, such as `12345678901234567890`, becomes text, so that its
 * digits stay and two different numbers stay different. (`1e400` would become Infinity, which is sent as
 * null.)
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

/** Returns true if parsing keeps all digits of all numbers in the text, or if the text isn't JSON. */
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

/**
 * Max levels of lists and objects that are accepted from a service. n8n stores data level by level, so
 * nobody can open an execution with 20,000 levels.
 */
export const MAX_LEVELS = 500;

/** Returns true if lists and objects are nested too deeply to be stored. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	// A loop, because a callback for each value takes half as long as parsing a page of records.
	for (const part of Array.isArray(value) ? value : Object.values(value)) {
		if (isTooDeep(part, levels - 1)) return true;
	}
	return false;
}

/** Returns a body with its JSON parsed if it is text: under another content type, or encoded twice. */
export const parsedBody = (body: unknown): unknown =>
	typeof body === 'string' ? (parseJsonText(body) ?? body) : body;

/** Returns true if a parsed body is truncated or invalid JSON, which is still text. */
export const isBrokenJson = (body: unknown): boolean =>
	typeof body === 'string' && JSON_START.test(body);

/**
 * Parses a text as JSON.
 *
 * @returns undefined if the text is not JSON. The value is in an object, as it can be anything
 */
export function tryParse(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch {
		return undefined;
	}
}

/** How the JSON of an object or a list begins. */
const JSON_START = /^\s*[{[]/;

/**
 * The object or list that a text holds as JSON.
 *
 * @returns undefined where the text holds anything else; bare JSON values such as `12` are texts
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

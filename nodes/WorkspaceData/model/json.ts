/**
 * The object or list that a text holds as JSON.
 *
 * @returns undefined where the text holds anything else; bare JSON values such as `12` are texts
 */
export function parseJsonText(text: string): object | undefined {
	if (!/^\s*[{[]/.test(text)) return undefined;
	try {
		return JSON.parse(text) as object;
	} catch {
		return undefined;
	}
}

/** Whether lists and objects are nested more than so many levels deep. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	return Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** A body with its JSON parsed where that came as a text: under another content type, or encoded twice. */
export const parsedBody = (body: unknown): unknown =>
	typeof body === 'string' ? (parseJsonText(body) ?? body) : body;

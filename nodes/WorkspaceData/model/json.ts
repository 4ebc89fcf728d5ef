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

/** A body with its JSON parsed where that came as a text: under another content type, or encoded twice. */
export const parsedBody = (body: unknown): unknown =>
	typeof body === 'string' ? (parseJsonText(body) ?? body) : body;

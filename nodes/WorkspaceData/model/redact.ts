/** Removes secrets from text. */
const MASK = '***';
/** Shorter values are words that may occur by chance; no real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/** Characters that are invisible or not allowed in a header: the HTTP client drops them, the service may, too. */
const UNSENT = /[^\x20-\x7E\x80-\xFF]|\p{Cc}|\p{Cf}/gu;

/** The forms in which a secret is sent, and may come back: plain, and encoded for a URL, a form or JSON. */
function formsOf(secret: string): string[] {
	// Credentials are sent without the spaces and line ends that were pasted along.
	const text = secret.trim();
	return [...new Set([text, text.replace(UNSENT, '')])].flatMap((form) => [
		form,
		encodeSafely(form),
		new URLSearchParams({ '': form }).toString().slice(1),
		JSON.stringify(form).slice(1, -1),
	]);
}

/** Half of a surrogate pair cannot be encoded. */
function encodeSafely(text: string): string {
	try {
		return encodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * Takes secrets out of a text before anybody sees it: the given values wherever they occur, and
 * whatever follows `Bearer`.
 *
 * @param secrets text or numbers; everything else is none
 */
export function redact(text: string, secrets: readonly unknown[]): string {
	return secrets
		.filter((secret) => typeof secret === 'string' || typeof secret === 'number')
		.flatMap((secret) => formsOf(String(secret)))
		.filter((form) => form.length >= MIN_SECRET_LENGTH)
		.sort((a, b) => b.length - a.length)
		.reduce((result, secret) => result.replaceAll(secret, MASK), text)
		.replace(/\bBearer\s+[\w\-.~+/=]{6,}/gi, `Bearer ${MASK}`);
}

const MASK = '***';
/** Shorter values are words that may occur by chance; no real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/** The forms in which a secret is sent, and may come back: as it is, and encoded for a URL or a form. */
function formsOf(secret: string): string[] {
	// Credentials are sent without the blanks and line ends that were pasted along.
	const text = secret.trim();
	const form = new URLSearchParams({ '': text }).toString().slice(1);
	return [text, encodeURIComponent(text), form];
}

/**
 * Takes secrets out of a text before anybody sees it: the given values wherever they occur, and
 * whatever follows `Bearer`.
 */
export function redact(text: string, secrets: readonly unknown[]): string {
	return secrets
		.filter((secret) => typeof secret === 'string')
		.flatMap(formsOf)
		.filter((form) => form.length >= MIN_SECRET_LENGTH)
		.reduce((result, secret) => result.replaceAll(secret, MASK), text)
		.replace(/\bBearer\s+[\w\-.~+/=]{6,}/gi, `Bearer ${MASK}`);
}

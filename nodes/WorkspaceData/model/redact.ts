/** Removes secrets from text. */
import { percentEncoded } from './text';

const MASK = '***';
/** Shorter values may occur as words by chance. No real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/**
 * Characters that are invisible or not allowed in a header. The HTTP client drops them, and the service may
 * do so too.
 */
const UNSENT = /[^\x20-\x7E\x80-\xFF]|\p{Cc}|\p{Cf}/gu;

/** The forms in which a secret is sent and may come back: plain, or encoded for a URL, a form or JSON. */
function formsOf(secret: string): string[] {
	// Credentials are sent without spaces and line ends that were pasted with them.
	const text = secret.trim();
	return [...new Set([text, text.replace(UNSENT, '')])].flatMap((form) => [
		form,
		percentEncoded(form),
		new URLSearchParams({ '': form }).toString().slice(1),
		JSON.stringify(form).slice(1, -1),
	]);
}

/**
 * Removes secrets from text before anybody sees it: the given values anywhere, and whatever follows
 * `Bearer`.
 *
 * @param secrets text or numbers; other values are ignored
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

/** Removes secrets from text. */
import { entryText } from './credential';

const MASK = '***';
/** Shorter values may occur as words by chance. No real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/** Removes secrets from text before anybody sees it, as they are and URL-encoded, and whatever follows `Bearer`. */
export function redact(text: string, secrets: readonly unknown[]): string {
	return secrets
		.map(entryText)
		.filter((secret) => secret.length >= MIN_SECRET_LENGTH)
		.flatMap((secret) => [
			secret,
			encodeURIComponent(secret.toWellFormed()),
			new URLSearchParams([['', secret]]).toString().slice(1),
		])
		.sort((a, b) => b.length - a.length)
		.reduce((result, secret) => result.replaceAll(secret, MASK), text)
		.replace(/\bBearer\s+[\w\-.~+/=]{6,}/gi, `Bearer ${MASK}`);
}

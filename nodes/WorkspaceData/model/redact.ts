const MASK = '***';
/** Shorter values are words that may occur by chance; no real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/**
 * Takes secrets out of a text before anybody sees it: the given values wherever they occur, and
 * whatever follows `Bearer`.
 */
export function redact(text: string, secrets: readonly unknown[]): string {
	const known = secrets.filter(
		(secret): secret is string => typeof secret === 'string' && secret.length >= MIN_SECRET_LENGTH,
	);
	return known
		.flatMap((secret) => [secret, encodeURIComponent(secret)])
		.reduce((result, secret) => result.replaceAll(secret, MASK), text)
		.replace(/\bBearer\s+[\w\-.~+/=]{6,}/gi, `Bearer ${MASK}`);
}

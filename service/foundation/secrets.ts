/** Identifiers and secrets, and what is stored instead of a secret. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret of 256 random bits. */
export const newSecret = () => randomBytes(32).toString('base64url');

/** A new identifier with a readable prefix and 96 random bits. */
export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

/**
 * The text that is stored instead of a secret. A plain SHA-256 is enough because our secrets are random and
 * long: there is nothing to guess that a slow hash would protect.
 */
export const hashSecret = (secret: string) => hash('sha256', secret);

/** Compares a presented secret with a stored hash in constant time. */
export function secretMatches(presented: string, storedHash: string): boolean {
	const actual = Buffer.from(hashSecret(presented));
	const expected = Buffer.from(storedHash);
	return actual.length === expected.length && timingSafeEqual(actual, expected);
}

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Prefix of API keys; `live` is the environment. */
const apiKeyPrefix = 'wsd_live_';

/** A fresh API key: prefix and 256 random bits. */
export function newApiKey(): string {
	return apiKeyPrefix + randomBytes(32).toString('base64url');
}

/** A fresh secret of 256 random bits, for accounts, subscriptions, control and settings. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}

/** A fresh identifier with a readable prefix and 96 random bits. */
export function newId(prefix: string): string {
	return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/**
 * The text that is stored instead of a secret. A plain SHA-256 is enough because our secrets are random and
 * long: there is nothing to guess that a slow hash would protect.
 */
export function hashSecret(secret: string): string {
	return hash('sha256', secret);
}

/** Compares a presented secret with a stored hash in constant time. */
export function secretMatches(presented: string, storedHash: string): boolean {
	const actual = Buffer.from(hashSecret(presented), 'hex');
	const expected = Buffer.from(storedHash, 'hex');
	return actual.length === expected.length && timingSafeEqual(actual, expected);
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** The length that NIST SP 800-38D recommends for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + NONCE_BYTES + TAG_BYTES;

/** RFC 5869: a separate key for each use of the credential's secret. */
const keyFrom = (secret: string, salt: Uint8Array): Uint8Array =>
	new Uint8Array(hkdfSync('sha256', secret, salt, 'n8n-nodes-workspace-data seal', KEY_BYTES));

/**
 * Seals text for everybody with the same secret: AES-256-GCM with a key from the secret.
 *
 * @returns salt, nonce, tag and ciphertext as base64url
 */
export function seal(text: string, secret: string): string {
	const salt = randomBytes(SALT_BYTES);
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, keyFrom(secret, salt), nonce);
	const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
	return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @returns the text; undefined if it was sealed with another secret, or changed since */
export function unseal(sealed: string, secret: string): string | undefined {
	const bytes = Buffer.from(sealed, 'base64url');
	const salt = bytes.subarray(0, SALT_BYTES);
	const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
	const tag = bytes.subarray(SALT_BYTES + NONCE_BYTES, HEAD_BYTES);
	try {
		const decipher = createDecipheriv(CIPHER, keyFrom(secret, salt), nonce, {
			authTagLength: TAG_BYTES,
		}).setAuthTag(tag);
		return decipher.update(bytes.subarray(HEAD_BYTES), undefined, 'utf8') + decipher.final('utf8');
	} catch {
		return undefined;
	}
}

/** The signature of a delivery. @see RFC 2104; service interface, part 6, "Signature" */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Its header, in lower case as in Node.js. */
export const SIGNATURE_HEADER = 'x-service-signature';

/** Lowercase hexadecimal HMAC-SHA256 of the body, byte for byte as received. */
const sign = (body: Uint8Array, secret: string): string =>
	createHmac('sha256', secret).update(body).digest('hex');

/**
 * Returns true if a signature is valid. Anything but 64 lowercase hexadecimal digits isn't, and nothing is without a secret.
 * Takes the same time wherever the first difference is.
 */
export function isSigned(body: Uint8Array, signature: unknown, secret: string): boolean {
	if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false;
	return secret !== '' && timingSafeEqual(Buffer.from(signature), Buffer.from(sign(body, secret)));
}

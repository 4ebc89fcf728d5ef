import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header with the signature of a delivery, in lower case as in Node.js. */
export const SIGNATURE_HEADER = 'x-service-signature';

/**
 * The signature of a delivery: lowercase hexadecimal HMAC-SHA256.
 *
 * @param body the request body, byte for byte as received
 * @param secret the subscription's webhook secret
 * @see RFC 2104; service interface, part 6, "Signature"
 */
export function sign(body: Uint8Array, secret: string): string {
	return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * Returns true if a signature is valid for the body under one of the secrets. Fails closed: without a
 * secret, with an empty secret, or with anything but 64 hexadecimal digits it returns false. Takes the same
 * time wherever the first difference is.
 *
 * @param signature value of the header; upper-case digits are accepted
 * @param secrets the secrets that are valid now; all of them are tried
 * @see service interface, part 6, "Signature"
 */
export function isSigned(
	body: Uint8Array,
	signature: unknown,
	secrets: readonly string[],
): boolean {
	if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature)) return false;
	const given = Buffer.from(signature, 'hex');
	return secrets
		.filter((secret) => secret !== '')
		.map((secret) => timingSafeEqual(given, Buffer.from(sign(body, secret), 'hex')))
		.includes(true);
}

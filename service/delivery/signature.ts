/** The signature of deliveries. */
import { createHmac } from 'node:crypto';

/**
 * The value of `X-Service-Signature`: lowercase hexadecimal HMAC-SHA256 of the bytes of a delivery.
 * @param secret the subscription's secret, as given out at its creation; its UTF-8 bytes are the key
 * @param body the exact bytes that are sent
 * @see service interface, part 6 "Signature"; RFC 2104
 */
export function sign(secret: string, body: Uint8Array): string {
	return createHmac('sha256', secret).update(body).digest('hex');
}

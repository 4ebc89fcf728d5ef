/** Whether a delivery is one of ours: the signature over its raw bytes. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { isSigned, SIGNATURE_HEADER } from '../../model/signature';
import type { Subscription } from '../../model/subscription/stored';

/** The bytes of the request; undefined where n8n has none, as for multipart bodies. */
export async function rawBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const request = context.getRequestObject();
	if (/^multipart\//i.test(request.headers['content-type'] ?? '')) return undefined;
	if (!Buffer.isBuffer(request.rawBody)) await request.readRawBody();
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined;
}

/**
 * The subscription whose secret signed the body. All are tried, so that it takes the same time whichever
 * it is; there are never more than six.
 *
 * @see service interface, part 6, "Signature"
 */
export function signerOf(
	context: IWebhookFunctions,
	body: Uint8Array,
	subscriptions: readonly Subscription[],
): Subscription | undefined {
	const signature: unknown = context.getRequestObject().headers[SIGNATURE_HEADER];
	return subscriptions.filter(({ secret }) => isSigned(body, signature, [secret]))[0];
}

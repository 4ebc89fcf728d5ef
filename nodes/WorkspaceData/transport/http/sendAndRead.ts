/** Sends one HTTP request through n8n's client and reads its response, with one timeout for both. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { ApiResponse } from '../request';
import { readResponse } from './response';
import { withTimeLimit, type Clock, type Stop } from './clock';

/** Sends one HTTP request and returns n8n's full response. Throws if there is no response. */
export type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/** n8n's client doesn't limit the body, so we read the stream ourselves. A redirect would receive the credential. */
const EVERY_RESPONSE = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/**
 * Sends a request once and reads its response, whatever its status.
 *
 * @param options includes the total timeout, in ms
 * @param how.maxBytes the maximum size of the body in bytes
 * @param how.cancelled ends it early
 * @throws NetworkFailure, or n8n's error if no response comes
 * @throws Cancelled if `cancelled` ends it
 */
export async function sendAndRead(
	send: Send,
	options: IHttpRequestOptions & { timeout: number },
	{ clock, maxBytes, cancelled }: { clock: Clock; maxBytes?: number; cancelled?: Stop },
): Promise<ApiResponse> {
	return await withTimeLimit(options.timeout, clock, async (signal) => {
		const sendNow = async () => {
			const response = await send({ ...options, ...EVERY_RESPONSE, abortSignal: signal });
			return await readResponse(response, maxBytes, signal);
		};
		return await (cancelled ? cancelled.wait(sendNow()) : sendNow());
	});
}

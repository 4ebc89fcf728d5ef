/** Sends one HTTP request by n8n's client and reads its response, all within a time. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { ApiAnswer } from '../request';
import { readAnswer } from './answer';
import { wait, withTimeLimit, type Clock } from './clock';

/** Sends one HTTP request and returns n8n's full response; throws when there is no response. */
export type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/** n8n's client has no limit for a body, so we read the stream ourselves. A redirect would get the credential. */
const EVERY_RESPONSE = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/**
 * Sends a request once, and reads its response, whatever its status.
 *
 * @param options with the longest that all of it takes, in ms
 * @param how.maxBytes the most that is read of the body
 * @param how.cancelled ends it early
 * @returns undefined where n8n returns no response
 * @throws NetworkFailure or what n8n throws where no response comes
 * @throws Cancelled after `cancelled`
 */
export async function sendAndRead(
	send: Send,
	options: IHttpRequestOptions & { timeout: number },
	{ clock, maxBytes, cancelled }: { clock: Clock; maxBytes?: number; cancelled?: AbortSignal },
): Promise<ApiAnswer | undefined> {
	return await withTimeLimit(options.timeout, clock, async (signal) => {
		const sendNow = async () =>
			await readAnswer(await send({ ...options, ...EVERY_RESPONSE, abortSignal: signal }), {
				signal,
				...(maxBytes !== undefined && { maxBytes }),
			});
		return await wait(sendNow(), clock, cancelled);
	});
}

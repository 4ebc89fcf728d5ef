/** Sends a request to n8n's own webhook address. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { type Clock, withTimeLimit } from './http/clock';
import type { ApiAnswer } from './request';
import { readAnswer } from './http/answer';

/** The longest that n8n's own answer is waited for, in ms: until then the trigger does nothing else. */
export const OWN_TIMEOUT_MS = 5_000;
/** The most bytes that are read of it: a proof has a hundred. */
const MAX_OWN_BYTES = 64_000;

/**
 * Posts a text to n8n's own webhook address, the way that all requests of n8n go: through its proxy and by
 * its rules about addresses. No credential goes along, and no redirect is followed.
 *
 * @returns the answer; undefined where none came in time, for whatever reason
 */
export async function postToSelf(
	context: IHookFunctions | ITriggerFunctions,
	url: string,
	body: string,
	headers: Record<string, string>,
	clock: Clock,
): Promise<ApiAnswer | undefined> {
	return await withTimeLimit(OWN_TIMEOUT_MS, clock, async (signal) => {
		const response: unknown = await context.helpers.httpRequest({
			method: 'POST',
			url,
			headers: { 'Content-Type': 'application/json', ...headers },
			body,
			timeout: OWN_TIMEOUT_MS,
			abortSignal: signal,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
		return await readAnswer(response, { maxBytes: MAX_OWN_BYTES, signal });
	}).catch(() => undefined);
}

/** Sends a request to n8n's own webhook address. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import type { Clock } from './http/clock';
import { sendAndRead, type Send } from './http/sendAndRead';
import type { ApiAnswer } from './request';

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
	probe: { body: string; headers: Record<string, string> },
	clock: Clock,
): Promise<ApiAnswer | undefined> {
	const request = {
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/json', ...probe.headers },
		body: probe.body,
		timeout: OWN_TIMEOUT_MS,
	} as const;
	const send: Send = async (options) => await context.helpers.httpRequest(options);
	return await sendAndRead(send, request, { clock, maxBytes: MAX_OWN_BYTES }).catch(
		() => undefined,
	);
}

/** Sends a request to n8n's own webhook address. */
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import type { Clock } from './http/clock';
import { sendAndRead, type Send } from './http/sendAndRead';
import type { ApiResponse } from './request';

/** The maximum size of the response in bytes; a proof takes about a hundred. */
const MAX_OWN_BYTES = 64_000;

/**
 * Posts a text to n8n's own webhook address, like all requests of n8n: through its proxy and its address rules.
 * Sends no credential and follows no redirect.
 *
 * @returns the response; undefined if none arrived in time, for any reason
 */
export async function postToSelf(
	context: IHookFunctions | ITriggerFunctions,
	url: string,
	probe: { body: string; headers: Record<string, string> },
	{ clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Promise<ApiResponse | undefined> {
	const request = {
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/json', ...probe.headers },
		body: probe.body,
		timeout: timeoutMs,
	} as const;
	const send: Send = async (options) => await context.helpers.httpRequest(options);
	return await sendAndRead(send, request, { clock, maxBytes: MAX_OWN_BYTES }).catch(
		() => undefined,
	);
}

/** Sends a signed body to a target: one HTTP request, with a limited time and a limited response. */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Attempt } from '../data/deliveries.ts';
import type { Subscription } from '../data/subscriptions.ts';

/** Most of a response that is read before the connection is given up, in bytes. */
const maximumAnswerBytes = 64 * 1024;
/** Characters of a response that the log keeps. */
const keptOfAnswer = 1_000;

/**
 * The value of `X-Service-Signature`: lowercase hexadecimal HMAC-SHA256 of the bytes of a delivery.
 * @param secret the subscription's secret, as given out at its creation; its UTF-8 bytes are the key
 * @param body the exact bytes that are sent
 * @see service interface, part 6 "Signature"; RFC 2104
 */
export function sign(secret: string, body: Uint8Array): string {
	return createHmac('sha256', secret).update(body).digest('hex');
}

/** Connections for deliveries; each is used once, as a target may close an idle one at any time. */
export const createAgent = () => new Agent({ pipelining: 0, headersTimeout: 0, bodyTimeout: 0 });

/** Posts the text of a delivery; never throws. @returns how it went */
export async function post(
	dispatcher: Agent,
	{ targetUrl, secret }: Subscription,
	text: string,
	timeoutMs: number,
) {
	const started = performance.now();
	const body = Buffer.from(text);
	const signal = AbortSignal.timeout(timeoutMs);
	const outcome: Pick<Attempt, 'status' | 'error' | 'answer'> = {
		status: null,
		error: null,
		answer: null,
	};
	try {
		const response = await request(targetUrl, {
			dispatcher,
			method: 'POST',
			body,
			signal,
			headers: {
				'Content-Type': 'application/json; charset=utf-8',
				'User-Agent': 'workspace-data-service',
				'X-Service-Signature': sign(secret, body),
			},
		});
		outcome.answer = (await beginningOf(response.body)) || null;
		outcome.status = response.statusCode;
		const isGood = outcome.status >= 200 && outcome.status < 300;
		if (!isGood) outcome.error = `answered ${outcome.status}`;
	} catch (error) {
		outcome.error = signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
	}
	return { ...outcome, durationMs: Math.round(performance.now() - started) };
}

/** Why an attempt failed, in words for the log. */
function reasonOf(error: unknown): string {
	// Not `instanceof Error`: errors of Node's own may come from another realm (in test runners).
	const { name, message, code } = error as Record<string, unknown>;
	return [code ?? name, message].filter(Boolean).join(': ');
}

/** Reads a response to its end, or gives it up if it is too long. @returns its beginning */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > maximumAnswerBytes) break;
	}
	return Buffer.concat(chunks).toString().slice(0, keptOfAnswer);
}

/** Sends a signed body to a target: one HTTP request, with a limited time and a limited response. */
import { Agent, request } from 'undici';
import type { Attempt } from '../data/deliveries.ts';

/** How a try to send ended. */
export type Outcome = Omit<Attempt, 'number' | 'at'>;

/** What is sent. */
export interface Message {
	url: string;
	body: Buffer;
	/** For the header X-Service-Signature; null for none. */
	signature: string | null;
}

/** Most of a response that is read before the connection is given up, in bytes. */
const maximumAnswerBytes = 64 * 1024;
/** Characters of a response that the log keeps. */
const keptOfAnswer = 1_000;

/** Why an attempt failed, in words for the log. */
function reasonOf(error: unknown, timeoutMs: number): string {
	// Not `instanceof Error`: errors of Node's own may come from another realm (in test runners).
	const { name, message, code } = error as Record<string, unknown>;
	if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
	const what = typeof code === 'string' ? code : String(name);
	return typeof message === 'string' && message !== '' ? `${what}: ${message}` : what;
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

/** Sends bodies, each on a connection that was not used before: a target may close an idle one at any time. */
export class Sender {
	readonly #agent = new Agent({ pipelining: 0, headersTimeout: 0, bodyTimeout: 0 });

	/** True if deliveries are cut short. */
	get isClosed(): boolean {
		return this.#agent.destroyed;
	}

	/** Posts a body; never throws. */
	async post({ url, body, signature }: Message, timeoutMs: number): Promise<Outcome> {
		const started = performance.now();
		const outcome = (status: number | null, error: string | null, answer = ''): Outcome => ({
			status,
			durationMs: Math.round(performance.now() - started),
			error,
			answer: answer === '' ? null : answer,
		});
		const signal = AbortSignal.timeout(timeoutMs);
		try {
			const response = await request(url, {
				dispatcher: this.#agent,
				method: 'POST',
				headers: {
					'Content-Type': 'application/json; charset=utf-8',
					'User-Agent': 'workspace-data-service',
					...(signature !== null && { 'X-Service-Signature': signature }),
				},
				body,
				signal,
			});
			const answer = await beginningOf(response.body);
			const status = response.statusCode;
			const isGood = status >= 200 && status < 300;
			return outcome(status, isGood ? null : `answered ${status}`, answer);
		} catch (error) {
			return outcome(null, reasonOf(signal.aborted ? signal.reason : error, timeoutMs));
		}
	}

	/** Closes all connections, also those in use. */
	close(): void {
		void this.#agent.destroy();
	}
}

/** Sends a signed body to a target: one HTTP request, with a limited time and a limited answer. */
import type { Dispatcher } from 'undici';
import type { Quotas } from '../foundation/quotas.ts';
import { type Connection, createConnections } from './targetConnections.ts';

/** How a try to send ended. `status` is null where no answer came; then `error` says why. */
export interface Outcome {
	status: number | null;
	durationMs: number;
	/** Why it failed; null where the target took it. */
	error: string | null;
	/** The beginning of the answer's body; null where there was none. */
	answer: string | null;
}

/** Sends bodies. */
export interface Sender {
	/**
	 * Posts a body; never throws. Sent once more, on a new connection, where a connection that was used before broke
	 * without an answer: targets close idle connections at any time.
	 * @param signature for the header X-Service-Signature; null for none
	 */
	post(
		url: string,
		body: Buffer,
		signature: string | null,
		limits: { timeoutMs: number; signal: AbortSignal },
	): Promise<Outcome>;
	/** Closes all connections. */
	close(): void;
}

/** Most of an answer that is read before the connection is given up, in bytes. */
const maximumAnswerBytes = 64 * 1024;
/** Characters of an answer that the log keeps. */
const keptOfAnswer = 1_000;
/** Why an attempt failed, in words for the log. */
function reasonOf(error: unknown, timeoutMs: number): string {
	// Not `instanceof Error`: errors of Node's own may come from another realm (in test runners).
	const { name, message, code } = error as Record<string, unknown>;
	if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
	const what = typeof code === 'string' ? code : String(name);
	return typeof message === 'string' && message !== '' ? `${what}: ${message}` : what;
}

/** Reads an answer to its end, or gives it up where it is too long. @returns its beginning */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		if (bytes < keptOfAnswer * 4) chunks.push(chunk.subarray(0, keptOfAnswer * 4));
		bytes += chunk.length;
		if (bytes > maximumAnswerBytes) break;
	}
	return Buffer.concat(chunks).toString().slice(0, keptOfAnswer);
}

/** Makes the sender. */
export function createSender(quotas: Pick<Quotas, 'sockets'>): Sender {
	const connections = createConnections(quotas.sockets);

	const sendOn = async (connection: Connection, request: Dispatcher.RequestOptions) => {
		try {
			const { statusCode, body } = await connection.request(request);
			const answer = await beginningOf(body);
			connection.giveBack();
			return { status: statusCode, answer };
		} catch (error) {
			connection.drop();
			throw error;
		}
	};
	const send = async (origin: string, request: Dispatcher.RequestOptions) => {
		const connection = connections.take(origin);
		try {
			return await sendOn(connection, request);
		} catch (error) {
			if (!connection.isStale(error)) throw error;
			return await sendOn(connections.open(origin), request);
		}
	};

	return {
		async post(url, body, signature, { timeoutMs, signal }) {
			const started = performance.now();
			const outcome = (status: number | null, error: string | null, answer = ''): Outcome => ({
				status,
				durationMs: Math.round(performance.now() - started),
				error,
				answer: answer === '' ? null : answer,
			});
			const limits = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
			const { origin, pathname, search } = new URL(url);
			try {
				const { status, answer } = await send(origin, {
					method: 'POST',
					path: pathname + search,
					headers: {
						'Content-Type': 'application/json; charset=utf-8',
						'User-Agent': 'workspace-data-service',
						...(signature !== null && { 'X-Service-Signature': signature }),
					},
					body,
					signal: limits,
				});
				const good = status >= 200 && status < 300;
				return outcome(status, good ? null : `answered ${status}`, answer);
			} catch (error) {
				return outcome(null, reasonOf(limits.aborted ? limits.reason : error, timeoutMs));
			}
		},
		close: () => connections.close(),
	};
}

/** One attempt of a request: sends it through n8n, within its time. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { isTooDeep, MAX_LEVELS } from '../../model/answer/json';
import {
	circuitOf,
	createCircuit,
	MAX_TIMEOUTS,
	PROBE_TIMEOUT_MS,
	replyOf,
	type Reply,
} from './circuit';
import { type Clock, type UnlessCancelled, withTimeLimit } from './clock';
import type { CredentialType } from '../auth/credential';
import { openExchange } from '../auth/credentialHooks';
import {
	AccessTokenError,
	Cancelled,
	type NetworkFailure,
	SilentService,
	UnusableAnswer,
} from '../failure/failures';
import { readNetworkFault } from '../failure/networkFault';
import type { ApiAnswer, ApiRequest } from '../request';
import { unreachableAuth } from '../auth/tokenRequest';
import { readAnswer } from './answer';
import { isRepeatable } from './retryPolicy';

/** The longest that an answer takes, in ms, where the request does not say. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** The outcome of one attempt. Faults are values, for the retry policy. */
export interface Attempt {
	outcome: ApiAnswer | NetworkFailure | AccessTokenError;
	/** The bearer token that was sent. */
	token: string | undefined;
}

/** The settings of the attempts of one execution. */
interface AttemptSettings {
	baseUrl: string;
	clock: Clock;
	/** Whether the execution is cancelled, and what waits no longer than that. */
	signal: AbortSignal | undefined;
	unlessCancelled: UnlessCancelled;
}

/**
 * Creates what sends the attempts of one execution.
 *
 * @returns sends one attempt @throws Cancelled
 */
export function createAttempts(
	context: IAllExecuteFunctions,
	credentialType: CredentialType,
	credential: ICredentialDataDecryptedObject,
	{ baseUrl, clock, signal, unlessCancelled }: AttemptSettings,
): (options: IHttpRequestOptions, request: ApiRequest) => Promise<Attempt> {
	const isAccount = credentialType === 'workspaceDataServiceAccountApi';
	const ownCircuit = createCircuit(MAX_TIMEOUTS, clock);

	async function attempt(options: IHttpRequestOptions, timeoutMs: number): Promise<Attempt> {
		const data = { ...credential };
		const exchange = openExchange(data);
		const outcome = await withTimeLimit(timeoutMs, clock, async (deadline) => {
			exchange.signal = deadline;
			const answering = async () =>
				await readAnswer(
					await context.helpers.httpRequestWithAuthentication.call(
						context,
						credentialType,
						{ ...options, timeout: timeoutMs, abortSignal: deadline },
						{ credentialsDecrypted: { id: '', name: '', type: credentialType, data } },
					),
					{ signal: deadline },
				);
			const answer = await unlessCancelled(answering());
			if (answer && isTooDeep(answer.body)) {
				const reason = `the answer is nested more than ${MAX_LEVELS} levels deep`;
				return new UnusableAnswer('', reason, false);
			}
			return answer ?? new UnusableAnswer('', 'the answer could not be read', false);
		}).catch((error: unknown) => {
			if (signal?.aborted) {
				const wasSent = !isAccount || exchange.token !== undefined;
				throw new Cancelled(wasSent && options.method !== 'GET');
			}
			if (exchange.refusal) return exchange.refusal;
			const fault = readNetworkFault(error);
			return isAccount && exchange.token === undefined ? unreachableAuth(credential, fault) : fault;
		});
		return { outcome, token: exchange.token };
	}

	return async (options, { method, timeoutMs = DEFAULT_TIMEOUT_MS, impatient, insistent }) => {
		const shared = circuitOf(baseUrl, clock);
		// Impatient requests also respect the shared circuit.
		const asked = impatient ? shared : ownCircuit;
		const probe = asked.enter() ?? (insistent ? false : undefined);
		if (probe === undefined) return { outcome: new SilentService(), token: undefined };
		const start = clock.now();
		let reply: Reply = 'unknown';
		try {
			// A creation that is cut short may leave something behind.
			const isShort = probe && impatient && isRepeatable(method);
			const limit = isShort ? Math.min(timeoutMs, PROBE_TIMEOUT_MS) : timeoutMs;
			const attempted = await attempt(options, limit);
			if (!(attempted.outcome instanceof AccessTokenError)) {
				reply = replyOf(attempted.outcome, clock.now() - start, probe);
			}
			return attempted;
		} finally {
			asked.leave(reply, probe);
			if (asked !== shared) shared.leave(reply, false);
		}
	};
}

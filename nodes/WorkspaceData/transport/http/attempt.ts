/** One try of a request: sends it through n8n, within its time. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { isTooDeep, MAX_LEVELS } from '../../model/answer/json';
import { circuitOf, createCircuit, PROBE_TIMEOUT_MS, replyOf, type Reply } from './circuit';
import { createUnlessCancelled, type Clock } from './clock';
import type { CredentialType } from '../auth/credential';
import { openExchange } from '../auth/exchange';
import {
	AccessTokenError,
	Cancelled,
	type NetworkFailure,
	SilentService,
	UnusableAnswer,
} from '../failure/failures';
import { readNetworkFault } from '../failure/networkFault';
import { readAnswer, type ApiAnswer, type ApiRequest } from '../request';
import { withTimeLimit } from './timeLimit';
import { unreachableAuth } from '../auth/tokenRequest';

/** The longest that an answer takes, in ms, where the request does not say. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** Time-outs in a row after which the rest of an execution fails at once. */
const MAX_TIMEOUTS = 3;

/** The outcome of one try. Faults are values, for the retry policy. */
export interface Try {
	outcome: ApiAnswer | NetworkFailure | AccessTokenError;
	/** The bearer token that was sent. */
	token: string | undefined;
}

/**
 * Creates what sends the tries of one execution.
 *
 * @returns sends one try @throws Cancelled
 */
export function createTries(
	context: IAllExecuteFunctions,
	credentialType: CredentialType,
	credential: ICredentialDataDecryptedObject,
	{ baseUrl, clock, signal }: { baseUrl: string; clock: Clock; signal: AbortSignal | undefined },
): (options: IHttpRequestOptions, request: ApiRequest) => Promise<Try> {
	const isAccount = credentialType === 'workspaceDataServiceAccountApi';
	const unlessCancelled = createUnlessCancelled(signal);
	const ownCircuit = createCircuit(MAX_TIMEOUTS, clock);

	async function attempt(options: IHttpRequestOptions, timeoutMs: number): Promise<Try> {
		const data = { ...credential };
		const exchange = openExchange(data);
		const outcome = await withTimeLimit(timeoutMs, clock, async (ending) => {
			exchange.signal = ending;
			const answering = async () =>
				await readAnswer(
					await context.helpers.httpRequestWithAuthentication.call(
						context,
						credentialType,
						{ ...options, timeout: timeoutMs, abortSignal: ending },
						{ credentialsDecrypted: { id: '', name: '', type: credentialType, data } },
					),
					{ signal: ending },
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

	return async (options, { timeoutMs = DEFAULT_TIMEOUT_MS, impatient }) => {
		const shared = circuitOf(baseUrl, clock);
		// Impatient requests also respect the shared circuit.
		const asked = impatient ? shared : ownCircuit;
		const probe = asked.enter();
		if (probe === undefined) return { outcome: new SilentService(), token: undefined };
		const start = clock.now();
		let reply: Reply = 'unknown';
		try {
			const limit = probe && impatient ? Math.min(timeoutMs, PROBE_TIMEOUT_MS) : timeoutMs;
			const tried = await attempt(options, limit);
			if (!(tried.outcome instanceof AccessTokenError)) {
				reply = replyOf(tried.outcome, clock.now() - start, probe);
			}
			return tried;
		} finally {
			asked.leave(reply, probe);
			if (asked !== shared) shared.leave(reply, false);
		}
	};
}

/** One attempt of a request: sends it through n8n, within its time. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { isTooDeep, MAX_LEVELS } from '../../model/answer/json';
import { createUnlessCancelled, withTimeLimit, type Clock, type UnlessCancelled } from './clock';
import { isSilent, MAX_TIMEOUTS, noteSilence } from './silence';
import { CREDENTIAL_TYPES } from '../auth/credential';
import { openExchange } from '../auth/credentialHooks';
import {
	AccessTokenError,
	Cancelled,
	type NetworkFailure,
	SilentService,
	UnusableAnswer,
} from '../failure/failures';
import { readNetworkFault } from '../failure/networkFault';
import type { ApiAnswer, ApiRequest, Roots } from '../request';
import { unreachableAuth } from '../auth/tokenRequest';
import { readAnswer } from './answer';

/** The longest that an answer takes, in ms, where the request does not say. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** The outcome of one attempt. Faults are values, for the retry policy. */
export interface Attempt {
	outcome: ApiAnswer | NetworkFailure | AccessTokenError;
	/** The bearer token that was sent. */
	token: string | undefined;
}

/** What the attempts of one execution are sent with. */
interface Sender {
	context: IAllExecuteFunctions;
	credential: ICredentialDataDecryptedObject;
	isAccount: boolean;
	clock: Clock;
	roots: Pick<Roots, 'api'>;
}

/**
 * Creates what sends the attempts of one execution.
 *
 * @param cancelled aborted when the execution is cancelled: then nothing is waited for
 * @returns sends one attempt @throws Cancelled
 */
export function createAttempts(
	sender: Sender,
	cancelled: AbortSignal,
): (options: IHttpRequestOptions, request: ApiRequest) => Promise<Attempt> {
	const { clock, roots } = sender;
	const unlessCancelled = createUnlessCancelled(cancelled);
	let timeOuts = 0;
	return async (options, { timeoutMs = DEFAULT_TIMEOUT_MS, impatient, insistent }) => {
		const isAvoided = timeOuts >= MAX_TIMEOUTS || (impatient && isSilent(roots.api, clock));
		if (isAvoided && !insistent) return { outcome: new SilentService(), token: undefined };
		const start = clock.now();
		const attempted = await exchangeOnce(
			sender,
			{ ...options, timeout: timeoutMs },
			{ cancelled, unlessCancelled },
		);
		const { outcome } = attempted;
		// The auth server's silence says nothing about the service.
		if (outcome instanceof AccessTokenError) return attempted;
		const isSilence = noteSilence(roots.api, outcome, clock.now() - start, clock);
		if (isSilence !== undefined) timeOuts = isSilence ? timeOuts + 1 : 0;
		return attempted;
	};
}

/** Sends a request once, and reads its answer. @throws Cancelled */
async function exchangeOnce(
	{ context, credential, isAccount, clock }: Sender,
	options: IHttpRequestOptions & { timeout: number },
	{ cancelled, unlessCancelled }: { cancelled: AbortSignal; unlessCancelled: UnlessCancelled },
): Promise<Attempt> {
	const data = { ...credential };
	const exchange = openExchange(data);
	const type = CREDENTIAL_TYPES[isAccount ? 'serviceAccount' : 'apiKey'];
	const credentialsDecrypted = { id: '', name: '', type, data };
	const outcome = await withTimeLimit(options.timeout, clock, async (deadline) => {
		exchange.signal = deadline;
		const { httpRequestWithAuthentication: send } = context.helpers;
		const answering = async () =>
			await readAnswer(
				await send.call(
					context,
					type,
					{ ...options, abortSignal: deadline },
					{ credentialsDecrypted },
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
		if (cancelled.aborted) {
			const wasSent = !isAccount || exchange.token !== undefined;
			throw new Cancelled(wasSent && options.method !== 'GET');
		}
		if (exchange.refusal) return exchange.refusal;
		const fault = readNetworkFault(error);
		return isAccount && exchange.token === undefined ? unreachableAuth(credential, fault) : fault;
	});
	return { outcome, token: exchange.token };
}

/** One attempt of a request: sends it through n8n, with a timeout. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { isTooDeep, MAX_LEVELS } from '../../model/response/json';
import { CREDENTIAL_TYPES } from '../auth/credential';
import { openExchange, type Exchange } from '../auth/credentialHooks';
import { unreachableAuth } from '../auth/tokenRequest';
import {
	type AccessTokenError,
	Cancelled,
	type NetworkFailure,
	UnusableResponse,
} from '../failure/failures';
import { readNetworkFault } from '../failure/networkFault';
import type { ApiResponse } from '../request';
import type { Clock } from './clock';
import { sendAndRead, type Send } from './sendAndRead';

/** The default timeout, in ms. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** The outcome of one attempt. Faults are returned as values for the retry policy. */
export interface Attempt {
	outcome: ApiResponse | NetworkFailure | AccessTokenError | Cancelled;
	token: string | undefined;
}

/** What all requests of an execution need to be sent. */
export interface Sender {
	context: IAllExecuteFunctions;
	credential: ICredentialDataDecryptedObject;
	isAccount: boolean;
	clock: Clock;
}

/**
 * Sends a request once and reads its response.
 *
 * @param cancelled aborts when the execution is canceled: the function then stops waiting
 */
export async function sendOnce(
	sender: Sender,
	options: IHttpRequestOptions & { timeout: number },
	cancelled: AbortSignal,
): Promise<Attempt> {
	const { context, clock } = sender;
	const data = { ...sender.credential };
	const exchange = openExchange(data);
	const type = CREDENTIAL_TYPES[sender.isAccount ? 'serviceAccount' : 'apiKey'];
	const credentialsDecrypted = { id: '', name: '', type, data };
	const send: Send = async (full) => {
		exchange.signal = full.abortSignal as AbortSignal;
		const { httpRequestWithAuthentication } = context.helpers;
		return await httpRequestWithAuthentication.call(context, type, full, { credentialsDecrypted });
	};
	const outcome = await sendAndRead(send, options, { clock, cancelled })
		.then(usable)
		.catch((error: unknown) => {
			if (!cancelled.aborted) return faultOf(error, sender, exchange);
			const isSent = !sender.isAccount || exchange.token !== undefined;
			return new Cancelled(isSent && options.method !== 'GET' ? 'maybe' : 'no');
		});
	return { outcome, token: exchange.token };
}

function usable(response: ApiResponse | undefined): ApiResponse | UnusableResponse {
	if (!response) return new UnusableResponse('', "the response couldn't be read", false);
	if (!isTooDeep(response.body)) return response;
	const reason = `the response is nested more than ${MAX_LEVELS} levels deep`;
	return new UnusableResponse('', reason, false);
}

/** Returns the fault of the service, or of the auth server if it returned no token. */
function faultOf(
	error: unknown,
	{ isAccount, credential }: Sender,
	{ refusal, token }: Exchange,
): NetworkFailure | AccessTokenError {
	if (refusal) return refusal;
	const fault = readNetworkFault(error);
	return isAccount && token === undefined ? unreachableAuth(credential, fault) : fault;
}

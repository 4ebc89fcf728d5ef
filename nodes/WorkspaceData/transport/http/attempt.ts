/** One attempt of a request: sends it through n8n, with a timeout. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { type Authentication, CREDENTIAL_TYPES } from '../auth/credential';
import { openExchange } from '../auth/credentialHooks';
import { unreachableAuth } from '../auth/tokenRequest';
import { type AccessTokenError, Cancelled, type NetworkFailure } from '../failure/failures';
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
	authentication: Authentication;
	clock: Clock;
}

/**
 * Sends a request once and reads its response.
 *
 * @param cancelled aborts when the execution is canceled: the function then stops waiting
 */
export async function sendOnce(
	{ context, credential, authentication, clock }: Sender,
	options: IHttpRequestOptions & { timeout: number },
	cancelled: AbortSignal,
): Promise<Attempt> {
	const data = { ...credential };
	const exchange = openExchange(data);
	const type = CREDENTIAL_TYPES[authentication];
	const credentialsDecrypted = { id: '', name: '', type, data };
	const send: Send = async (full) => {
		exchange.signal = full.abortSignal as AbortSignal;
		const { httpRequestWithAuthentication } = context.helpers;
		return await httpRequestWithAuthentication.call(context, type, full, { credentialsDecrypted });
	};
	const outcome = await sendAndRead(send, options, { clock, cancelled }).catch((error: unknown) => {
		const isSent = authentication === 'apiKey' || exchange.token !== undefined;
		if (cancelled.aborted) {
			return new Cancelled(isSent && options.method !== 'GET' ? 'maybe' : 'no');
		}
		if (exchange.refusal) return exchange.refusal;
		const fault = readNetworkFault(error);
		return isSent ? fault : unreachableAuth(credential, fault);
	});
	return { outcome, token: exchange.token };
}

/** One attempt of a request: sends it through n8n, with a timeout. */
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import type { ServiceAccountToken } from '../auth/serviceAccountToken';
import { type Authentication, CREDENTIAL_TYPES } from '../auth/credential';
import { openExchange } from '../auth/credentialHooks';
import { unreachableAuth } from '../auth/tokenRequest';
import { type AccessTokenError, Cancelled, type NetworkFailure } from '../failure/failureKinds';
import { readNetworkFault } from '../failure/networkFault';
import type { ApiResponse } from '../request';
import type { Clock, Stop } from './clock';
import { sendAndRead, type Send } from './sendAndRead';

/** The outcome of one attempt. Faults are returned as values for the retry policy. */
export type Outcome = ApiResponse | NetworkFailure | AccessTokenError | Cancelled;

/** What all requests of an execution need to be sent. */
export interface Sender {
	context: IAllExecuteFunctions;
	credential: ICredentialDataDecryptedObject;
	authentication: Authentication;
	/** The access token of a service account; undefined for an API key. */
	token: ServiceAccountToken | undefined;
	clock: Clock;
}

/**
 * Sends a request once and reads its response; with another access token if the service refuses the first one.
 *
 * @param cancelled ends when the execution is canceled: the function then stops waiting
 */
export async function sendOnce(
	sender: Sender,
	options: IHttpRequestOptions & { timeout: number },
	cancelled: Stop,
): Promise<Outcome> {
	const { context, credential, authentication, token, clock } = sender;
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
		const isSent = !token || exchange.token !== undefined;
		if (cancelled.isOver) {
			return new Cancelled(isSent && options.method !== 'GET');
		}
		if (exchange.refusal) return exchange.refusal;
		const fault = readNetworkFault(error);
		return isSent ? fault : unreachableAuth(credential, fault);
	});
	const used = exchange.token;
	if (!token || used === undefined || outcome instanceof Error) return outcome;
	if (outcome.status < 300) token.accept(used);
	// A refused replacement isn't replaced for a while, so this ends.
	const mayReplace = outcome.status === 401 && token.refuse(used);
	return mayReplace ? await sendOnce(sender, options, cancelled) : outcome;
}

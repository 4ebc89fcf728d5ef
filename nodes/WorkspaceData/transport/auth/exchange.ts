/** State shared by a request and its credential's hooks. */
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { withBearer } from './bearer';
import type { AccessTokenError } from '../failure/failures';

/** One request on its way through n8n. */
export interface Exchange {
	/** Ends the request, and its connection. */
	signal?: AbortSignal;
	/** The token that it was given: before that, nothing is sent. */
	token?: string;
	/** Why there was no access token: n8n 1 keeps nothing of an error but its texts. */
	refusal?: AccessTokenError;
}

/** By the copy of the credential that a request carries: n8n passes that same object to the hooks. */
const exchanges = new WeakMap<ICredentialDataDecryptedObject, Exchange>();

/** Opens the exchange of one request. */
export function openExchange(credential: ICredentialDataDecryptedObject): Exchange {
	const exchange: Exchange = {};
	exchanges.set(credential, exchange);
	return exchange;
}

/** The exchange of the request that a hook is called for; an empty one for requests of other nodes. */
export const exchangeOf = (credential: ICredentialDataDecryptedObject): Exchange =>
	exchanges.get(credential) ?? {};

/** The last step before a request is sent: adds its token, and the signal that n8n does not pass on. */
export function authorize(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
	token: string,
): IHttpRequestOptions {
	const exchange = exchangeOf(credential);
	exchange.token = token;
	return withBearer(
		exchange.signal ? { ...options, abortSignal: exchange.signal } : options,
		token,
	);
}

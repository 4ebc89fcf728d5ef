/** State that a request shares with its credential's hooks, and the token that it carries. */
import type { IHttpRequestOptions, ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { AccessTokenError } from '../failure/failureKinds';

/** One request on its way through n8n. */
export interface Exchange {
	/** Ends the request and its connection. */
	signal?: AbortSignal;
	/** The token of the request. Nothing is sent before it is set. */
	token?: string;
	/** Why there was no access token: n8n 1 keeps only the messages of an error. */
	refusal?: AccessTokenError;
}

/** Keyed by the request's copy of the credential, because n8n passes that same object to the hooks. */
const exchanges = new WeakMap<ICredentialDataDecryptedObject, Exchange>();

/** Opens the exchange of one request. */
export function openExchange(credential: ICredentialDataDecryptedObject): Exchange {
	const exchange: Exchange = {};
	exchanges.set(credential, exchange);
	return exchange;
}

/** Returns the exchange of the request that a hook is called for; an empty one for requests of other nodes. */
export const exchangeOf = (credential: ICredentialDataDecryptedObject): Exchange =>
	exchanges.get(credential) ?? {};

/**
 * Adds the token and the signal, which n8n doesn't forward, right before a request is sent.
 *
 * @see RFC 6750, section 2.1; service interface, part 5
 */
export function authorize(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
	token: string,
): IHttpRequestOptions {
	const exchange = exchangeOf(credential);
	exchange.token = token;
	const { signal } = exchange;
	const headers = { ...options.headers, Authorization: `Bearer ${token}` };
	return { ...options, headers, ...(signal && { abortSignal: signal }) };
}

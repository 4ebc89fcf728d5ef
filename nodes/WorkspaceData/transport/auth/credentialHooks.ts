/** State shared by a request and its credential's hooks, and the token that it carries. */
import type { IHttpRequestOptions, ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { AccessTokenError } from '../failure/failures';

/** A request with its bearer token. @see RFC 6750, section 2.1; service interface, part 5 */
export function withBearer(options: IHttpRequestOptions, token: string): IHttpRequestOptions {
	return { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } };
}

/** The bearer token that a request carries already. */
export function bearerOf(options: IHttpRequestOptions): string | undefined {
	const header: unknown = options.headers?.Authorization;
	return typeof header === 'string' ? /^Bearer (.+)$/.exec(header)?.[1] : undefined;
}

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

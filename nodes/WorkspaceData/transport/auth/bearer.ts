import type { IHttpRequestOptions } from 'n8n-workflow';

/** A request with its bearer token. @see RFC 6750, section 2.1; service interface, part 5 */
export function withBearer(options: IHttpRequestOptions, token: string): IHttpRequestOptions {
	return { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } };
}

/** The bearer token that a request carries already. */
export function bearerOf(options: IHttpRequestOptions): string | undefined {
	const header: unknown = options.headers?.Authorization;
	return typeof header === 'string' ? /^Bearer (.+)$/.exec(header)?.[1] : undefined;
}

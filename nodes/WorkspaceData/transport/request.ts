/** A request to the service, and its answer. */
import type { IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import { exactSegment } from '../model/serviceUrl';
import type { Headers } from './http/rateLimitHeaders';

/** A path parameter: the value, and how the user knows it. */
export type PathPart = string | { value: unknown; parameter: string };

/** One request to the service, relative to the workspace. */
export interface ApiRequest {
	method: IHttpRequestMethods & ('GET' | 'POST' | 'PATCH' | 'DELETE');
	/** Segments below the root; parameters are percent-encoded. */
	path: PathPart[];
	/** The base of the path: `/workspaces/{wid}` (default), the API root, or the origin. */
	root?: 'workspace' | 'api' | 'origin';
	query?: Record<string, string | number>;
	body?: object;
	/** Milliseconds until a try is given up. */
	timeoutMs?: number;
	/** Most requests of this execution at once. */
	maxParallel?: number;
	/**
	 * The most requests of this key that this process sends in a second, in all executions, as long as this one
	 * is waiting or under way; undefined is automatic.
	 */
	requestsPerSecond?: number;
	/** Whether a smaller request can take its place after a time-out: then it is not sent again. */
	shrinks?: boolean;
	/** Whether to stop at the first fault and wait for the rate limit for seconds only: somebody waits. */
	impatient?: boolean;
	/** Whether it is sent although others were not answered: a person asked for it, and waits. */
	insistent?: boolean;
	/** Whether it is sent at once, past all that wait: it decides whether the others are sent. */
	ahead?: boolean;
	/** The thing to delete, as the service's problems call it: `record`. Gone after a lost answer, it is deleted. */
	deletes?: string;
	/** The thing that a lost answer may have created, for example `record`. */
	creates?: string;
}

/** The addresses that paths are relative to. */
export type Roots = Readonly<Record<NonNullable<ApiRequest['root']>, string>>;

/** The HTTP request, as n8n takes it. @throws InputError for a path parameter that cannot be used */
export function toHttpRequest(
	{ method, path, root = 'workspace', query, body }: ApiRequest,
	roots: Roots,
): IHttpRequestOptions {
	const segments = path.map((part) =>
		typeof part === 'string' ? part : exactSegment(part.value, part.parameter),
	);
	return {
		method,
		url: [roots[root], ...segments].join('/'),
		...(query && { qs: query }),
		...(body && {
			// Text, not an object: n8n drops `{}`, and the HTTP client would lose keys like `__proto__`.
			body: JSON.stringify(body),
			headers: { 'Content-Type': 'application/json' },
		}),
		json: true,
	};
}

/** How a listing is read: the settings of a request other than its address. */
export type ReadOptions = Pick<
	ApiRequest,
	'timeoutMs' | 'maxParallel' | 'requestsPerSecond' | 'impatient' | 'insistent' | 'ahead'
>;

/** An answer of the service, or of its auth server. */
export interface ApiAnswer {
	status: number;
	body: unknown;
	headers: Headers;
}

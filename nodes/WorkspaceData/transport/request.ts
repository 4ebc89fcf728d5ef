/** A request to the service, and its response. */
import type { IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import { exactSegment } from './serviceUrl';
import type { Headers } from './http/rateLimitHeaders';

/** The default timeout, in ms. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** A path parameter: its value, and its name in the editor. */
export type PathPart = string | { value: unknown; parameter: string };

/** The settings of a request, except for its address and content. */
export interface ReadOptions {
	/** The timeout of an attempt, in ms. */
	timeoutMs?: number;
	/** The maximum of parallel requests in this execution. */
	maxParallel?: number;
	/**
	 * The maximum number of requests per second with this key, in all executions of this process, as long as this one
	 * is waiting or under way; undefined is automatic.
	 */
	requestsPerSecond?: number;
	/** True if it stops at the first fault and waits only seconds for the rate limit, because a user is waiting. */
	impatient?: boolean;
	/**
	 * True if the caller continues without it: after a timeout it isn't sent again, and its failure says nothing about
	 * other requests.
	 */
	optional?: boolean;
	/** True if it is sent before the other requests of its execution, also during a pause: they depend on it. */
	ahead?: boolean;
}

/** One request to the service, relative to the workspace. */
export interface ApiRequest extends ReadOptions {
	method: IHttpRequestMethods & ('GET' | 'POST' | 'PATCH' | 'DELETE');
	/** The segments below the root; parameters are percent-encoded. */
	path: PathPart[];
	/** The base of the path: `/workspaces/{wid}` (default), the API root, or the origin. */
	root?: 'workspace' | 'api' | 'origin';
	query?: Record<string, string | number>;
	body?: object;
	/** True if another request replaces it: its timeouts say nothing about the service. */
	replaceable?: boolean;
	/** True if it isn't sent again after a fault. */
	once?: boolean;
	/** The thing to delete, as problems call it: `record`. If missing after a lost response, it is deleted. */
	deletes?: string;
	/** The thing that may have been created if the response is lost, for example `record`. */
	creates?: string;
}

/** Builds the HTTP request for n8n. @throws InputError for an invalid path parameter */
export function toHttpRequest(
	{ method, path, root = 'workspace', query, body, timeoutMs }: ApiRequest,
	{ baseUrl, workspaceId }: { baseUrl: string; workspaceId: string },
): IHttpRequestOptions & { timeout: number } {
	const roots = {
		workspace: `${baseUrl}/workspaces/${exactSegment(workspaceId, 'Workspace ID')}`,
		api: baseUrl,
		origin: new URL(baseUrl).origin,
	};
	const segments = path.map((part) =>
		typeof part === 'string' ? part : exactSegment(part.value, part.parameter),
	);
	return {
		method,
		timeout: timeoutMs ?? DEFAULT_TIMEOUT_MS,
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

/** A response of the service or its auth server. */
export interface ApiResponse {
	status: number;
	body: unknown;
	headers: Headers;
}

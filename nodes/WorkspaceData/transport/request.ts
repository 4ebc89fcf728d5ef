import type { IHttpRequestMethods } from 'n8n-workflow';
import { parsedBody } from '../model/answer/json';
import { isObject } from '../model/answer/shapes';
import { readBody } from './http/body';
import { AnswerTooLarge } from './failure/failures';
import type { Headers } from './http/rateLimit';

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
	/** Whether to stop at the first fault and wait for the rate limit for seconds only: somebody waits. */
	impatient?: boolean;
	/** Whether it is sent at once, past all that wait: it decides whether the others are sent. */
	ahead?: boolean;
	/** The thing to delete, as the service's problems call it: `record`. Gone after a lost answer, it is deleted. */
	deletes?: string;
	/** The thing that a lost answer may have created, for example `record`. */
	creates?: string;
}

/** How a listing is read: the settings of a request other than its address. */
export type ReadOptions = Pick<
	ApiRequest,
	'timeoutMs' | 'maxParallel' | 'requestsPerSecond' | 'impatient' | 'ahead'
>;

/** An answer of the service, or of its auth server. */
export interface ApiAnswer {
	status: number;
	body: unknown;
	headers: Headers;
}

/**
 * The most bytes that are read of one answer. A page should have an eighth of it; parsing all of it takes the
 * event loop about half a second.
 */
export const MAX_ANSWER_BYTES = 64_000_000;
/** The most bytes that are read of an answer other than success. Beyond them, its status says enough. */
const MAX_REFUSAL_BYTES = 1_000_000;

/**
 * Reads the answer in n8n's full response, and its body, which may be a stream.
 *
 * @param maxBytes the most that is read of the body
 * @param signal ends the reading and the connection
 * @returns undefined where the response is anything else
 * @throws AnswerTooLarge when the body of a success is larger
 * @throws NetworkFailure when the body is cut off or cannot be read
 */
export async function readAnswer(
	response: unknown,
	{ maxBytes = MAX_ANSWER_BYTES, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<ApiAnswer | undefined> {
	if (!isObject(response) || typeof response.statusCode !== 'number') return undefined;
	const { statusCode: status } = response;
	const headers = isObject(response.headers) ? response.headers : {};
	const isSuccess = status >= 200 && status < 300;
	const most = isSuccess ? maxBytes : Math.min(maxBytes, MAX_REFUSAL_BYTES);
	const body = await readBody(response.body, most, {
		declared: headers['content-length'],
		...(signal && { signal }),
	}).catch((error: unknown) => {
		if (isSuccess || !(error instanceof AnswerTooLarge)) throw error;
		return '';
	});
	return { status, headers, body: parsedBody(body) };
}

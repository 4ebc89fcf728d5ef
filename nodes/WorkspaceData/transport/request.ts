import type { IHttpRequestMethods } from 'n8n-workflow';
import { z } from 'zod';
import { parsedBody } from '../model/json';
import type { Headers } from './rateLimit';

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
	/** Whether to stop at the first fault and wait for the rate limit for seconds only: somebody waits. */
	impatient?: boolean;
	/** Whether it is sent at once, past all that wait: it decides whether the others are sent. */
	ahead?: boolean;
	/** The thing to delete, as the service's problems call it: `record`. Gone after a lost answer, it is deleted. */
	deletes?: string;
	/** The thing that a lost answer may have created, for example `record`. */
	creates?: string;
}

/** An answer of the service, or of its auth server. */
export interface ApiAnswer {
	status: number;
	body: unknown;
	headers: Headers;
}

/** The full response, as n8n's request helpers return it. */
const fullResponseSchema = z
	.object({
		statusCode: z.number(),
		headers: z.record(z.unknown()).catch({}),
		body: z.unknown(),
	})
	.transform(
		({ statusCode, headers, body }): ApiAnswer => ({
			status: statusCode,
			headers,
			body: parsedBody(body),
		}),
	);

/** The answer in n8n's full response; undefined where it is anything else. */
export const readAnswer = (response: unknown): ApiAnswer | undefined =>
	fullResponseSchema.safeParse(response).data;

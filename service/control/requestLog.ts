import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as it came in. Credentials are not kept, only their kind. */
export interface LoggedRequest {
	listener: 'api' | 'auth';
	method: string;
	/** Path without the query. */
	path: string;
	query: string;
	authorization: 'none' | 'apiKey' | 'serviceAccount' | 'unknown';
	/** Status of the answer; null while there is none, and where the connection was dropped. */
	status: number | null;
	/** When it arrived, in ms since 1970. */
	time: number;
}

/** The latest requests, for tests that count them. */
export interface RequestLog {
	/** Notes a request and, once it is there, the status of its answer. */
	note(
		listener: LoggedRequest['listener'],
		request: IncomingMessage,
		response: ServerResponse,
	): LoggedRequest;
	list(): readonly LoggedRequest[];
	/** How many were noted since the last reset, including those that are no longer kept. */
	readonly count: number;
	reset(): void;
}

/** @param kept how many requests are kept at most */
export function createRequestLog(kept = 20_000): RequestLog {
	let entries: LoggedRequest[] = [];
	let count = 0;
	return {
		note(listener, request, response) {
			const [path = '', query = ''] = (request.url ?? '').split('?', 2);
			const entry: LoggedRequest = {
				listener,
				method: request.method ?? '',
				path,
				query,
				authorization: request.headers.authorization === undefined ? 'none' : 'unknown',
				status: null,
				time: Date.now(),
			};
			response.once('finish', () => {
				entry.status = response.statusCode;
			});
			entries.push(entry);
			count += 1;
			// Dropping half at a time keeps the cost of a request constant.
			if (entries.length > kept * 2) entries = entries.slice(-kept);
			return entry;
		},
		list: () => entries.slice(-kept),
		get count() {
			return count;
		},
		reset() {
			entries = [];
			count = 0;
		},
	};
}

import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as it came in. Credentials are not kept, only their kind. */
export interface LoggedRequest {
	listener: 'api' | 'auth';
	method: string;
	/** Path without the query; with it 2,000 characters at most. */
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
	/** The note of a request. */
	entryOf(request: IncomingMessage): LoggedRequest | undefined;
	list(): readonly LoggedRequest[];
	reset(): void;
}

const maximumUrl = 2_000;

/** The beginning of an address, as a separate string: a slice would keep the whole one in memory. */
function beginningOf(url: string): string {
	return url.length > maximumUrl ? Buffer.from(url.slice(0, maximumUrl)).toString() : url;
}

/** @param kept how many requests are kept at most */
export function createRequestLog(kept = 20_000): RequestLog {
	let entries: LoggedRequest[] = [];
	const byRequest = new WeakMap<IncomingMessage, LoggedRequest>();
	return {
		note(listener, request, response) {
			const url = beginningOf(request.url ?? '');
			const [path = ''] = url.split('?', 1);
			const entry: LoggedRequest = {
				listener,
				method: request.method ?? '',
				path,
				query: url.slice(path.length + 1),
				authorization: request.headers.authorization === undefined ? 'none' : 'unknown',
				status: null,
				time: Date.now(),
			};
			response.once('finish', () => {
				entry.status = response.statusCode;
			});
			entries.push(entry);
			byRequest.set(request, entry);
			// Dropping half at a time keeps the cost of a request constant.
			if (entries.length > kept * 2) entries = entries.slice(-kept);
			return entry;
		},
		entryOf: (request) => byRequest.get(request),
		list: () => entries.slice(-kept),
		reset() {
			entries = [];
		},
	};
}

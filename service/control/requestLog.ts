/** The latest requests, for tests that look at what a client sends. Secrets are not kept. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** A request as it came in. */
export interface LoggedRequest {
	listener: 'api' | 'auth';
	method: string;
	/** Path without the query; with it 2,000 characters at most. */
	path: string;
	query: string;
	authorization: 'none' | 'apiKey' | 'serviceAccount' | 'unknown';
	/** The headers; a value that is a secret is `[redacted]`. */
	headers: IncomingHttpHeaders;
	/** The body of a request to the API as text, or the form of a token request as JSON without its secret. */
	body: string | null;
	/** Status of the answer; null while there is none, and where the connection was dropped. */
	status: number | null;
	/** When it arrived, in ms since 1970. */
	time: number;
}

/** The latest requests. */
export interface RequestLog {
	/** Notes a request and, once it is there, the status of its answer. */
	note(
		listener: LoggedRequest['listener'],
		request: IncomingMessage,
		response: ServerResponse,
	): LoggedRequest;
	/** Notes the body as it is read by others. */
	readBody(request: IncomingMessage, payload: Readable): void;
	/** Notes the form of a token request. */
	noteForm(request: IncomingMessage, form: Readonly<Record<string, unknown>>): void;
	/** The note of a request. */
	entryOf(request: IncomingMessage): LoggedRequest | undefined;
	list(): readonly LoggedRequest[];
	reset(): void;
}

const maximumUrl = 2_000;
/** Longest body that is kept, and most of all bodies together, in bytes; of more, the oldest are forgotten. */
const maximumBody = 1024 * 1024;
const maximumBodies = 16 * 1024 * 1024;

const redacted = '[redacted]';
const secretHeaders = ['authorization', 'proxy-authorization', 'cookie'];
const secretNames = ['client_secret', 'client_assertion'];

/** The beginning of an address, as a separate string: a slice would keep the whole one in memory. */
function beginningOf(url: string): string {
	return url.length > maximumUrl ? Buffer.from(url.slice(0, maximumUrl)).toString() : url;
}

const sizeOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

/** A copy without secrets. */
function redact<T extends object>(values: T, secrets: readonly string[]): T {
	const shown = Object.entries(values).map(([name, value]): [string, unknown] => [
		name,
		secrets.includes(name) ? redacted : value,
	]);
	return Object.fromEntries(shown) as T;
}

/** @param kept how many requests are kept at most */
export function createRequestLog(kept = 20_000): RequestLog {
	let entries: LoggedRequest[] = [];
	const byRequest = new WeakMap<IncomingMessage, LoggedRequest>();
	/** Bodies as they came, oldest first: most are never looked at, so they become text when they are. */
	let bodies = new Map<LoggedRequest, Buffer[]>();
	let bytes = 0;

	const keepBody = (entry: LoggedRequest | undefined, chunks: Buffer[]) => {
		if (!entry) return;
		bodies.set(entry, chunks);
		bytes += sizeOf(chunks);
		for (const [oldest, kept] of bodies) {
			if (bytes <= maximumBodies) break;
			bytes -= sizeOf(kept);
			bodies.delete(oldest);
		}
	};

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
				headers: redact(request.headers, secretHeaders),
				body: null,
				status: null,
				time: Date.now(),
			};
			response.once('finish', () => {
				entry.status = response.statusCode;
			});
			entries.push(entry);
			byRequest.set(request, entry);
			// Dropping half at a time keeps the cost of a request constant.
			if (entries.length > kept * 2) {
				entries = entries.slice(-kept);
				bodies = new Map(
					entries.flatMap((one) => {
						const chunks = bodies.get(one);
						return chunks ? [[one, chunks]] : [];
					}),
				);
				bytes = sizeOf([...bodies.values()].flat());
			}
			return entry;
		},
		readBody(request, payload) {
			const chunks: Buffer[] = [];
			let size = 0;
			payload.on('data', (chunk: Buffer) => {
				size += chunk.length;
				if (size <= maximumBody) chunks.push(chunk);
			});
			payload.on('end', () => {
				if (size > 0) keepBody(byRequest.get(request), chunks);
			});
		},
		noteForm(request, form) {
			const text = JSON.stringify(redact(form, secretNames));
			keepBody(byRequest.get(request), [Buffer.from(text)]);
		},
		entryOf: (request) => byRequest.get(request),
		list: () =>
			entries.slice(-kept).map((entry) => {
				const chunks = bodies.get(entry);
				return { ...entry, body: chunks ? Buffer.concat(chunks).toString() : null };
			}),
		reset() {
			entries = [];
			bodies.clear();
			bytes = 0;
		},
	};
}

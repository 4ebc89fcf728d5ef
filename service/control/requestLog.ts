/** The latest requests, for tests that look at what a client sends. Secrets are not kept. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** A request as it came in. */
export interface LoggedRequest {
	listener: 'api' | 'auth';
	method: string;
	path: string;
	query: string;
	/** The headers; a value that is a secret is `[redacted]`. */
	headers: IncomingHttpHeaders;
	/** The body of a request to the API as text, or the form of a token request as JSON without its secret. */
	body: string | null;
	/** Status of the response; null while there is none, and if the connection was dropped. */
	status: number | null;
	/** When it arrived, in ms since 1970. */
	time: number;
}

/** Requests that are kept. */
const maximumRequests = 20_000;

const secretHeaders = ['authorization', 'proxy-authorization', 'cookie'];
const secretFields = ['client_secret', 'client_assertion'];

/** A copy without secrets. */
function redact<T extends object>(values: T, secrets: readonly string[]): T {
	const shown = Object.entries(values).map(([name, value]): [string, unknown] => [
		name,
		secrets.includes(name) ? '[redacted]' : value,
	]);
	return Object.fromEntries(shown) as T;
}

/** The latest requests. */
export class RequestLog {
	#entries: LoggedRequest[] = [];
	readonly #byRequest = new WeakMap<IncomingMessage, LoggedRequest>();

	/** Notes a request and, once it is there, the status of its response. */
	note(
		listener: LoggedRequest['listener'],
		request: IncomingMessage,
		response: ServerResponse,
	): void {
		const { url = '' } = request;
		const [path = ''] = url.split('?', 1);
		const entry: LoggedRequest = {
			listener,
			method: request.method ?? '',
			path,
			query: url.slice(path.length + 1),
			headers: redact(request.headers, secretHeaders),
			body: null,
			status: null,
			time: Date.now(),
		};
		response.once('finish', () => (entry.status = response.statusCode));
		this.#entries.push(entry);
		this.#byRequest.set(request, entry);
		// Dropping half at a time keeps the cost of a request constant.
		if (this.#entries.length > maximumRequests * 2) this.#entries.splice(0, maximumRequests);
	}

	/** Notes the body while others read it. For the API only: the forms of the settings page hold passwords. */
	readBody(request: IncomingMessage, payload: Readable): void {
		const entry = this.entryOf(request);
		if (!entry?.path.startsWith('/api/')) return;
		const chunks: Buffer[] = [];
		payload.on('data', (chunk: Buffer) => chunks.push(chunk));
		payload.on('end', () => {
			if (chunks.length > 0) entry.body = Buffer.concat(chunks).toString();
		});
	}

	/** Notes the form of a token request. */
	noteForm(request: IncomingMessage, form: Record<string, unknown>): void {
		const entry = this.entryOf(request);
		if (entry) entry.body = JSON.stringify(redact(form, secretFields));
	}

	/** The note of a request. */
	entryOf(request: IncomingMessage): LoggedRequest | undefined {
		return this.#byRequest.get(request);
	}

	list(): LoggedRequest[] {
		return this.#entries.slice(-maximumRequests).map((entry) => ({ ...entry }));
	}

	reset(): void {
		this.#entries = [];
	}
}

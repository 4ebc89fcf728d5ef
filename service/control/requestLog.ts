/** The latest requests, for tests that look at what a client sends. Secrets are not kept. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** A request as it came in. */
export interface LoggedRequest {
	listener: 'api' | 'auth';
	method: string;
	path: string;
	query: string;
	/** The headers; a value that is a secret is `[redacted]`. */
	headers: IncomingHttpHeaders;
	/** The body of a request to the API, as text. */
	body: string | null;
	/** Status of the response; null while there is none, and if the connection was dropped. */
	status: number | null;
	/** When it arrived, in ms since 1970. */
	time: number;
}

/** Path of control. */
export const controlRoot = '/control';

/** Requests that are kept. */
const maximumRequests = 20_000;

const secretHeaders = ['authorization', 'proxy-authorization', 'cookie'];

/** The latest requests. */
export class RequestLog {
	#entries: LoggedRequest[] = [];
	readonly #byRequest = new WeakMap<IncomingMessage, LoggedRequest>();

	/** Notes the requests of an application, with the status of each response once it is there. */
	addTo(app: FastifyInstance, listener: LoggedRequest['listener']): void {
		app.server.prependListener('request', (request, response) => {
			const { url = '', method = '' } = request;
			const [path = ''] = url.split('?', 1);
			if (path.startsWith(`${controlRoot}/`)) return;
			const headers = { ...request.headers };
			for (const name of secretHeaders) if (name in headers) headers[name] = '[redacted]';
			const entry: LoggedRequest = {
				listener,
				method,
				path,
				query: url.slice(path.length + 1),
				headers,
				body: null,
				status: null,
				time: Date.now(),
			};
			response.once('finish', () => (entry.status = response.statusCode));
			this.#entries.push(entry);
			this.#byRequest.set(request, entry);
			// Dropping half at a time keeps the cost of a request constant.
			if (this.#entries.length > maximumRequests * 2) this.#entries.splice(0, maximumRequests);
		});
		app.addHook('preParsing', async ({ raw }, _reply, payload) => {
			this.noteBody(raw, payload);
			return payload;
		});
	}

	/** The note of a request; undefined for a call of control. */
	entryOf(request: IncomingMessage): LoggedRequest | undefined {
		return this.#byRequest.get(request);
	}

	/** Notes the body while others read it. For the API only: the forms of the settings page hold passwords. */
	noteBody(request: IncomingMessage, payload: Readable = request): void {
		const entry = this.entryOf(request);
		if (!entry?.path.startsWith('/api/')) return;
		const chunks: Buffer[] = [];
		payload.on('data', (chunk: Buffer) => chunks.push(chunk));
		payload.on('end', () => {
			if (chunks.length > 0) entry.body = Buffer.concat(chunks).toString();
		});
	}

	list(): LoggedRequest[] {
		return this.#entries.slice(-maximumRequests).map((entry) => ({ ...entry }));
	}

	reset(): void {
		this.#entries = [];
	}
}

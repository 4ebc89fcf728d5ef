/** Faults that happen: slow, lost and refused responses, and what proxies in between respond. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod/v4';
import { problem, problemType } from '../foundation/problem.ts';
import { maximumTimerMs } from '../foundation/settings.ts';
import type { LoggedRequest, RequestLog } from './requestLog.ts';

/** How the next matching requests are failed. */
export const faultSchema = z.strictObject({
	/** The API, or the token endpoint. */
	listener: z.enum(['api', 'auth']).default('api'),
	/** HTTP method; any if it is missing. */
	method: z.string().toUpperCase().optional(),
	/** Regular expression over the path (without query), for example `/records$`; any if it is missing. */
	path: z.string().default(''),
	/** How many requests. */
	times: z.int().min(1).default(1),
	/** How many matching requests pass before the first one fails. */
	skip: z.int().min(0).default(0),
	/**
	 * `answer`: respond with `status` and `body` and change nothing; `dropBefore`: close the connection, nothing was
	 * changed; `dropAfter`: make the change, then close without a response; `hang`: never respond; `slowBody`: respond
	 * properly, one byte at a time.
	 */
	mode: z.enum(['answer', 'dropBefore', 'dropAfter', 'hang', 'slowBody']).default('answer'),
	status: z.int().min(200).max(599).default(500),
	body: z.enum(['problem', 'html', 'empty', 'json']).default('problem'),
	/** The body with `body: "json"`, or members to add to a problem. */
	json: z.unknown().optional(),
	/** Node would refuse to send others (RFC 9110, 5.5). */
	headers: z
		.record(
			z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/),
			z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/),
		)
		.default({}),
	/** Time between two bytes with `slowBody`, in ms. */
	byteMs: z.int().min(0).max(maximumTimerMs).default(1_000),
});
type Fault = z.output<typeof faultSchema>;

/** How responses of the API are held back. */
export const latencySchema = z.strictObject({
	/** Time that every response is held back. */
	ms: z.number().min(0).max(maximumTimerMs).default(0),
	/** How many at a time; others are refused with 503. */
	atOnce: z.int().min(1).default(Infinity),
});

/** Faults that wait for their requests. */
export class Faults {
	/** How responses of the API are held back. */
	latency = latencySchema.parse({});
	#held = 0;
	#waiting: Fault[] = [];
	readonly #failed = new WeakMap<FastifyRequest, Fault>();

	add(fault: Fault): void {
		new RegExp(fault.path);
		this.#waiting.push(fault);
	}

	clear(): void {
		this.#waiting = [];
	}

	/** Fails the requests of an application, of those that are noted. */
	addTo(app: FastifyInstance, listener: Fault['listener'], requests: RequestLog): void {
		app.addHook('onRequest', async (request, reply) => {
			const { raw } = request;
			const entry = requests.entryOf(raw);
			if (!entry) return;
			const fault = (listener === 'api' && (await this.#holdBack())) || this.#take(entry);
			if (!fault) return;
			this.#failed.set(request, fault);
			if (fault.mode === 'dropAfter' || fault.mode === 'slowBody') return;
			// The log has the body of what is failed, too.
			requests.noteBody(raw);
			await once(raw.resume(), 'end');
			if (fault.mode === 'answer') return answer(fault, reply);
			if (fault.mode === 'dropBefore') raw.socket.destroy();
			return reply.hijack();
		});
		app.addHook('onSend', async (request, reply, payload) => {
			const fault = this.#failed.get(request);
			if (fault?.mode === 'dropAfter') request.raw.socket.destroy();
			if (fault?.mode !== 'slowBody' || typeof payload !== 'string') return payload;
			void reply.removeHeader('content-length');
			return Readable.from(byteByByte(payload, fault.byteMs));
		});
	}

	/** The fault for a request, which it uses up. */
	#take({ listener, method, path }: LoggedRequest): Fault | undefined {
		for (const fault of this.#waiting) {
			if (fault.listener !== listener || (fault.method ?? method) !== method) continue;
			if (!new RegExp(fault.path).test(path) || fault.skip-- > 0) continue;
			fault.times -= 1;
			if (fault.times === 0) this.#waiting = this.#waiting.filter((other) => other !== fault);
			return fault;
		}
		return undefined;
	}

	/** Holds a response back. @returns the fault of a gateway that has too many requests under way */
	async #holdBack(): Promise<Fault | undefined> {
		const { ms, atOnce } = this.latency;
		if (ms === 0) return undefined;
		if (this.#held >= atOnce) return faultSchema.parse({ status: 503, body: 'html' });
		this.#held += 1;
		await sleep(ms);
		this.#held -= 1;
		return undefined;
	}
}

/** What a proxy in between responds. */
const page = `<!doctype html>
<html><head><title>Error</title></head><body><h1>Something went wrong</h1><p>nginx</p></body></html>`;

/** Responds in place of the endpoint. */
function answer(fault: Fault, reply: FastifyReply): FastifyReply {
	const { status, headers, body, json } = fault;
	const made = problem('internal-error', 'A fault that was asked for.').problem;
	const bodies = {
		problem: [problemType, JSON.stringify({ ...made, status, ...(json as object | undefined) })],
		html: ['text/html; charset=utf-8', page],
		json: ['application/json; charset=utf-8', JSON.stringify(json ?? null)],
	};
	void reply.code(status).headers(headers);
	if (body === 'empty') return reply.send();
	const [contentType = '', sent] = bodies[body];
	return reply.type(contentType).send(sent);
}

async function* byteByByte(text: string, pauseMs: number) {
	for (const byte of Buffer.from(text)) {
		yield Buffer.of(byte);
		await sleep(pauseMs);
	}
}

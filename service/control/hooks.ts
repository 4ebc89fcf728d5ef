/** Acts on requests and responses as control says. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem, problemType } from '../foundation/problem.ts';
import type { ControlContext, ControlState } from './context.ts';
import { type Fault, faultSchema } from './faults.ts';
import { Responses } from './responses.ts';
import { controlRoot } from './routes.ts';

/** Adds what tests can change: request log, latency, faults, the service's clock, and shapes of responses. */
export function addHooks(app: FastifyInstance, context: ControlContext): void {
	const responses = new Responses(context);
	addRequestLog(app, context);
	const faulty = addFaults(app, context);
	app.addHook('preValidation', async (request) => responses.takeRequest(request));
	app.addHook('preSerialization', async (request, reply, payload) =>
		responses.shape(request, reply, payload),
	);
	app.addHook('onSend', async (request, reply, payload) => {
		const fault = faulty.get(request);
		if (fault?.mode === 'answer') return payload;
		const shaped = responses.send(request, reply, payload);
		if (fault?.mode === 'dropAfter') request.raw.socket.destroy();
		if (fault?.mode !== 'slowBody' || typeof shaped !== 'string') return shaped;
		void reply.removeHeader('content-length');
		return Readable.from(byteByByte(shaped, fault.byteMs));
	});
	context.data.changes.beforeEvent = (event) => responses.event(event);
	addTokenFaults(context);
}

const isControl = ({ url = '' }: { url?: string }) => url.startsWith(`${controlRoot}/`);

/** Notes requests with their bodies. */
function addRequestLog(app: FastifyInstance, { requests, provider }: ControlContext): void {
	app.server.prependListener('request', (request, response) => {
		if (!isControl(request)) requests.note('api', request, response);
	});
	app.addHook('preParsing', (request, _reply, payload, done) => {
		requests.readBody(request.raw, payload);
		done(null, payload);
	});
	provider.app.server.prependListener('request', (request, response) => {
		requests.note('auth', request, response);
	});
	provider.onForm = (request, form) => requests.noteForm(request, form);
}

/** Holds responses back, and fails requests. @returns the faults of requests under way */
function addFaults(app: FastifyInstance, { state, faults, requests, clock }: ControlContext) {
	const faulty = new WeakMap<FastifyRequest, Fault>();
	const holdBack = createHolding(state);
	/** Connections that never get a response. */
	const hanging = new Set<Socket>();
	app.addHook('preClose', async () => {
		for (const socket of hanging) socket.destroy();
	});
	app.addHook('onRequest', async (request, reply) => {
		if (isControl(request)) return;
		if (clock.offsetSeconds !== 0) void reply.header('date', new Date(clock.now()).toUTCString());
		const isServed = state.latency.ms === 0 || (await holdBack());
		const path = requests.entryOf(request.raw)?.path ?? '';
		const fault = isServed ? faults.take(request.method, path) : tooMany;
		if (!fault) return;
		faulty.set(request, fault);
		if (fault.mode === 'dropAfter' || fault.mode === 'slowBody') return;
		// The log has the body of what is failed, too.
		requests.readBody(request.raw, request.raw);
		await once(request.raw.resume(), 'end');
		if (fault.mode === 'answer') return answerFault(fault, reply);
		const { socket } = request.raw;
		if (fault.mode === 'dropBefore') socket.destroy();
		else hanging.add(socket.once('close', () => hanging.delete(socket)));
		return reply.hijack();
	});
	return faulty;
}

/** Makes the token endpoint misbehave. */
function addTokenFaults({ state, tokenFaults, provider }: ControlContext): void {
	provider.app.addHook('onRequest', async (request, reply) => {
		if (!/\/protocol\/openid-connect\/token\/?$/i.test(request.url.split('?', 1)[0] ?? '')) return;
		if (!tokenFaults.answer(reply.raw)) return;
		return reply.hijack();
	});
	provider.onToken = (answer) => {
		if (!state.variants.tokenExpiresIn) delete answer.expires_in;
		tokenFaults.alter(answer);
	};
}

/** Holds responses back, so many at a time. @returns whether the request is served; otherwise there are too many */
function createHolding(state: ControlState): () => Promise<boolean> {
	let held = 0;
	const waiting: Array<() => void> = [];
	return async () => {
		if (state.latency.refusesMore && held >= state.latency.atOnce) return false;
		while (held >= state.latency.atOnce)
			await new Promise<void>((resolve) => waiting.push(resolve));
		held += 1;
		await sleep(state.latency.ms);
		held -= 1;
		waiting.shift()?.();
		return true;
	};
}

/** The response of a gateway that has too many requests under way. */
const tooMany = faultSchema.parse({ status: 503, body: 'html' });

/** Content type and text of what a proxy in between responds. */
const pages = {
	html: [
		'text/html; charset=utf-8',
		'<!doctype html>\n<html><head><title>Error</title></head><body><h1>Something went wrong</h1><p>nginx</p></body></html>',
	],
	plain: ['text/plain; charset=utf-8', 'upstream connect error or disconnect/reset before headers'],
} as const;

/** Content type and text of a fault's body; undefined for none. */
function faultBody({ body, json, status }: Fault) {
	if (body === 'empty') return undefined;
	if (body === 'json') {
		return ['application/json; charset=utf-8', JSON.stringify(json ?? null)] as const;
	}
	if (body !== 'problem') return pages[body];
	const made = problem('internal-error', 'A fault that was asked for.').problem;
	const extra = typeof json === 'object' ? json : {};
	return [problemType, JSON.stringify({ ...made, status, ...extra })] as const;
}

/** Responds in place of the endpoint. */
function answerFault(fault: Fault, reply: FastifyReply): FastifyReply {
	void reply.code(fault.status).headers(fault.headers);
	const body = faultBody(fault);
	return body ? reply.type(body[0]).send(body[1]) : reply.send();
}

async function* byteByByte(text: string, pauseMs: number) {
	for (const byte of Buffer.from(text)) {
		yield Buffer.of(byte);
		await sleep(pauseMs);
	}
}

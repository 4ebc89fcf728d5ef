/** Acts on requests and answers as control says. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { App } from '../http/context.ts';
import { problemBody } from '../http/problem.ts';
import { type Fault, faultSchema } from './faults.ts';
import type { HookContext, ControlState } from './state.ts';
import { controlRoot } from './routes.ts';
import { operationOf } from './operations.ts';
import { createShapes } from './answerShapes.ts';

const faultBodies = {
	html: [
		'text/html; charset=utf-8',
		'<!doctype html>\n<html><head><title>Error</title></head><body><h1>Something went wrong</h1><p>nginx</p></body></html>',
	],
	plain: ['text/plain; charset=utf-8', 'upstream connect error or disconnect/reset before headers'],
} as const;

/** The answer of a gateway that has too many requests under way. */
const tooMany = faultSchema.parse({ status: 503, body: 'html' });

/** Answers in place of the endpoint. */
function answerFault(fault: Fault, reply: FastifyReply): FastifyReply {
	void reply.code(fault.status).headers(fault.headers);
	switch (fault.body) {
		case 'empty':
			return reply.send();
		case 'html':
		case 'plain': {
			const [type, text] = faultBodies[fault.body];
			return reply.type(type).send(text);
		}
		case 'json':
			return reply.type('application/json; charset=utf-8').send(JSON.stringify(fault.json ?? null));
		case 'problem': {
			const extra = typeof fault.json === 'object' && fault.json !== null ? fault.json : {};
			const body = {
				...problemBody('internal-error', 'A fault that was asked for.'),
				status: fault.status,
				...extra,
			};
			return reply.type('application/problem+json; charset=utf-8').send(JSON.stringify(body));
		}
	}
}

async function* byteByByte(text: string, pauseMs: number) {
	for (const byte of Buffer.from(text)) {
		yield Buffer.of(byte);
		await sleep(pauseMs);
	}
}

/** Holds answers back, so many at a time. @returns whether the request is served; otherwise there are too many */
function createHolding(state: ControlState) {
	let held = 0;
	const waiting: Array<() => void> = [];
	return async (): Promise<boolean> => {
		if (state.refusesMore && held >= state.atOnce) return false;
		while (held >= state.atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
		held += 1;
		await sleep(state.latencyMs);
		held -= 1;
		waiting.shift()?.();
		return true;
	};
}

/** Adds what tests can change: request log, latency, faults, the service's clock, and shapes of answers. */
export function addHooks(app: App, context: HookContext) {
	const { provider, store } = context;
	const shapes = createShapes(context);
	/** Faults that act when the answer goes out, and faults that are the answer. */
	const late = new WeakMap<FastifyRequest, Fault>();
	const answered = new WeakSet<FastifyRequest>();

	addRequestLog(app, context);
	addFaults(app, context, { late, answered });
	app.addHook('preValidation', async (request) => shapes.request(request));
	app.addHook('preHandler', async (request) => shapes.beforeDelete(request));
	app.addHook('preSerialization', async (request, reply, payload) =>
		operationOf(request) === undefined ? payload : shapes.answer(request, reply, payload),
	);
	app.addHook('onSend', async (request, reply, payload) => {
		if (answered.has(request)) return payload;
		const shaped = shapes.sent(request, reply, payload);
		const fault = late.get(request);
		if (!fault) return shaped;
		late.delete(request);
		if (fault.mode === 'dropAfter') {
			request.raw.socket.destroy();
			return shaped;
		}
		if (typeof shaped !== 'string') return shaped;
		void reply.removeHeader('content-length');
		return Readable.from(byteByByte(shaped, fault.byteMs));
	});

	store.listeners.beforeEvent = (event) => shapes.event(event);
	addTokenFaults(context, provider);
}

const isControl = ({ url = '' }: { url?: string }) => url.startsWith(`${controlRoot}/`);

/** Notes requests with their bodies. */
function addRequestLog(app: App, { requests, provider }: HookContext) {
	app.server.prependListener('request', (request, response) => {
		if (!isControl(request)) requests.note('api', request, response);
	});
	// Bodies of the API alone: the forms of the settings page have passwords.
	app.addHook('preParsing', (request, _reply, payload, done) => {
		if (request.url.startsWith('/api/')) requests.readBody(request.raw, payload);
		done(null, payload);
	});
	app.addHook('onSend', (request, _reply, payload, done) => {
		const entry = requests.entryOf(request.raw);
		if (entry && request.principal) entry.authorization = request.principal.kind;
		done(null, payload);
	});
	provider.app.server.prependListener('request', (request, response) => {
		requests.note('auth', request, response);
	});
	provider.onForm((request, form) => requests.noteForm(request, form));
}

/** Holds answers back, and fails requests. */
function addFaults(
	app: App,
	{ state, faults, requests, clock }: HookContext,
	marks: { late: WeakMap<FastifyRequest, Fault>; answered: WeakSet<FastifyRequest> },
) {
	const holdBack = createHolding(state);
	/** Connections that never get an answer. */
	const hanging = new Set<Socket>();
	app.addHook('preClose', async () => {
		for (const socket of hanging) socket.destroy();
	});
	app.addHook('onRequest', async (request, reply) => {
		if (isControl(request)) return;
		if (clock.offsetSeconds !== 0) {
			void reply.header('date', new Date(clock.now()).toUTCString());
		}
		const isServed = state.latencyMs === 0 || (await holdBack());
		const fault = isServed
			? faults.take(request.method, requests.entryOf(request.raw)?.path ?? '')
			: tooMany;
		const { socket } = request.raw;
		switch (fault?.mode) {
			case 'answer':
				marks.answered.add(request);
				return answerFault(fault, reply);
			case 'dropBefore':
				reply.hijack();
				socket.destroy();
				return reply;
			case 'hang':
				reply.hijack();
				hanging.add(socket);
				socket.once('close', () => hanging.delete(socket));
				return reply;
			case 'dropAfter':
			case 'slowBody':
				marks.late.set(request, fault);
		}
	});
}

/** Makes the token endpoint misbehave. */
function addTokenFaults({ state, tokenFaults }: HookContext, provider: HookContext['provider']) {
	provider.app.addHook('onRequest', async (request, reply) => {
		if (!/\/protocol\/openid-connect\/token\/?$/i.test(request.url.split('?', 1)[0] ?? '')) return;
		if (!tokenFaults.answer(reply.raw)) return;
		return reply.hijack();
	});
	provider.onToken((answer) => {
		if (!state.variants.tokenExpiresIn) delete answer.expires_in;
		tokenFaults.alter(answer);
	});
}

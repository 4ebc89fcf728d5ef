/** Acts on requests and responses as control says. */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http/context.ts';
import { problem, problemType } from '../foundation/problem.ts';
import type { ControlContext, ControlState } from './context.ts';
import { type Fault, faultSchema } from './faults.ts';
import { Responses } from './responses.ts';
import { controlRoot } from './routes.ts';

/** Faults that act when the response goes out, and requests that a fault has responded to. */
interface Marks {
	late: WeakMap<FastifyRequest, Fault>;
	answered: WeakSet<FastifyRequest>;
}

/** Adds what tests can change: request log, latency, faults, the service's clock, and shapes of responses. */
export function addHooks(app: App, context: ControlContext): void {
	const responses = new Responses(context);
	const marks: Marks = { late: new WeakMap(), answered: new WeakSet() };
	addRequestLog(app, context);
	addFaults(app, context, marks);
	app.addHook('preValidation', async (request) => responses.takeRequest(request));
	app.addHook('preSerialization', async (request, reply, payload) =>
		responses.shape(request, reply, payload),
	);
	app.addHook('onSend', async (request, reply, payload) => {
		if (marks.answered.has(request)) return payload;
		const shaped = responses.send(request, reply, payload);
		const fault = marks.late.get(request);
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
function addRequestLog(app: App, { requests, provider }: ControlContext): void {
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
	provider.onForm = (request, form) => requests.noteForm(request, form);
}

/** Holds responses back, and fails requests. */
function addFaults(app: App, { state, faults, requests, clock }: ControlContext, marks: Marks) {
	const holdBack = createHolding(state);
	/** Connections that never get a response. */
	const hanging = new Set<Socket>();
	app.addHook('preClose', async () => {
		for (const socket of hanging) socket.destroy();
	});
	app.addHook('onRequest', async (request, reply) => {
		if (isControl(request)) return;
		if (clock.offsetSeconds !== 0) void reply.header('date', new Date(clock.now()).toUTCString());
		const isServed = state.latencyMs === 0 || (await holdBack());
		const path = requests.entryOf(request.raw)?.path ?? '';
		const fault = isServed ? faults.take(request.method, path) : tooMany;
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
		if (state.refusesMore && held >= state.atOnce) return false;
		while (held >= state.atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
		held += 1;
		await sleep(state.latencyMs);
		held -= 1;
		waiting.shift()?.();
		return true;
	};
}

/** The response of a gateway that has too many requests under way. */
const tooMany = faultSchema.parse({ status: 503, body: 'html' });

const html =
	'<!doctype html>\n<html><head><title>Error</title></head><body><h1>Something went wrong</h1><p>nginx</p></body></html>';

/** Content type and text of a fault's body; undefined for none. */
function faultBody({ body, json, status }: Fault): [type: string, text: string] | undefined {
	switch (body) {
		case 'empty':
			return undefined;
		case 'html':
			return ['text/html; charset=utf-8', html];
		case 'plain':
			return [
				'text/plain; charset=utf-8',
				'upstream connect error or disconnect/reset before headers',
			];
		case 'json':
			return ['application/json; charset=utf-8', JSON.stringify(json ?? null)];
		case 'problem': {
			const extra = typeof json === 'object' && json !== null ? json : {};
			const made = problem('internal-error', 'A fault that was asked for.').problem;
			return [problemType, JSON.stringify({ ...made, status, ...extra })];
		}
	}
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

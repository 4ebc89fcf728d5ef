import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate, Principal } from '../auth/authenticate.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Fault, Faults } from '../control/faults.ts';
import type { RequestLog } from '../control/requestLog.ts';
import { isProblemError, problem, problemBody } from './problem.ts';
import type { RateLimiter } from './rateLimit.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { IdentityStore } from '../storage/identities.ts';

/** What stands before and after every endpoint: log, faults, latency, credentials, rate limits. */
export interface Guard {
	/** Runs before a request of the API. */
	onApiRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
	/** Runs before a request that needs no credentials. */
	onPublicRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
	/** Runs before an answer goes out. */
	onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown>;
}

/** What the guard is made from. */
export interface GuardOptions {
	authenticate: Authenticate;
	identities: IdentityStore;
	limiter: RateLimiter;
	clock: Clock;
	settings: RuntimeSettings;
	faults: Faults;
	requests: RequestLog;
}

const faultBodies = {
	html: [
		'text/html; charset=utf-8',
		'<!doctype html>\n<html><head><title>Error</title></head><body><h1>Something went wrong</h1><p>nginx</p></body></html>',
	],
	plain: ['text/plain; charset=utf-8', 'upstream connect error or disconnect/reset before headers'],
} as const;

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

/** The `{wid}` of a request's path, if it has one. */
function workspaceOf(request: FastifyRequest): string | undefined {
	const params = request.params as Record<string, string> | undefined;
	return params?.wid;
}

/** Makes the guard. */
export function createGuard(options: GuardOptions): Guard {
	const { authenticate, identities, limiter, clock, settings, faults, requests } = options;
	/** Faults that act when the answer goes out. */
	const late = new WeakMap<FastifyRequest, Fault>();

	const checkAccess = (principal: Principal, request: FastifyRequest) => {
		const wid = workspaceOf(request);
		if (wid !== undefined && wid !== principal.workspaceId) {
			throw identities.workspace(wid)
				? problem(
						'workspace-access-denied',
						`The credential does not belong to workspace "${wid}".`,
					)
				: problem('workspace-not-found', `Workspace "${wid}" does not exist.`);
		}
		const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
		if (principal.role === 'viewer' && !reads) {
			throw problem('insufficient-role', 'The role "viewer" may read but not change anything.');
		}
	};

	/** Counts the request, writes the headers and refuses where the limit is reached. */
	const limit = (caller: string, reply: FastifyReply) => {
		const state = limiter.take(caller);
		void reply.headers(limiter.headers(state));
		if (state.allowed) return;
		const error = problem(
			'rate-limit-exceeded',
			`More than ${state.limit} requests in this window. See the X-RateLimit-Reset header.`,
		);
		const { status } = limiter.answer;
		throw Object.assign(error, { problem: { ...error.problem, status } });
	};

	/** Notes the request and plays faults. @returns whether the request ends here */
	const before = async (request: FastifyRequest, reply: FastifyReply) => {
		const logged = requests.note('api', request.raw, reply.raw);
		if (clock.offsetSeconds !== 0) {
			void reply.header('date', new Date(clock.now()).toUTCString());
		}
		if (settings.latencyMs > 0) await sleep(settings.latencyMs);
		const fault = faults.take(request.method, logged.path);
		switch (fault?.mode) {
			case 'answer':
				answerFault(fault, reply);
				return { logged, ended: true };
			case 'dropBefore':
				reply.hijack();
				request.raw.socket.destroy();
				return { logged, ended: true };
			case 'hang':
				reply.hijack();
				return { logged, ended: true };
			case 'dropAfter':
			case 'slowBody':
				late.set(request, fault);
		}
		return { logged, ended: false };
	};

	return {
		async onApiRequest(request, reply) {
			const { logged, ended } = await before(request, reply);
			if (ended) return reply;
			let principal: Principal;
			try {
				principal = await authenticate(request.headers.authorization);
			} catch (error) {
				// Guessing is limited too, by address.
				if (isProblemError(error)) limit(`address:${request.ip}`, reply);
				throw error;
			}
			logged.authorization = principal.kind;
			limit(principal.id, reply);
			checkAccess(principal, request);
		},
		async onPublicRequest(request, reply) {
			const { ended } = await before(request, reply);
			if (ended) return reply;
			limit(`address:${request.ip}`, reply);
		},
		async onSend(request, reply, payload) {
			const fault = late.get(request);
			if (!fault) return payload;
			late.delete(request);
			if (fault.mode === 'dropAfter') {
				request.raw.socket.destroy();
				return payload;
			}
			if (typeof payload !== 'string') return payload;
			void reply.removeHeader('content-length');
			return Readable.from(byteByByte(payload, fault.byteMs));
		},
	};
}

/** Stands before every endpoint: rate limits, credentials, access. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate, Principal } from '../auth/authenticate.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { IdentityStore } from '../storage/identities.ts';
import { type Limiter, rateHeaders, type Rates, type RateState } from '../foundation/limiter.ts';
import { problem, type ProblemError } from './problem.ts';

/** The checks of a request, and the headers that its answer gets. */
export interface Guard {
	/** Runs before a request of the API. */
	onApiRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
	/** Runs before a request that needs no credentials. */
	onPublicRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
	/** Runs before an attempt to sign in; right or wrong, as a guess must not show by its answer. */
	onSignIn(request: FastifyRequest, reply: FastifyReply): Promise<void>;
	/** Charges the bytes of a body or an answer to the key that they are for. */
	charge(request: FastifyRequest, bytes: number): void;
	/** The headers of an answer to something that was no request, by its address; counts it. */
	headersFor(address: string): Record<string, string>;
}

/**
 * How long a request beyond a key's bytes waits for its refusal, in ms: a client that does not wait until the second is
 * over would keep the event loop busy with nothing but refusals, 0.2 ms each.
 */
export const refusalPauseMs = 50;

/** The parts that the guard is made from. */
export interface GuardOptions {
	authenticate: Authenticate;
	identities: IdentityStore;
	limiter: Limiter;
	rates: Rates;
	clock: Clock;
	quotas: Pick<Quotas, 'wrongCredentialsPerMinute' | 'signInsPerMinute' | 'bytesPerSecond'>;
}

/** Why a credential is refused. @see RFC 6750, section 3 */
function refuseCredential(reason: 'missing' | 'unknown'): ProblemError {
	const challenge = 'Bearer realm="workspace-data"';
	return reason === 'missing'
		? problem(
				'authentication-required',
				'Send "Authorization: Bearer" with an API key or an access token.',
				{ headers: { 'www-authenticate': challenge } },
			)
		: problem(
				'invalid-credentials',
				'The API key or access token is unknown, expired or revoked.',
				{ headers: { 'www-authenticate': `${challenge}, error="invalid_token"` } },
			);
}

/** Refuses who is signed in elsewhere, or may not change anything. */
function checkAccess(identities: IdentityStore, principal: Principal, request: FastifyRequest) {
	const { wid } = (request.params ?? {}) as { wid?: string };
	if (wid !== undefined && wid !== principal.workspaceId) {
		throw identities.workspace(wid)
			? problem('workspace-access-denied', `The credential does not belong to workspace "${wid}".`)
			: problem('workspace-not-found', `Workspace "${wid}" does not exist.`);
	}
	const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
	if (principal.role === 'viewer' && !reads) {
		throw problem('insufficient-role', 'The role "viewer" may read but not change anything.');
	}
}

/** Makes the guard. */
export function createGuard(options: GuardOptions): Guard {
	const { authenticate, identities, limiter, rates, clock, quotas } = options;
	const perMinute = (limit: number) => ({ limit, windowMs: 60_000 });
	const bytes = { limit: quotas.bytesPerSecond, windowMs: 1_000 };
	const bytesOf = (caller: string) => `bytes:${caller}`;

	/** Writes the headers and refuses where the limit is reached. */
	const apply = (
		state: RateState,
		reply: FastifyReply,
		detail = `More than ${state.limit} requests in this window. See the X-RateLimit-Reset header.`,
	) => {
		void reply.headers(rateHeaders(state, clock));
		if (!state.allowed) throw problem('rate-limit-exceeded', detail);
	};

	/** Refuses a key that has used up its bytes; the announced body is charged before it is read. */
	const takeBytes = async (caller: string, request: FastifyRequest, reply: FastifyReply) => {
		const announced = Number(request.headers['content-length'] ?? 0) || 0;
		const state = limiter.take(bytesOf(caller), bytes, announced);
		if (state.allowed) return;
		await pause(refusalPauseMs);
		const { limit } = rates.of(caller, request.principal?.tier);
		apply(
			{ ...state, limit, remaining: 0 },
			reply,
			`More than ${bytes.limit} bytes in a second, bodies and answers together. See Retry-After.`,
		);
	};

	return {
		async onApiRequest(request, reply) {
			const found = await authenticate(request.headers.authorization);
			if (typeof found === 'string') {
				const most = Math.min(quotas.wrongCredentialsPerMinute, rates.of('').limit);
				apply(limiter.take(`wrong:${request.ip}`, perMinute(most)), reply);
				throw refuseCredential(found);
			}
			request.principal = found;
			apply(limiter.take(found.id, rates.of(found.id, found.tier)), reply);
			await takeBytes(found.id, request, reply);
			checkAccess(identities, found, request);
		},
		async onPublicRequest(request, reply) {
			apply(limiter.take(`address:${request.ip}`, rates.of('')), reply);
		},
		async onSignIn(request, reply) {
			const { signInsPerMinute } = quotas;
			apply(
				limiter.take(`sign-in:${request.ip}`, perMinute(signInsPerMinute)),
				reply,
				'Too many attempts to sign in. See Retry-After.',
			);
		},
		charge({ principal }, amount) {
			if (principal) limiter.charge(bytesOf(principal.id), bytes, amount);
		},
		headersFor: (address) => rateHeaders(limiter.take(`address:${address}`, rates.of('')), clock),
	};
}

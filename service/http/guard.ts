/** Stands before every endpoint: rate limits, credentials, access. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate, Principal } from '../auth/authenticate.ts';
import type { Identities } from '../data/identities.ts';
import type { Clock } from '../foundation/clock.ts';
import {
	type Limiter,
	perMinute,
	rateHeaders,
	type Rates,
	type RateState,
} from '../foundation/limiter.ts';
import { type Problem, problem } from '../foundation/problem.ts';

/** The parts that the guard is made from. */
export interface GuardParts {
	authenticate: Authenticate;
	identities: Pick<Identities, 'workspace'>;
	limiter: Limiter;
	rates: Rates;
	clock: Clock;
}

/** Attempts to sign in, and requests with a wrong credential, by address and minute. */
const signInsPerMinute = 10;
const wrongCredentialsPerMinute = 300;

/** Why a credential is refused. @see RFC 6750, section 3 */
function refuseCredential(reason: 'missing' | 'unknown'): Problem {
	const challenge = 'Bearer realm="workspace-data"';
	const headers = { 'www-authenticate': challenge };
	if (reason === 'missing') {
		const detail = 'Send "Authorization: Bearer" with an API key or an access token.';
		return problem('authentication-required', detail, { headers });
	}
	headers['www-authenticate'] += ', error="invalid_token"';
	const detail = 'The API key or access token is unknown, expired or revoked.';
	return problem('invalid-credentials', detail, { headers });
}

/** The checks of a request, and the headers that its response gets. */
export class Guard {
	readonly #parts: GuardParts;

	constructor(parts: GuardParts) {
		this.#parts = parts;
	}

	/** Runs before a request of the API. */
	readonly onApiRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
		const { authenticate, limiter, rates } = this.#parts;
		const found = await authenticate(request.headers.authorization);
		if (typeof found === 'string') {
			// Apart from all else, so that a guesser takes nothing from good keys.
			const most = Math.min(wrongCredentialsPerMinute, rates.of('').limit);
			this.#apply(limiter.take(`wrong:${request.ip}`, perMinute(most)), reply);
			throw refuseCredential(found);
		}
		request.principal = found;
		this.#apply(limiter.take(found.id, rates.of(found.id)), reply);
		this.#checkAccess(found, request);
	};

	/** Runs before a request that needs no credentials. */
	readonly onPublicRequest = async (
		request: FastifyRequest,
		reply: FastifyReply,
	): Promise<void> => {
		const { limiter, rates } = this.#parts;
		this.#apply(limiter.take(`address:${request.ip}`, rates.of('')), reply);
	};

	/** Runs before an attempt to sign in; right or wrong, as a guess must not show by its response. */
	readonly onSignIn = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
		const caller = `sign-in:${request.ip}`;
		this.#apply(this.#parts.limiter.take(caller, perMinute(signInsPerMinute)), reply);
	};

	/** Writes the headers, and refuses if the limit is reached. */
	#apply(state: RateState, reply: FastifyReply): void {
		void reply.headers(rateHeaders(state, this.#parts.clock));
		if (state.allowed) return;
		throw problem('rate-limit-exceeded', `More than ${state.limit} requests. See Retry-After.`);
	}

	/** Refuses who is signed in elsewhere, or may not change anything. */
	#checkAccess(principal: Principal, request: FastifyRequest): void {
		const { wid } = (request.params ?? {}) as { wid?: string };
		if (wid !== undefined && wid !== principal.workspaceId) {
			throw this.#parts.identities.workspace(wid)
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
	}
}

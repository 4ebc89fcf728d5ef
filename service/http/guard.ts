/** Stands before every endpoint: rate limits, credentials, access. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, type Principal } from '../auth/authenticate.ts';
import type { IdentityProvider } from '../auth/provider.ts';
import type { Identities } from '../data/identities.ts';
import {
	type Allowance,
	type Limiter,
	perMinute,
	signInsPerMinute,
	wrongCredentialsPerMinute,
} from '../foundation/limiter.ts';
import { type Problem, problem } from '../foundation/problem.ts';

/** The parts that the guard is made from. */
export interface GuardParts {
	identities: Identities;
	provider: IdentityProvider;
	limiter: Limiter;
}

/** Why a credential is refused. @see RFC 6750, section 3 */
function refuseCredential(reason: 'missing' | 'unknown'): Problem {
	const challenge = 'Bearer realm="workspace-data"';
	if (reason === 'missing') {
		const detail = 'Send "Authorization: Bearer" with an API key or an access token.';
		const headers = { 'www-authenticate': challenge };
		return problem('authentication-required', detail, { headers });
	}
	const headers = { 'www-authenticate': `${challenge}, error="invalid_token"` };
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
		const { identities, provider, limiter } = this.#parts;
		const found = await authenticate(request.headers.authorization, identities, provider);
		if (typeof found === 'string') {
			// Apart from all else, so that a guesser takes nothing from good keys.
			const most = Math.min(wrongCredentialsPerMinute, limiter.standard.limit);
			this.#count(reply, `wrong:${request.ip}`, perMinute(most));
			throw refuseCredential(found);
		}
		this.#count(reply, found.id);
		this.#checkAccess(found, request);
	};

	/** Runs before a request that needs no credentials. */
	readonly onPublicRequest = async (request: FastifyRequest, reply: FastifyReply) => {
		this.#count(reply, `address:${request.ip}`);
	};

	/** Runs before an attempt to sign in; right or wrong, as a guess must not show by its response. */
	readonly onSignIn = async (request: FastifyRequest, reply: FastifyReply) => {
		this.#count(reply, `sign-in:${request.ip}`, perMinute(signInsPerMinute));
	};

	/** Counts a request, writes the headers, and refuses if the limit is reached. */
	#count(reply: FastifyReply, caller: string, allowance?: Allowance): void {
		const { limiter } = this.#parts;
		const state = limiter.take(caller, allowance);
		void reply.headers(limiter.headersOf(state));
		if (state.allowed) return;
		throw problem('rate-limit-exceeded', `More than ${state.limit} requests. See Retry-After.`);
	}

	/** Refuses who is signed in elsewhere, or may not change anything. */
	#checkAccess(principal: Principal, request: FastifyRequest): void {
		const { wid } = (request.params ?? {}) as { wid?: string };
		if (wid !== undefined && wid !== principal.workspaceId) {
			if (!this.#parts.identities.workspace(wid)) {
				throw problem('workspace-not-found', `Workspace "${wid}" does not exist.`);
			}
			const detail = `The credential does not belong to workspace "${wid}".`;
			throw problem('workspace-access-denied', detail);
		}
		const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
		if (principal.role === 'viewer' && !reads) {
			throw problem('insufficient-role', 'The role "viewer" may read but not change anything.');
		}
	}
}

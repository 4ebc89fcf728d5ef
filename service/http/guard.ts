import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate, Principal } from '../auth/authenticate.ts';
import type { Clock } from '../foundation/clock.ts';
import type { IdentityStore } from '../storage/identities.ts';
import { problem, type ProblemError } from './problem.ts';
import { rateHeaders, type RateLimiter, type RateState } from './rateLimit.ts';

/** Stands before every endpoint: rate limits, credentials, access. */
export interface Guard {
	/** Runs before a request of the API. */
	onApiRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
	/** Runs before a request that needs no credentials. */
	onPublicRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The parts that the guard is made from. */
export interface GuardOptions {
	authenticate: Authenticate;
	identities: IdentityStore;
	limiter: RateLimiter;
	clock: Clock;
	/** Counts a request with a wrong credential, by its address. */
	countWrong(request: FastifyRequest): Promise<RateState>;
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

/** Makes the guard. */
export function createGuard(options: GuardOptions): Guard {
	const { authenticate, identities, limiter, clock, countWrong } = options;

	const checkAccess = (principal: Principal, request: FastifyRequest) => {
		const { wid } = (request.params ?? {}) as { wid?: string };
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

	/** Writes the headers and refuses where the limit is reached. */
	const limit = (state: RateState, reply: FastifyReply) => {
		void reply.headers(rateHeaders(state, clock));
		if (state.allowed) return;
		throw problem(
			'rate-limit-exceeded',
			`More than ${state.limit} requests in this window. See the X-RateLimit-Reset header.`,
		);
	};

	return {
		async onApiRequest(request, reply) {
			const found = await authenticate(request.headers.authorization);
			if (typeof found === 'string') {
				limit(await countWrong(request), reply);
				throw refuseCredential(found);
			}
			request.principal = found;
			limit(limiter.take(found.id), reply);
			checkAccess(found, request);
		},
		async onPublicRequest(request, reply) {
			limit(limiter.take(`address:${request.ip}`), reply);
		},
	};
}

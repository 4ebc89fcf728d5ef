/** Stands before every endpoint: credentials, rate limits, access. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identities, Role } from '../data/identities.ts';
import { type Allowance, type Limiter, perMinute } from '../foundation/limiter.ts';
import { problem } from '../foundation/problem.ts';
import type { IdentityProvider } from './provider.ts';

/** Attempts to sign in, by address. */
const signIns = perMinute(10);

/** Who a request comes from. */
interface Principal {
	/** ID of the key, client ID of the account: what rate limits are counted by. */
	id: string;
	workspaceId: string;
	role: Role;
}

/** The checks of a request, and the headers that its response gets. */
export class Guard {
	readonly #identities: Identities;
	readonly #provider: IdentityProvider;
	readonly #limiter: Limiter;

	constructor(identities: Identities, provider: IdentityProvider, limiter: Limiter) {
		this.#identities = identities;
		this.#provider = provider;
		this.#limiter = limiter;
	}

	/** Runs before a request of the API. */
	readonly onApiRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
		const bearer = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
		const principal = bearer === undefined ? undefined : await this.#authenticate(bearer);
		if (!principal) {
			// Apart from good keys, so that a guesser takes nothing from them.
			await this.onPublicRequest(request, reply);
			throw refuseCredential(bearer);
		}
		this.#count(reply, principal.id);
		this.#checkAccess(principal, request);
	};

	/** Runs before a request that needs no credentials. */
	readonly onPublicRequest = async (request: FastifyRequest, reply: FastifyReply) =>
		this.#count(reply, `address:${request.ip}`);

	/** Runs before an attempt to sign in; right or wrong, as a guess must not show by its response. */
	readonly onSignIn = async (request: FastifyRequest, reply: FastifyReply) =>
		this.#count(reply, `sign-in:${request.ip}`, signIns);

	/** Finds out who a request comes from: API keys first, then access tokens. @see service interface, part 5 */
	async #authenticate(bearer: string): Promise<Principal | undefined> {
		const key = this.#identities.findKey(bearer);
		if (key) {
			const { id, workspaceId, revokedAt } = key;
			return revokedAt === null ? { id, workspaceId, role: 'editor' } : undefined;
		}
		const account = this.#identities.account((await this.#provider.clientIdOf(bearer)) ?? '');
		if (account?.revokedAt !== null) return undefined;
		return { id: account.clientId, workspaceId: account.workspaceId, role: account.role };
	}

	/** Counts a request, writes the headers, and refuses if the limit is reached. */
	#count(reply: FastifyReply, caller: string, allowance?: Allowance): void {
		const { isAllowed, limit, headers } = this.#limiter.take(caller, allowance);
		void reply.headers(headers);
		if (isAllowed) return;
		throw problem('rate-limit-exceeded', `More than ${limit} requests. See Retry-After.`);
	}

	/** Refuses who is signed in elsewhere, or may not change anything. */
	#checkAccess(principal: Principal, request: FastifyRequest): void {
		const { wid } = (request.params ?? {}) as { wid?: string };
		if (wid !== undefined && wid !== principal.workspaceId) {
			throw this.#identities.workspace(wid)
				? problem('workspace-access-denied', `The credential is not for workspace "${wid}".`)
				: problem('workspace-not-found', `Workspace "${wid}" does not exist.`);
		}
		const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
		if (principal.role === 'viewer' && !reads) {
			throw problem('insufficient-role', 'The role "viewer" may read but not change anything.');
		}
	}
}

/** Why a credential is refused. @see RFC 6750, section 3 */
function refuseCredential(bearer: string | undefined) {
	const challenge = 'Bearer realm="workspace-data"';
	if (bearer === undefined) {
		const detail = 'Send "Authorization: Bearer" with an API key or an access token.';
		const headers = { 'www-authenticate': challenge };
		return problem('authentication-required', detail, { headers });
	}
	const headers = { 'www-authenticate': `${challenge}, error="invalid_token"` };
	const detail = 'The API key or access token is unknown, expired or revoked.';
	return problem('invalid-credentials', detail, { headers });
}

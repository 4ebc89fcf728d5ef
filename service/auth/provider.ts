/** The identity provider: a separate listener that issues access tokens for service accounts. */
import { generateKeyPairSync } from 'node:crypto';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Adapter, type AdapterPayload, type JWK, Provider } from 'oidc-provider';
import { FifoMap } from 'toad-cache';
import type { Identities } from '../data/identities.ts';
import { boundConnections, connectionOptions } from '../foundation/connections.ts';
import { hashSecret, secretMatches } from '../foundation/secrets.ts';
import type { Settings } from '../foundation/settings.ts';

/** Path of the token endpoint below the realm. @see service interface, part 4 */
const tokenPath = '/protocol/openid-connect/token';

/** Tokens that are kept, of all accounts. */
const maximumTokens = 10_000;

/** The parts that the provider is made from. */
export interface IdentityProviderParts {
	host: string;
	authPort: number;
	realm: string;
	drainMs: number;
	settings: Settings;
	identities: Identities;
	/** Told about errors of the provider itself, in words without secrets. */
	report(message: string): void;
}

/** Issues access tokens, and knows whose they are. @see service interface, part 5; RFC 6749 section 4.4 */
export class IdentityProvider {
	/** Its HTTP application; takes hooks until `listen` is called. */
	readonly app = fastify({ ...connectionOptions, exposeHeadRoutes: false });
	readonly #parts: IdentityProviderParts;
	readonly #mount: string;
	/** By the hash of the token; in memory, so a restart ends all. */
	readonly #tokens = new FifoMap<AdapterPayload>(maximumTokens);
	#provider: Provider | undefined;
	#handle: ReturnType<Provider['callback']> | undefined;

	constructor(parts: IdentityProviderParts) {
		this.#parts = parts;
		this.#mount = `/realms/${encodeURIComponent(parts.realm)}`;
		boundConnections(this.app, parts.drainMs);
		// The library reads the body itself.
		this.app.removeAllContentTypeParsers();
		this.app.addContentTypeParser('*', (_request, _body, done) => done(null));
		this.app.all('/*', (request, reply) => this.#serve(request, reply));
	}

	/** Starts to listen. @throws the system's error if the port cannot be had */
	async listen(): Promise<{ authUrl: string; tokenUrl: string }> {
		const { host, authPort } = this.#parts;
		const authUrl = originOf(host, await this.app.listen({ port: authPort, host }));
		this.#provider = this.#createProvider(authUrl + this.#mount);
		this.#handle = this.#provider.callback();
		return { authUrl, tokenUrl: authUrl + this.#mount + tokenPath };
	}

	/** The account behind an access token; undefined if the token is unknown, expired or revoked. */
	async clientIdOf(token: string): Promise<string | undefined> {
		return (await this.#provider?.ClientCredentials.find(token))?.clientId;
	}

	/** Ends an account's tokens; it can get new ones. @returns how many there were */
	revokeTokens(clientId: string): number {
		const own = [...this.#tokens.keys()].filter(
			(key) => this.#tokens.get(key)?.clientId === clientId,
		);
		this.#tokens.deleteMany(own);
		return own.length;
	}

	#serve(request: FastifyRequest, reply: FastifyReply): FastifyReply {
		const { url } = request;
		if (!url.startsWith(`${this.#mount}/`)) {
			return refuse(reply, 404, 'not_found', 'Realm does not exist');
		}
		// The library would take the secret from a Basic header, too; the interface knows the form only.
		if (request.headers.authorization !== undefined) {
			void reply.header('www-authenticate', 'Basic realm="workspace-data"');
			return refuse(reply, 401, 'invalid_client', 'Send the secret in the form body');
		}
		reply.hijack();
		// The library finds out where it is mounted by comparing the two.
		Object.assign(request.raw, { originalUrl: url, url: url.slice(this.#mount.length) });
		void this.#handle?.(request.raw, reply.raw);
		return reply;
	}

	#createProvider(issuer: string): Provider {
		const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
		const signingKey = privateKey.export({ format: 'jwk' }) as JWK;
		const provider = new Provider(issuer, {
			adapter: (model: string) => this.#adapter(model),
			clientAuthMethods: ['client_secret_post'],
			features: {
				clientCredentials: { enabled: true },
				devInteractions: { enabled: false },
				rpInitiatedLogout: { enabled: false },
				userinfo: { enabled: false },
			},
			// Tokens are opaque and nobody signs in; without a key and a cookie secret the library warns.
			jwks: { keys: [signingKey] },
			clientDefaults: { id_token_signed_response_alg: 'ES256' },
			cookies: { keys: ['unused'] },
			routes: { token: tokenPath },
			scopes: [],
			ttl: { ClientCredentials: () => this.#parts.settings.tokenLifetimeSeconds },
		});
		provider.Client.prototype.compareClientSecret = function compare(presented: string) {
			return this.clientSecret !== undefined && secretMatches(presented, this.clientSecret);
		};
		provider.on('server_error', (_context, error) =>
			this.#parts.report(`identity provider: ${error.message}`),
		);
		return provider;
	}

	/** What the library reads and keeps: clients, which are the service accounts, and tokens. */
	#adapter(model: string): Adapter {
		const nothing = async () => undefined;
		return {
			find: async (id) => {
				if (model === 'Client') return this.#clientOf(id);
				const found = this.#tokens.get(hashSecret(id));
				return found && { ...found, jti: id };
			},
			// Without its `jti`, which is the token itself.
			upsert: async (id, { jti: _token, ...kept }) => this.#tokens.set(hashSecret(id), kept),
			destroy: async (id) => this.#tokens.delete(hashSecret(id)),
			// Only flows with users need these, and only client credentials are enabled.
			findByUserCode: nothing,
			findByUid: nothing,
			consume: nothing,
			revokeByGrantId: nothing,
		};
	}

	/** A service account as the library knows it. */
	#clientOf(clientId: string): AdapterPayload | undefined {
		const account = this.#parts.identities.account(clientId);
		if (account?.revokedAt !== null) return undefined;
		return {
			client_id: clientId,
			// The hash stands in for the secret; the comparison is ours.
			client_secret: account.secretHash,
			client_name: account.name,
			grant_types: ['client_credentials'],
			response_types: [],
			redirect_uris: [],
			token_endpoint_auth_method: 'client_secret_post',
		};
	}
}

/**
 * The address of a listener, for clients on this machine if it listens on all of its addresses.
 * @param listening address that Fastify says
 */
export function originOf(host: string, listening: string): string {
	const { port } = new URL(listening);
	const isWildcard = ['0.0.0.0', '::', '[::]'].includes(host);
	const name = isWildcard ? '127.0.0.1' : host;
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Responds with an error as OAuth writes it. @see RFC 6749, section 5.2 */
function refuse(reply: FastifyReply, status: number, error: string, error_description: string) {
	return reply.code(status).header('cache-control', 'no-store').send({ error, error_description });
}

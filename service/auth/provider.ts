/** The identity provider: a separate listener that issues access tokens for service accounts. */
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type JWK, Provider } from 'oidc-provider';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { type Limiter, perMinute } from '../foundation/limiter.ts';
import { secretMatches } from '../foundation/secrets.ts';
import { boundConnections, connectionOptions } from '../http/connections.ts';
import type { ResolvedOptions } from '../options.ts';
import { createAdapter } from './adapter.ts';

/** Path of the token endpoint below the realm. @see service interface, part 4 */
const tokenPath = '/protocol/openid-connect/token';

/** Token requests by address and minute; right or wrong, as a guess must not show by its response. */
const tokenRequests = perMinute(120);

/** The parts that the provider is made from. */
export interface IdentityProviderOptions extends ResolvedOptions {
	data: WorkspaceData;
	limiter: Limiter;
	/** Told about errors of the provider itself, in words without secrets. */
	report(message: string): void;
}

/** Issues access tokens, and knows whose they are. @see service interface, part 5; RFC 6749 section 4.4 */
export class IdentityProvider {
	/** Its HTTP application; takes hooks until `listen` is called. */
	readonly app: FastifyInstance;
	/** Is shown every response of the token endpoint before it goes out. */
	onToken: (body: Record<string, unknown>) => void = () => {};
	/** Is shown the form of every request that the library has read. */
	onForm: (request: IncomingMessage, form: Record<string, unknown>) => void = () => {};
	readonly #options: IdentityProviderOptions;
	readonly #mount: string;
	#provider: Provider | undefined;
	#handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};

	constructor(options: IdentityProviderOptions) {
		this.#options = options;
		this.#mount = `/realms/${encodeURIComponent(options.realm)}`;
		const { trustProxy, drainMs } = options;
		this.app = fastify({ ...connectionOptions, exposeHeadRoutes: false, trustProxy });
		boundConnections(this.app, drainMs);
		// The library reads the body itself.
		this.app.removeAllContentTypeParsers();
		this.app.addContentTypeParser('*', (_request, _body, done) => done(null));
		this.app.all('/*', (request, reply) => this.#serve(request, reply));
	}

	/** Starts to listen. @throws the system's error if the port cannot be had */
	async listen(): Promise<{ authUrl: string; tokenUrl: string }> {
		const { host, authPort, publicAuthUrl } = this.#options;
		const { port } = new URL(await this.app.listen({ port: authPort, host }));
		const authUrl = publicAuthUrl ?? originOf(host, Number(port));
		const provider = createProvider(authUrl + this.#mount, this.#options);
		provider.use(async (context, next) => {
			await next();
			const form: unknown = context.oidc?.body;
			if (form) this.onForm(context.req, form as Record<string, unknown>);
			if (context.oidc?.route !== 'token' || context.status !== 200) return;
			this.onToken(context.body as Record<string, unknown>);
		});
		this.#provider = provider;
		this.#handle = provider.callback();
		return { authUrl, tokenUrl: authUrl + this.#mount + tokenPath };
	}

	/** The account behind an access token; undefined if the token is unknown, expired or revoked. */
	async clientIdOf(token: string): Promise<string | undefined> {
		// The adapter finds living tokens only; the library would judge by a clock that can step.
		const found = await this.#provider?.ClientCredentials.find(token, { ignoreExpiration: true });
		return found?.clientId;
	}

	#serve(request: FastifyRequest, reply: FastifyReply): FastifyReply {
		const { url } = request;
		const mount = this.#mount;
		if (!url.startsWith(`${mount}/`)) {
			return refuse(reply, 404, 'not_found', 'Realm does not exist');
		}
		const path = url.slice(mount.length);
		if (isTokenPath(path)) {
			const state = this.#options.limiter.take(`token:${request.ip}`, tokenRequests);
			if (!state.allowed) {
				void reply.header('retry-after', Math.ceil(state.resetsInMs / 1000));
				return refuse(reply, 429, 'temporarily_unavailable', 'See Retry-After');
			}
			// The library would take the secret from a Basic header, too; the interface knows the form only.
			if (request.headers.authorization !== undefined) {
				void reply.header('www-authenticate', 'Basic realm="workspace-data"');
				return refuse(reply, 401, 'invalid_client', 'Send the secret in the form body');
			}
		}
		reply.hijack();
		// The library finds out where it is mounted by comparing the two.
		Object.assign(request.raw, { originalUrl: url, url: path });
		this.#handle(request.raw, reply.raw);
		return reply;
	}
}

/** The address of a listener, for clients on this machine if it listens on all of its addresses. */
export function originOf(host: string, port: number): string {
	const isWildcard = ['0.0.0.0', '::', '[::]'].includes(host);
	const name = isWildcard ? '127.0.0.1' : host;
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Whether the library takes an address for the token endpoint: any case, a slash more, any query. */
function isTokenPath(url: string): boolean {
	const [path = ''] = url.split('?', 1);
	return path.toLowerCase().replace(/\/$/, '') === tokenPath;
}

/** Responds with an error as OAuth writes it. @see RFC 6749, section 5.2 */
function refuse(reply: FastifyReply, status: number, error: string, error_description: string) {
	return reply.code(status).header('cache-control', 'no-store').send({ error, error_description });
}

function createProvider(issuer: string, options: IdentityProviderOptions): Provider {
	const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const signingKey = privateKey.export({ format: 'jwk' }) as JWK;
	const provider = new Provider(issuer, {
		adapter: createAdapter(options.data),
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
		ttl: { ClientCredentials: () => options.settings.tokenLifetimeSeconds },
	});
	provider.Client.prototype.compareClientSecret = function compare(presented: string) {
		return this.clientSecret !== undefined && secretMatches(presented, this.clientSecret);
	};
	provider.on('server_error', (_context, error) =>
		options.report(`identity provider: ${error.message}`),
	);
	return provider;
}

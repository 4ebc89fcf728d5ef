import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { generateKeyPairSync } from 'node:crypto';
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import { type Adapter, type AdapterPayload, type JWK, Provider } from 'oidc-provider';
import type { Quotas } from '../foundation/quotas.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import { secretMatches } from '../foundation/secrets.ts';
import type { Store } from '../storage/store.ts';
import { createTokenStore } from '../storage/tokens.ts';

/** The identity provider: a separate listener that issues access tokens for service accounts. */
export interface IdentityProvider {
	/** Its HTTP application; takes hooks until `listen` is called. */
	readonly app: FastifyInstance;
	/** Adds a step that sees every answer of the token endpoint before it goes out. */
	onToken(see: (answer: Record<string, unknown>) => void): void;
	/** Starts to listen. @throws the system's error where the port cannot be had */
	listen(): Promise<{
		/** {auth_url} of the interface. */
		authUrl: string;
		/** The token endpoint. */
		tokenUrl: string;
	}>;
	/** The account behind an access token, or undefined where the token is unknown, expired or revoked. */
	clientIdOf(token: string): Promise<string | undefined>;
	close(): Promise<void>;
}

/** Path of the token endpoint below the realm. @see service interface, part 4 */
const tokenPath = '/protocol/openid-connect/token';

/** The parts that the provider is made from. */
export interface IdentityProviderOptions {
	host: string;
	port: number;
	/** The address by which others reach it, if it differs from the address it listens on. */
	publicUrl?: string | undefined;
	realm: string;
	store: Store;
	settings: Pick<RuntimeSettings, 'tokenLifetimeSeconds'>;
	quotas: Pick<Quotas, 'tokenRequestsPerMinute'>;
	/** Where requests are counted by address. */
	windows: NonNullable<RateLimitOptions['store']>;
	/** Told about errors of the provider itself, in words without secrets. */
	report(message: string): void;
}

/** Whether the library takes an address for the token endpoint: any case, a slash more, any query. */
function isTokenPath(url: string): boolean {
	const [path = ''] = url.split('?', 1);
	return path.toLowerCase().replace(/\/$/, '') === tokenPath;
}

/** Answers with an error as OAuth writes it. @see RFC 6749, section 5.2 */
function refuse(
	reply: FastifyReply,
	status: number,
	error: string,
	description: string,
	headers: Record<string, string> = {},
): FastifyReply {
	return reply
		.code(status)
		.headers({ 'cache-control': 'no-store', ...headers })
		.type('application/json')
		.send(JSON.stringify({ error, error_description: description }));
}

/** Keeps tokens in our database, and reads clients from the service accounts. */
function createAdapter(store: Store): (model: string) => Adapter {
	const tokens = createTokenStore(store.database);
	return (model) => ({
		async find(id) {
			if (model !== 'Client') return tokens.find(model, id) as AdapterPayload | undefined;
			const account = store.identities.account(id);
			if (!account || account.revokedAt !== null) return undefined;
			return {
				client_id: account.clientId,
				// The hash stands in for the secret; the comparison is ours (see below).
				client_secret: account.secretHash,
				client_name: account.name,
				grant_types: ['client_credentials'],
				response_types: [],
				redirect_uris: [],
				token_endpoint_auth_method: 'client_secret_post',
			};
		},
		async upsert(id, payload, expiresIn) {
			tokens.upsert(model, id, payload as Record<string, unknown>, expiresIn);
		},
		async destroy(id) {
			tokens.remove(model, id);
		},
		// Only flows with users need these, and only client credentials are enabled.
		async findByUserCode() {
			return undefined;
		},
		async findByUid() {
			return undefined;
		},
		async consume() {},
		async revokeByGrantId() {},
	});
}

function createProvider(
	issuer: string,
	options: IdentityProviderOptions,
	see: (answer: Record<string, unknown>) => void,
): Provider {
	const { store, settings } = options;
	const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const signingKey = privateKey.export({ format: 'jwk' }) as JWK;
	const provider = new Provider(issuer, {
		adapter: createAdapter(store),
		clientAuthMethods: ['client_secret_post'],
		features: {
			clientCredentials: { enabled: true },
			devInteractions: { enabled: false },
			introspection: { enabled: false },
			revocation: { enabled: false },
			rpInitiatedLogout: { enabled: false },
			userinfo: { enabled: false },
		},
		// Tokens are opaque and nobody signs in; without a key and a cookie secret the library warns.
		jwks: { keys: [signingKey] },
		clientDefaults: { id_token_signed_response_alg: 'ES256' },
		cookies: { keys: ['unused'] },
		routes: { token: tokenPath },
		scopes: [],
		ttl: { ClientCredentials: () => settings.tokenLifetimeSeconds },
	});
	provider.Client.prototype.compareClientSecret = function compare(presented: string) {
		return this.clientSecret !== undefined && secretMatches(presented, this.clientSecret);
	};
	provider.on('server_error', (_context, error) =>
		options.report(`identity provider: ${error.message}`),
	);
	provider.use(async (context, next) => {
		await next();
		if (context.oidc?.route !== 'token' || context.status !== 200) return;
		see(context.body as Record<string, unknown>);
	});
	return provider;
}

/** The address of a listener, for clients on this machine where it listens on all of its addresses. */
export function originOf(host: string, port: number): string {
	const wildcard = ['0.0.0.0', '::', '[::]'].includes(host);
	const name = wildcard ? '127.0.0.1' : host;
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Makes the identity provider.
 * @see service interface, part 5; RFC 6749 section 4.4
 */
export async function createIdentityProvider(
	options: IdentityProviderOptions,
): Promise<IdentityProvider> {
	const { host, realm, quotas } = options;
	const mount = `/realms/${encodeURIComponent(realm)}`;
	const isToken = (url: string) =>
		url.startsWith(`${mount}/`) && isTokenPath(url.slice(mount.length));
	let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
	let provider: Provider | undefined;
	const sights: Array<(answer: Record<string, unknown>) => void> = [];

	const app = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
	for (const method of METHODS) {
		if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
	}
	app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
		const { statusCode = 500 } = error;
		if (statusCode === 429) {
			return refuse(
				reply,
				429,
				'temporarily_unavailable',
				'Too many token requests; see Retry-After',
			);
		}
		if (statusCode >= 500) options.report(`identity provider: ${error.message}`);
		return refuse(
			reply,
			statusCode,
			statusCode < 500 ? 'invalid_request' : 'server_error',
			'Failed',
		);
	});
	app.setNotFoundHandler((_request, reply) =>
		refuse(reply, 404, 'not_found', 'Realm does not exist'),
	);
	// The library reads the body itself.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _body, done) => done(null));
	await app.register(rateLimit, {
		max: quotas.tokenRequestsPerMinute,
		timeWindow: 60_000,
		keyGenerator: ({ ip }) => ip,
		allowList: ({ url }) => !isToken(url),
		store: options.windows,
		addHeaders: {
			'x-ratelimit-limit': false,
			'x-ratelimit-remaining': false,
			'x-ratelimit-reset': false,
		},
		addHeadersOnExceeding: {
			'x-ratelimit-limit': false,
			'x-ratelimit-remaining': false,
			'x-ratelimit-reset': false,
		},
	});
	app.after(() => {
		app.route({
			method: app.supportedMethods,
			url: '/*',
			handler(request, reply) {
				const { url } = request;
				if (!url.startsWith(`${mount}/`)) {
					return refuse(reply, 404, 'not_found', 'Realm does not exist');
				}
				// The library would take the secret from a Basic header, too; the interface knows the form only.
				if (isToken(url) && request.headers.authorization !== undefined) {
					return refuse(
						reply,
						401,
						'invalid_client',
						'Send client_id and client_secret in the form body',
						{ 'www-authenticate': 'Basic realm="workspace-data"' },
					);
				}
				reply.hijack();
				// The library finds out where it is mounted by comparing the two.
				Object.assign(request.raw, { originalUrl: url, url: url.slice(mount.length) });
				handle(request.raw, reply.raw);
				return reply;
			},
		});
	});

	return {
		app,
		onToken: (see) => void sights.push(see),
		async listen() {
			const { port } = new URL(await app.listen({ port: options.port, host }));
			const authUrl = options.publicUrl ?? originOf(host, Number(port));
			provider = createProvider(authUrl + mount, options, (answer) => {
				for (const see of sights) see(answer);
			});
			handle = provider.callback();
			return { authUrl, tokenUrl: authUrl + mount + tokenPath };
		},
		async clientIdOf(token) {
			return (await provider?.ClientCredentials.find(token))?.clientId;
		},
		async close() {
			await app.close();
		},
	};
}

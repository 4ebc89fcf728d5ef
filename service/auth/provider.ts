/** The identity provider: access tokens for service accounts. */
import fastify, {
	type FastifyBaseLogger,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	LogController,
} from 'fastify';
import { generateKeyPairSync } from 'node:crypto';
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import { type Adapter, type AdapterPayload, type JWK, Provider } from 'oidc-provider';
import type { Clock } from '../foundation/clock.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import { secretMatches } from '../foundation/secrets.ts';
import { boundConnections, connectionOptions, dropIfUnread } from '../listener/connections.ts';
import type { Limiter } from '../foundation/limiter.ts';
import type { Store } from '../storage/store.ts';
import { createTokenStore } from '../storage/tokens.ts';

/** The identity provider: a separate listener that issues access tokens for service accounts. */
export interface IdentityProvider {
	/** Its HTTP application; takes hooks until `listen` is called. */
	readonly app: FastifyInstance;
	/** Adds a listener that is shown every answer of the token endpoint before it goes out. */
	onToken(listener: (answer: Record<string, unknown>) => void): void;
	/** Adds a listener that is shown the form of every request that the library has read. */
	onForm(listener: FormListener): void;
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

/** Is shown the form of a token request. */
type FormListener = (request: IncomingMessage, form: Readonly<Record<string, unknown>>) => void;

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
	quotas: Quotas;
	/** Counts token requests by address. */
	limiter: Limiter;
	clock: Pick<Clock, 'steady'>;
	log: FastifyBaseLogger;
	/** Whether to believe a proxy's X-Forwarded-* headers. */
	trustProxy: boolean;
	/** How long requests may take to end when it closes, in ms. */
	drainMs: number;
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
function createAdapter(store: Store, clock: Pick<Clock, 'steady'>): (model: string) => Adapter {
	const tokens = createTokenStore(store.database, clock);
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
	listeners: { onToken(answer: Record<string, unknown>): void; onForm: FormListener },
): Provider {
	const { store, settings } = options;
	const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const signingKey = privateKey.export({ format: 'jwk' }) as JWK;
	const provider = new Provider(issuer, {
		adapter: createAdapter(store, options.clock),
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
		const form: unknown = context.oidc?.body;
		if (form) listeners.onForm(context.req, form as Record<string, unknown>);
		if (context.oidc?.route !== 'token' || context.status !== 200) return;
		listeners.onToken(context.body as Record<string, unknown>);
	});
	return provider;
}

/** The address of a listener, for clients on this machine where it listens on all of its addresses. */
export function originOf(host: string, port: number): string {
	const wildcard = ['0.0.0.0', '::', '[::]'].includes(host);
	const name = wildcard ? '127.0.0.1' : host;
	return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Refuses token requests beyond the limit of their address. */
function limitTokenRequests({ limiter, quotas }: IdentityProviderOptions) {
	const allowance = { limit: quotas.tokenRequestsPerMinute, windowMs: 60_000 };
	return (request: FastifyRequest, reply: FastifyReply) => {
		const state = limiter.take(`token:${request.ip}`, allowance);
		if (state.allowed) return undefined;
		const seconds = Math.max(1, Math.ceil(state.resetsInMs / 1000));
		return refuse(
			reply,
			429,
			'temporarily_unavailable',
			'Too many token requests; see Retry-After',
			{ 'retry-after': String(seconds) },
		);
	};
}

/** The listener around the library: it bounds connections and refuses what the library must not see. */
function createListener(
	options: IdentityProviderOptions,
	mount: string,
	handle: (request: IncomingMessage, response: ServerResponse) => void,
): FastifyInstance {
	const { quotas } = options;
	const isToken = (url: string) =>
		url.startsWith(`${mount}/`) && isTokenPath(url.slice(mount.length));
	const limit = limitTokenRequests(options);
	const app: FastifyInstance = fastify({
		...connectionOptions(quotas),
		loggerInstance: options.log,
		logController: new LogController({ disableRequestLogging: true }),
		exposeHeadRoutes: false,
		trustProxy: options.trustProxy,
	});
	boundConnections(app, quotas, options.drainMs);
	for (const method of METHODS) {
		if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
	}
	app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
		const { statusCode = 500 } = error;
		if (statusCode >= 500) options.report(`identity provider: ${error.message}`);
		return refuse(
			reply,
			statusCode,
			statusCode < 500 ? 'invalid_request' : 'server_error',
			'Failed',
		);
	});
	const noRealm = (reply: FastifyReply) => refuse(reply, 404, 'not_found', 'Realm does not exist');
	app.setNotFoundHandler((_request, reply) => noRealm(reply));
	// The library reads the body itself.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _body, done) => done(null));
	app.route({
		method: app.supportedMethods,
		url: '/*',
		onRequest: async (request, reply) => (isToken(request.url) ? limit(request, reply) : undefined),
		handler(request, reply) {
			const { url } = request;
			if (!url.startsWith(`${mount}/`)) return noRealm(reply);
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
			dropIfUnread(reply.raw, quotas);
			// The library finds out where it is mounted by comparing the two.
			Object.assign(request.raw, { originalUrl: url, url: url.slice(mount.length) });
			handle(request.raw, reply.raw);
			return reply;
		},
	});
	return app;
}

/**
 * Makes the identity provider.
 * @see service interface, part 5; RFC 6749 section 4.4
 */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
	const { host, realm } = options;
	const mount = `/realms/${encodeURIComponent(realm)}`;
	let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
	let provider: Provider | undefined;
	const onToken: Array<(answer: Record<string, unknown>) => void> = [];
	const onForm: FormListener[] = [];
	const app = createListener(options, mount, (request, response) => handle(request, response));

	return {
		app,
		onToken: (listener) => void onToken.push(listener),
		onForm: (listener) => void onForm.push(listener),
		async listen() {
			const { port } = new URL(await app.listen({ port: options.port, host }));
			const authUrl = options.publicUrl ?? originOf(host, Number(port));
			provider = createProvider(authUrl + mount, options, {
				onToken: (answer) => onToken.forEach((listener) => listener(answer)),
				onForm: (request, form) => onForm.forEach((listener) => listener(request, form)),
			});
			handle = provider.callback();
			return { authUrl, tokenUrl: authUrl + mount + tokenPath };
		},
		async clientIdOf(token) {
			// The adapter finds living tokens only; the library would judge by a clock that can step.
			const found = await provider?.ClientCredentials.find(token, { ignoreExpiration: true });
			return found?.clientId;
		},
		async close() {
			await app.close();
		},
	};
}

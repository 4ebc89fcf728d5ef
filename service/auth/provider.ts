import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Adapter, type AdapterPayload, type JWK, Provider } from 'oidc-provider';
import type { RequestLog } from '../control/requestLog.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import { createTokenStore } from '../storage/tokens.ts';
import type { Store } from '../storage/store.ts';
import type { Variants } from '../control/variants.ts';
import { secretMatches } from '../foundation/secrets.ts';
import type { TokenFaults } from '../control/tokenFaults.ts';

/** The identity provider: a listener of its own that issues access tokens for service accounts. */
export interface IdentityProvider {
	/** {auth_url} of the interface. */
	readonly authUrl: string;
	/** The token endpoint. */
	readonly tokenUrl: string;
	/** The account behind an access token, or undefined where the token is unknown, expired or revoked. */
	clientIdOf(token: string): Promise<string | undefined>;
	close(): Promise<void>;
}

/** Path of the token endpoint below the realm. @see service interface, part 4 */
const tokenPath = '/protocol/openid-connect/token';

/** What the provider is made from. */
export interface IdentityProviderOptions {
	host: string;
	port: number;
	realm: string;
	store: Store;
	settings: RuntimeSettings;
	variants: Variants;
	faults: TokenFaults;
	requests: RequestLog;
	/** Told about errors of the provider itself, in words without secrets. */
	report(message: string): void;
}

/** Listens, and rejects with the system's error where the port cannot be had. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, () => {
			server.off('error', reject);
			resolve();
		});
	});
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('not listening on a port');
	return address.port;
}

/** Whether the library takes an address for the token endpoint: any case, a slash more, any query. */
function isTokenPath(url: string): boolean {
	const [path = ''] = url.split('?', 1);
	return path.toLowerCase().replace(/\/$/, '') === tokenPath;
}

/** Answers with an error as OAuth writes it. @see RFC 6749, section 5.2 */
function refuse(
	response: ServerResponse,
	status: number,
	error: string,
	description: string,
	headers: Record<string, string> = {},
) {
	const common = { 'content-type': 'application/json', 'cache-control': 'no-store' };
	response
		.writeHead(status, { ...common, ...headers })
		.end(JSON.stringify({ error, error_description: description }));
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

function createProvider(issuer: string, options: IdentityProviderOptions): Provider {
	const { store, settings, variants, faults } = options;
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
		const body = context.body as Record<string, unknown>;
		if (!variants.tokenExpiresIn) delete body.expires_in;
		faults.alter(body);
	});
	return provider;
}

/**
 * Starts the identity provider.
 * @see service interface, part 5; RFC 6749 section 4.4
 */
export async function startIdentityProvider(
	options: IdentityProviderOptions,
): Promise<IdentityProvider> {
	const { host, realm, faults, requests } = options;
	const mount = `/realms/${encodeURIComponent(realm)}`;
	let handle: (request: IncomingMessage, response: ServerResponse) => void = (
		_request,
		response,
	) => {
		response.writeHead(503).end();
	};
	const server = createServer((request, response) => {
		requests.note('auth', request, response);
		const url = request.url ?? '/';
		if (!url.startsWith(`${mount}/`)) {
			refuse(response, 404, 'not_found', 'Realm does not exist');
			return;
		}
		if (isTokenPath(url.slice(mount.length))) {
			if (faults.answer(response)) return;
			// The library would take the secret from a Basic header, too; the interface knows the form only.
			if (request.headers.authorization !== undefined) {
				refuse(
					response,
					401,
					'invalid_client',
					'Send client_id and client_secret in the form body',
					{ 'www-authenticate': 'Basic realm="workspace-data"' },
				);
				return;
			}
		}
		// The library finds out where it is mounted by comparing the two.
		Object.assign(request, { originalUrl: url, url: url.slice(mount.length) });
		handle(request, response);
	});
	const port = await listen(server, options.port, host);
	const authUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
	const provider = createProvider(authUrl + mount, options);
	handle = provider.callback();

	return {
		authUrl,
		tokenUrl: authUrl + mount + tokenPath,
		async clientIdOf(token) {
			return (await provider.ClientCredentials.find(token))?.clientId;
		},
		async close() {
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			});
		},
	};
}

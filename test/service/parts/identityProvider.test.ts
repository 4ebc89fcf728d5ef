/** The identity provider by itself: who is refused, and who hears of what goes wrong. */
import fastify from 'fastify';
import { request } from 'node:http';
import { createIdentityProvider } from '../../../service/auth/provider.ts';
import { createLimiter } from '../../../service/foundation/limiter.ts';
import type { Quotas } from '../../../service/foundation/quotas.ts';
import { openedStore } from './openedStore.ts';

type Provider = ReturnType<typeof createIdentityProvider>;
let running: Provider | undefined;
afterEach(async () => await running?.close());

/** A provider with one account. */
async function started(given: Partial<Quotas> = {}) {
	const { store, wid, clock, quotas, time } = openedStore(given);
	const reported: string[] = [];
	const provider = createIdentityProvider({
		...{ host: '127.0.0.1', port: 0, realm: 'my realm', store, quotas, clock },
		settings: { tokenLifetimeSeconds: 60 },
		limiter: createLimiter(clock),
		log: fastify().log,
		trustProxy: false,
		drainMs: 0,
		report: (message) => void reported.push(message),
	});
	running = provider;
	const account = store.identities.createAccount(wid, 'Robot', 'editor');
	const { authUrl, tokenUrl } = await provider.listen();
	const ask = async (change: Record<string, string> = {}, url = tokenUrl) =>
		await fetch(url, {
			method: 'POST',
			body: new URLSearchParams({
				grant_type: 'client_credentials',
				client_id: account.clientId,
				client_secret: account.clientSecret,
				...change,
			}),
		});
	return { provider, store, time, account, authUrl, tokenUrl, ask, reported };
}

/** Sends a request as it stands: fetch would refuse or repair it. */
const send = async (url: string, method: string, path: string) =>
	await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
		const { hostname, port } = new URL(url);
		request({ hostname, port, method, path }, (answer) => {
			let text = '';
			answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
			answer.on('end', () => resolve({ status: answer.statusCode, text }));
		})
			.on('error', reject)
			.end();
	});

test('a token opens for its account until it or the account is gone', async () => {
	const { provider, account, ask, time } = await started();
	const { access_token: token } = (await (await ask()).json()) as { access_token: string };
	expect(await provider.clientIdOf(token)).toBe(account.clientId);
	expect(await provider.clientIdOf(`${token}x`)).toBeUndefined();
	time.now += 60_000;
	expect(await provider.clientIdOf(token)).toBeUndefined();
});

test('a database that fails is told to the log and to nobody else', async () => {
	const { store, ask, reported } = await started();
	store.close();
	const answer = await ask();
	expect([answer.status, (await answer.json()) as unknown]).toEqual([
		500,
		{ error: 'server_error', error_description: expect.not.stringContaining('database') },
	]);
	expect(reported).toEqual([expect.stringMatching(/^identity provider: ./)]);
});

test('a request that the client got wrong is not told to the log', async () => {
	const { authUrl, tokenUrl, ask, reported } = await started();
	expect((await ask({ client_secret: 'wrong' })).status).toBe(401);
	expect((await ask({ grant_type: '' })).status).toBe(400);
	expect((await send(authUrl, 'GET', new URL(tokenUrl).pathname)).status).toBe(404);
	expect((await send(authUrl, 'PROPFIND', new URL(tokenUrl).pathname)).status).toBe(404);
	expect(reported).toEqual([]);
});

test('every method is answered, also outside of the realm', async () => {
	const { authUrl } = await started();
	for (const method of ['GET', 'POST', 'PROPFIND', 'MKCOL', 'DELETE']) {
		const { status, text } = await send(authUrl, method, '/elsewhere');
		expect([status, JSON.parse(text)]).toEqual([
			404,
			{ error: 'not_found', error_description: 'Realm does not exist' },
		]);
	}
});

test('listeners see each good answer and the form of each request', async () => {
	const { provider, ask, account } = await started();
	const answers: unknown[] = [];
	const forms: unknown[] = [];
	provider.onToken((answer) => answers.push({ ...answer }));
	provider.onForm((_request, form) => forms.push(form.client_id));
	await ask();
	await ask({ client_id: 'nobody' });
	expect(answers).toEqual([
		{ access_token: expect.any(String), token_type: 'Bearer', expires_in: 60 },
	]);
	expect(forms).toEqual([account.clientId, 'nobody']);
});

describe('an address that asks for tokens too often', () => {
	test('waits until its minute is over, right or wrong', async () => {
		const { ask, time } = await started({ tokenRequestsPerMinute: 2 });
		expect((await ask()).status).toBe(200);
		expect((await ask({ client_secret: 'wrong' })).status).toBe(401);
		const refused = await ask();
		expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
		expect(refused.headers.get('cache-control')).toBe('no-store');
		expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
		expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
		time.now += 58_500;
		expect((await ask()).headers.get('retry-after')).toBe('2');
		time.now += 1_499;
		expect((await ask()).headers.get('retry-after')).toBe('1');
		time.now += 1;
		expect((await ask()).status).toBe(200);
	});

	test('cannot get around it by another spelling of the path', async () => {
		const { ask, tokenUrl } = await started({ tokenRequestsPerMinute: 1 });
		await ask();
		for (const url of [`${tokenUrl}/`, `${tokenUrl}?x=/`, tokenUrl.replace('token', 'TOKEN')]) {
			expect((await ask({}, url)).status).toBe(429);
		}
	});

	test('still reads what else is below the realm', async () => {
		const { ask, tokenUrl } = await started({ tokenRequestsPerMinute: 1 });
		await ask();
		const { pathname } = new URL(tokenUrl);
		const realm = pathname.slice(0, pathname.indexOf('/protocol'));
		expect(realm).toBe('/realms/my%20realm');
		const described = await fetch(new URL(`${realm}/.well-known/openid-configuration`, tokenUrl));
		expect([described.status, (await described.json()) as unknown]).toEqual([
			200,
			expect.objectContaining({ token_endpoint: tokenUrl }),
		]);
		expect((await ask({}, `${tokenUrl}x`)).status).toBe(404);
	});
});

test('tokens are not looked up, revoked or exchanged here, and nobody signs in', async () => {
	const { tokenUrl } = await started();
	const realm = tokenUrl.slice(0, tokenUrl.indexOf('/protocol'));
	const answer = await fetch(`${realm}/.well-known/openid-configuration`);
	const described = (await answer.json()) as Record<string, unknown>;
	expect(described).toMatchObject({
		issuer: realm,
		grant_types_supported: expect.arrayContaining(['client_credentials']),
		token_endpoint: tokenUrl,
		token_endpoint_auth_methods_supported: ['client_secret_post'],
	});
	for (const name of ['introspection', 'revocation', 'end_session', 'userinfo']) {
		expect(described).not.toHaveProperty(`${name}_endpoint`);
	}
	for (const path of ['token/introspection', 'token/revocation', 'session/end', 'me']) {
		for (const method of ['GET', 'POST']) {
			expect([path, (await fetch(`${realm}/${path}`, { method })).status]).toEqual([path, 404]);
		}
	}
	expect((await fetch(`${realm}/interaction/x`)).status).toBe(404);
});

test('nobody is known before it listens', async () => {
	const { store, clock, quotas } = openedStore();
	const provider = createIdentityProvider({
		...{ host: '127.0.0.1', port: 0, realm: 'r', store, quotas, clock },
		settings: { tokenLifetimeSeconds: 60 },
		limiter: createLimiter(clock),
		log: fastify().log,
		trustProxy: false,
		drainMs: 0,
		report() {},
	});
	expect(await provider.clientIdOf('token')).toBeUndefined();
	await provider.close();
});

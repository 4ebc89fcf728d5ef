import { readFileSync } from 'node:fs';
import type { ControlledService } from '../index.ts';
import { createClient, requestToken, useFile, useService, useServices } from './client.ts';

let service: ControlledService;
useService((started) => void (service = started));
const startAnother = useServices();
const file = useFile();

const kindOf = (type: string) => type.split('/').at(-1);

describe('API keys', () => {
	test.each([
		['nothing', null, undefined, 'authentication-required'],
		['another scheme', null, 'Basic YTpi', 'authentication-required'],
		['an unknown key', 'wsd_live_unknown', undefined, 'invalid-credentials'],
	])('%s is 401', async (_name, bearer, header, kind) => {
		const api = createClient(service, bearer);
		const answer = await api('GET', 'cards', undefined, header ? { authorization: header } : {});
		expect([answer.body.status, kindOf(answer.body.type)]).toEqual([401, kind]);
		expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
		expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
	});

	test('the scheme is not case-sensitive (RFC 9110, 11.1)', async () => {
		const api = createClient(service, null);
		const header = { authorization: `bearer ${service.apiKey}` };
		expect((await api('GET', 'cards', undefined, header)).status).toBe(200);
	});

	test('do not open other workspaces', async () => {
		const other = service.control.createWorkspace();
		const api = createClient(service);
		for (const [workspaceId, status, kind] of [
			[other.workspaceId, 403, 'workspace-access-denied'],
			['wsp_none', 404, 'workspace-not-found'],
		]) {
			const answer = await api('GET', `/api/v1/workspaces/${workspaceId}/cards`);
			expect([answer.status, kindOf(answer.body.type)]).toEqual([status, kind]);
		}
		const mine = createClient({ ...service, ...other }, other.apiKey);
		expect((await mine('GET', 'cards')).body.cards).toEqual([]);
	});

	test('do not reach resources of another workspace by id', async () => {
		const other = service.control.createWorkspace();
		const mine = createClient(service);
		const theirs = createClient({ ...service, ...other }, other.apiKey);
		const card = (await mine('POST', 'cards', { name: 'Mine' })).body;
		const record = (await mine('POST', `cards/${card.id}/records`, { data: {} })).body;
		const target = { target_url: 'http://127.0.0.1:9/', events: ['card.created'] };
		const hook = (await mine('POST', 'webhooks', target)).body;
		for (const [method, path] of [
			['GET', `cards/${card.id}`],
			['PATCH', `cards/${card.id}`],
			['DELETE', `cards/${card.id}`],
			['GET', `cards/${card.id}/fields`],
			['GET', `cards/${card.id}/records`],
			['DELETE', `cards/${card.id}/records/${record.id}`],
			['DELETE', `webhooks/${hook.webhook_id}`],
		] as const) {
			const body = method === 'PATCH' ? { name: 'Theirs' } : undefined;
			const { status } = await theirs(method, path, body);
			expect([method, path, status]).toEqual([method, path, 404]);
		}
		const subscribed = await theirs('POST', 'webhooks', { ...target, card_id: card.id });
		expect(subscribed.status).toBe(422);
		expect((await mine('GET', `cards/${card.id}`)).body.name).toBe('Mine');
	});

	test('die when they are revoked', async () => {
		const { apiKey } = service.control.createKey();
		const api = createClient(service, apiKey);
		expect((await api('GET', 'cards')).status).toBe(200);
		expect(service.control.revokeKey({ apiKey })).toEqual({ revoked: true });
		expect((await api('GET', 'cards')).status).toBe(401);
	});
});

describe('service accounts', () => {
	test('get a bearer token that lives five minutes', async () => {
		const { status, body, headers } = await requestToken(service);
		expect(status).toBe(200);
		expect(body).toEqual({
			access_token: expect.stringMatching(/^\S{20,}$/),
			token_type: 'Bearer',
			expires_in: 300,
		});
		expect(headers.get('cache-control')).toBe('no-store');
		const api = createClient(service, body.access_token);
		expect((await api('GET', 'cards')).status).toBe(200);
	});

	test.each([
		['wrong secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
		['unknown client', { client_id: 'sa_none' }, 401, 'invalid_client'],
		['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
	])('%s is refused', async (_name, fields, status, error) => {
		const answer = await requestToken(service, fields);
		expect([answer.status, answer.body.error]).toEqual([status, error]);
	});

	test.each(['token', 'token?x=1', 'token/', 'TOKEN', 'Token/?x=1'])(
		'take the secret in the body only: %s',
		async (end) => {
			const basic = Buffer.from(`${service.clientId}:${service.clientSecret}`).toString('base64');
			const response = await fetch(
				`${service.authUrl}/realms/${service.realm}/protocol/openid-connect/${end}`,
				{
					method: 'POST',
					headers: { authorization: `Basic ${basic}` },
					body: new URLSearchParams({ grant_type: 'client_credentials' }),
				},
			);
			expect(response.status).toBe(401);
			expect(await response.json()).toMatchObject({ error: 'invalid_client' });
			// RFC 6749, section 5.2: the scheme that the client has used.
			expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
		},
	);

	test('lose all tokens at once when they are revoked', async () => {
		const account = service.control.createAccount({ name: 'Robot' });
		const tokens = await Promise.all([
			requestToken({ ...service, ...account }),
			requestToken({ ...service, ...account }),
		]);
		const clients = tokens.map(({ body }) => createClient(service, body.access_token));
		for (const api of clients) expect((await api('GET', 'cards')).status).toBe(200);
		const { clientId } = account;
		expect(service.control.revokeAccount({ clientId })).toEqual({ revoked: true });
		for (const api of clients) expect((await api('GET', 'cards')).status).toBe(401);
		expect((await requestToken({ ...service, ...account })).status).toBe(401);
	});

	test('get new tokens after theirs were killed', async () => {
		const account = service.control.createAccount();
		const { body } = await requestToken({ ...service, ...account });
		expect(service.control.revokeTokens({ clientId: account.clientId })).toEqual({ revoked: 1 });
		expect((await createClient(service, body.access_token)('GET', 'cards')).status).toBe(401);
		const again = await requestToken({ ...service, ...account });
		expect((await createClient(service, again.body.access_token)('GET', 'cards')).status).toBe(200);
	});

	test('a viewer reads and changes nothing', async () => {
		const account = service.control.createAccount({ role: 'viewer' });
		const { body } = await requestToken({ ...service, ...account });
		const api = createClient(service, body.access_token);
		expect((await api('GET', 'cards')).status).toBe(200);
		const refused = await api('POST', 'cards', { name: 'A' });
		expect([refused.status, kindOf(refused.body.type)]).toEqual([403, 'insufficient-role']);
	});
});

test('neither keys nor secrets nor tokens are in the database file', async () => {
	const stored = await startAnother({ control: true, file: file() });
	const token = (await requestToken(stored)).body.access_token;
	await createClient(stored, token)('GET', 'cards');
	await stored.close();
	const bytes = readFileSync(file()).toString('latin1');
	for (const secret of [stored.apiKey, stored.clientSecret, token]) {
		expect(bytes.includes(secret)).toBe(false);
	}
	expect(bytes.includes(stored.clientId)).toBe(true);
});

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

	test('do not open another workspace, or its resources by ID', async () => {
		const other = service.control.createWorkspace();
		const mine = createClient(service);
		const theirs = createClient({ ...service, ...other }, other.apiKey);
		for (const [workspaceId, status, kind] of [
			[other.workspaceId, 403, 'workspace-access-denied'],
			['wsp_none', 404, 'workspace-not-found'],
		]) {
			const answer = await mine('GET', `/api/v1/workspaces/${workspaceId}/cards`);
			expect([answer.status, kindOf(answer.body.type)]).toEqual([status, kind]);
		}
		const card = (await mine('POST', 'cards', { name: 'Mine' })).body;
		const record = (await mine('POST', `cards/${card.id}/records`, { data: {} })).body;
		const target = { target_url: 'http://127.0.0.1:9/', events: ['card.created'] };
		const hook = (await mine('POST', 'webhooks', target)).body;
		for (const [method, path] of [
			['PATCH', `cards/${card.id}`],
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
	});
});

describe('service accounts', () => {
	test('get a bearer token that lives five minutes', async () => {
		const { status, body } = await requestToken(service);
		expect(status).toBe(200);
		expect(body).toEqual({
			access_token: expect.stringMatching(/^\S{20,}$/),
			token_type: 'Bearer',
			expires_in: 300,
		});
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

	test('take the secret in the body only', async () => {
		const { clientId, clientSecret, authUrl, realm } = service;
		const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
		const response = await fetch(`${authUrl}/realms/${realm}/protocol/openid-connect/token`, {
			method: 'POST',
			headers: { authorization: `Basic ${basic}` },
			body: new URLSearchParams({ grant_type: 'client_credentials' }),
		});
		expect(response.status).toBe(401);
		expect(await response.json()).toMatchObject({ error: 'invalid_client' });
	});

	test('lose their tokens when these are revoked, and get no new ones when the account is', async () => {
		const account = service.control.createAccount();
		const { clientId } = account;
		const token = async () => await requestToken({ ...service, ...account });
		const statusWith = async ({ body }: Awaited<ReturnType<typeof token>>) =>
			(await createClient(service, body.access_token)('GET', 'cards')).status;
		const first = await token();
		expect(await statusWith(first)).toBe(200);
		service.control.revokeTokens({ clientId });
		expect(await statusWith(first)).toBe(401);
		const later = await token();
		expect(await statusWith(later)).toBe(200);
		service.control.revokeAccount({ clientId });
		expect(await statusWith(later)).toBe(401);
		expect((await token()).status).toBe(401);
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

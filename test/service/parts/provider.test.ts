/** The token endpoint's faults, its log, and what else is below the realm. */
import { type ControlledService, startService } from '../../../service/index.ts';
import { originOf } from '../../../service/auth/provider.ts';
import { requestToken } from '../client.ts';

let service: ControlledService;
const lines: string[] = [];
beforeAll(async () => {
	service = await startService({ control: true, logTo: { write: (line) => lines.push(line) } });
});
afterEach(() => {
	service.control.reset();
	lines.length = 0;
});
afterAll(async () => await service.close());

const below = async (path: string, init?: RequestInit) =>
	await fetch(`${service.authUrl}/realms/${service.realm}${path}`, init);

test('what does not exist below the realm is 404, and no fault of the service’s own', async () => {
	expect((await below('/nothing')).status).toBe(404);
	expect((await fetch(`${service.authUrl}/realms`)).status).toBe(404);
	expect((await fetch(`${service.authUrl}/realms/${service.realm}x/protocol`)).status).toBe(404);
	expect(lines).toEqual([]);
});

test('the discovery document is there, also while requests are recorded and tokens fail', async () => {
	service.control.failTokens({ mode: 'expiresInZero', times: 1 });
	const answer = await below('/.well-known/openid-configuration');
	expect(answer.status).toBe(200);
	expect(await answer.json()).toMatchObject({
		token_endpoint: expect.stringContaining(`/realms/${service.realm}/protocol/`),
	});
	expect(service.control.requests().at(-1)).toMatchObject({ listener: 'auth', body: null });
	expect((await requestToken(service)).body.expires_in).toBe(0);
	expect((await requestToken(service)).body.expires_in).toBe(300);
	expect(lines).toEqual([]);
});

test('a refused request uses no fault of good answers up, and gets no part of one', async () => {
	service.control.failTokens({ mode: 'expiresInOne', times: 1 });
	const refused = await requestToken(service, { client_secret: 'wrong' });
	expect([refused.status, refused.body.expires_in]).toEqual([401, undefined]);
	expect((await requestToken(service)).body.expires_in).toBe(1);
});

test('the page in place of an answer says that it is one', async () => {
	service.control.failTokens({ mode: 'html', times: 1 });
	const page = await requestToken(service);
	expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
	service.control.failTokens({ mode: 'unavailable', times: 1 });
	const away = await requestToken(service);
	expect([away.status, away.headers.get('content-type')]).toEqual([503, 'application/json']);
});

test.each([
	['127.0.0.1', 'http://127.0.0.1:80'],
	['localhost', 'http://localhost:80'],
	['0.0.0.0', 'http://127.0.0.1:80'],
	['::', 'http://127.0.0.1:80'],
	['[::]', 'http://127.0.0.1:80'],
	['::1', 'http://[::1]:80'],
])('where it listens on %s, clients of this machine use %s', (host, origin) => {
	expect(originOf(host, 80)).toBe(origin);
});

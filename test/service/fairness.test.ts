/** No workspace, subscription or address disturbs the others. */
import { request } from 'node:http';
import { startService } from '../../service/index.ts';
import { createClient, until } from './client.ts';
import { startReceiver } from './receiver.ts';

afterEach(() => jest.restoreAllMocks());

const kindOf = (body: { type?: unknown } | undefined) => String(body?.type).split('/').at(-1);

/** Sends a request from a loopback address of its own. @returns status and headers */
const from = async (localAddress: string, url: string, method: string, body = '') =>
	await new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
		const sent = request(
			url,
			{
				method,
				localAddress,
				headers: { 'content-type': 'application/x-www-form-urlencoded' },
			},
			(answer) => {
				answer.resume();
				answer.on('end', () =>
					resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }),
				);
			},
		);
		sent.on('error', reject);
		sent.end(body);
	});

test('F3 hanging targets of one workspace leave those of another their turn, on the same origin', async () => {
	const receiver = await startReceiver();
	const service = await startService({ control: true, deliveryTimeoutMs: 120_000 });
	try {
		const other = service.control.createWorkspace();
		const greedy = createClient({ ...service, ...other }, other.apiKey);
		const modest = createClient(service);
		receiver.answer = ({ path }) => (path.includes('hang') ? null : 200);
		for (let n = 0; n < 160; n++) {
			const target_url = `${receiver.url}/hang${n}`;
			await greedy('POST', 'webhooks', { target_url, events: ['card.created'] });
		}
		await modest('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
		await greedy('POST', 'cards', { name: 'x' });
		await until('the greedy one has its share', () => receiver.received.length >= 8);
		await modest('POST', 'cards', { name: 'y' });
		// The hanging ones keep their turns for two minutes.
		await until('the modest one is served', () =>
			receiver.received.some(({ path }) => path === '/hook'),
		);
	} finally {
		receiver.hangUp();
		await service.close();
		await receiver.close();
	}
});

test('F4 a refused request makes the next ones read nothing again', async () => {
	const service = await startService({ control: true });
	try {
		const api = createClient(service);
		const other = service.control.createWorkspace();
		const theirs = createClient({ ...service, ...other }, other.apiKey);
		for (let n = 0; n < 300; n++) {
			const target_url = `http://127.0.0.1:1/${n}`;
			await api('POST', 'webhooks', { target_url, events: ['card.updated'] });
		}
		const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		await api('POST', `cards/${cid}/records`, { data: {} });
		expect((await theirs('DELETE', 'cards/none')).status).toBe(404);
		expect((await api('PATCH', `cards/${cid}/records/none`, { data: {} })).status).toBe(404);
		const parse = jest.spyOn(JSON, 'parse');
		expect((await api('POST', `cards/${cid}/records`, { data: {} })).status).toBe(201);
		expect(parse.mock.calls.length).toBeLessThan(100);
	} finally {
		await service.close();
	}
});

describe('F8 guesses are counted by address, before anything is compared', () => {
	let service: Awaited<ReturnType<typeof startService>>;
	beforeEach(async () => {
		service = await startService({ rate: { tier: 'free' } });
	});
	afterEach(async () => await service.close());

	test('wrong sign-ins', async () => {
		const url = `${service.settingsUrl}/sign-in`;
		const statuses: number[] = [];
		for (let n = 0; n < 20; n++) {
			statuses.push((await from('127.0.0.1', url, 'POST', 'password=wrong')).status);
		}
		expect(statuses[0]).toBe(401);
		expect(statuses.at(-1)).toBe(429);
		// The right password is no way around the limit: a guess must not show by its answer.
		const right = `password=${service.settingsPassword}`;
		const refused = await from('127.0.0.1', url, 'POST', right);
		expect(refused).toEqual({ status: 429, retryAfter: expect.stringMatching(/^\d{1,2}$/) });
		expect((await from('127.0.0.2', url, 'POST', right)).status).toBe(303);
		expect((await fetch(service.settingsUrl)).status).toBe(200);
	});

	test('wrong token requests', async () => {
		const url = `${service.authUrl}/realms/${service.realm}/protocol/openid-connect/token`;
		const form = (secret: string) =>
			`grant_type=client_credentials&client_id=${service.clientId}&client_secret=${secret}`;
		const statuses = new Map<number, number>();
		for (let n = 0; n < 300; n++) {
			const { status } = await from('127.0.0.1', url, 'POST', form('wrong'));
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
		}
		expect([...statuses.keys()]).toEqual([401, 429]);
		expect(statuses.get(401)).toBeLessThanOrEqual(120);
		const right = form(service.clientSecret);
		expect((await from('127.0.0.2', url, 'POST', right)).status).toBe(200);
	});

	test('wrong keys, which leave the description and the settings page alone', async () => {
		const wrong = createClient(service, 'wsd_live_wrong');
		const statuses: number[] = [];
		for (let n = 0; n < 70; n++) statuses.push((await wrong('GET', 'cards')).status);
		expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
		const anonymous = createClient(service, null);
		expect((await anonymous('GET', '/openapi.json')).status).toBe(200);
		expect((await anonymous('GET', '/settings')).status).toBe(200);
		expect((await createClient(service)('GET', 'cards')).status).toBe(200);
	});
});

test.each([
	['a line break', 'http://x/a\nSubject: other'],
	['a tab', 'http://x/a\tb'],
	['a space before', ' http://x/'],
	['a control character', 'http://x/\u0007'],
])('F10 a target with %s is refused', async (_name, target_url) => {
	const service = await startService();
	try {
		const api = createClient(service);
		const answer = await api('POST', 'webhooks', { target_url, events: ['card.created'] });
		expect([answer.status, kindOf(answer.body)]).toEqual([422, 'validation-failed']);
		const good = { target_url: 'HTTP://Example.COM:80/a b', events: ['card.created'] };
		expect((await api('POST', 'webhooks', good)).body.target_url).toBe('http://example.com/a%20b');
	} finally {
		await service.close();
	}
});

test('F11 deliveries side by side: still four failed attempts before the pause', async () => {
	const receiver = await startReceiver();
	const service = await startService({ control: true, parallelDeliveries: 8, backoffMs: 5 });
	try {
		const api = createClient(service);
		receiver.answer = () => 500;
		await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
		for (let n = 0; n < 30; n++) await api('POST', 'cards', { name: `Card ${n}` });
		await until('it is paused', () => service.control.subscriptions()[0]?.state === 'paused');
		expect(receiver.received).toHaveLength(4);
	} finally {
		await service.close();
		await receiver.close();
	}
});

/** What control does to answers, and what it leaves alone: itself above all, or a test could not end what it began. */
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import {
	connectControl,
	type ControlledService,
	type RemoteControl,
	startService,
} from '../index.ts';
import { type Client, createClient } from './client.ts';

let service: ControlledService;
let remote: RemoteControl;
let api: Client;
beforeAll(async () => {
	service = await startService({ control: true });
	remote = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
	api = createClient(service);
});
afterEach(() => service.control.reset({ data: true }));
afterAll(async () => await service.close());

/** The pieces in which an answer arrives. */
const pieces = async (method: string, path: string) =>
	await new Promise<{ status: number | undefined; length: string | undefined; parts: string[] }>(
		(resolve, reject) => {
			const url = `${service.baseUrl}/workspaces/${service.workspaceId}/${path}`;
			const headers = { authorization: `Bearer ${service.apiKey}` };
			request(url, { method, headers }, (answer) => {
				const parts: string[] = [];
				answer.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
				answer.on('end', () => {
					const length = answer.headers['content-length'];
					resolve({ status: answer.statusCode, length, parts });
				});
			})
				.on('error', reject)
				.end();
		},
	);

describe('control itself', () => {
	test('is not failed, not held back and not recorded', async () => {
		service.control.fail({ times: 1_000 });
		service.control.setDropRatio({ ratio: 1, when: 'before' });
		service.control.setLatency({ ms: 60_000 });
		expect(await remote.requests()).toEqual([]);
		await remote.reset();
		expect((await api('GET', 'cards')).status).toBe(200);
		expect((await remote.requests()).map(({ path }) => path)).toEqual([
			`/api/v1/workspaces/${service.workspaceId}/cards`,
		]);
	});

	test('is what begins with its path, and nothing that only ends so', async () => {
		const anonymous = createClient(service, null);
		await anonymous('GET', '/elsewhere/control/');
		await anonymous('GET', '/controls/reset');
		expect(service.control.requests().map(({ path }) => path)).toEqual([
			'/elsewhere/control/',
			'/controls/reset',
		]);
	});

	test('says what is wrong with a call', async () => {
		const answer = async (path: string, body?: unknown, token = service.controlToken) =>
			await createClient(service, token)('POST', `/control/${path}`, body);
		expect((await answer('nothing')).body).toMatchObject({
			status: 404,
			detail: 'There is no control call "nothing".',
		});
		expect((await answer('setLatency', { ms: -1, atOnce: 0 })).body).toMatchObject({
			status: 422,
			detail: expect.stringMatching(/^ms: .+; atOnce: ./),
		});
		expect((await answer('setRate', { rate: { limit: 1 }, apiKey: 'none' })).body.detail).toBe(
			'No such API key.',
		);
		const field = { cardId: service.control.seed({ cards: [{ name: 'x' }] }).cards[0]?.id };
		expect((await answer('renameField', { ...field, fieldId: 'f', name: 'n' })).body).toMatchObject(
			{ status: 404, type: expect.stringMatching(/field-not-found$/) },
		);
		expect((await answer('requests', undefined, 'x')).status).toBe(401);
		expect((await answer('requests', undefined, null)).status).toBe(401);
	});

	test('answers null where a call gives nothing', async () => {
		expect(await remote.setLatency({ ms: 0 })).toBeNull();
	});
});

describe('a slow body', () => {
	test('is sent byte by byte, without a length', async () => {
		await api('POST', 'cards', { name: 'é' });
		service.control.fail({ mode: 'slowBody', byteMs: 2 });
		const { status, length, parts } = await pieces('GET', 'cards');
		expect([status, length]).toEqual([200, undefined]);
		expect(parts.length).toBeGreaterThan(20);
		expect(service.control.requests().at(-1)?.status).toBe(200);
	});

	test('of an answer without a body is none', async () => {
		const { id } = (await api('POST', 'cards', { name: 'x' })).body;
		service.control.fail({ mode: 'slowBody', byteMs: 0 });
		expect(await pieces('DELETE', `cards/${id}`)).toMatchObject({ status: 204, parts: [] });
		expect((await pieces('GET', 'cards')).length).toBeDefined();
	});
});

describe('a fault', () => {
	test.each([
		['html', undefined, 'text/html; charset=utf-8', /^<!doctype html>/],
		['plain', undefined, 'text/plain; charset=utf-8', /^upstream/],
		['json', { a: 1 }, 'application/json; charset=utf-8', /^\{"a":1\}$/],
		['json', undefined, 'application/json; charset=utf-8', /^null$/],
		['empty', undefined, null, /^$/],
	] as const)('with a body of %s (%j) has its type', async (body, json, type, text) => {
		service.control.fail({ status: 502, body, json, headers: { 'x-a': 'b' } });
		const answer = await api('GET', 'cards');
		expect([answer.status, answer.headers.get('content-type')]).toEqual([502, type]);
		expect(answer.text).toMatch(text);
		expect(answer.headers.get('x-a')).toBe('b');
	});

	test.each([
		[
			{ code: 7, status: 1 },
			{ status: 1, code: 7 },
		],
		[null, { status: 503 }],
		['text', { status: 503 }],
	])('as a problem takes the members of %j', async (json, members) => {
		service.control.fail({ status: 503, json });
		const answer = await api('GET', 'cards');
		expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
		expect(answer.body).toEqual({
			type: expect.stringMatching(/internal-error$/),
			title: expect.any(String),
			detail: 'A fault that was asked for.',
			...members,
		});
	});

	test('is not reshaped by the variants', async () => {
		service.control.setRateAnswer({ status: 403 });
		service.control.fail({ status: 429 });
		expect((await api('GET', 'cards')).status).toBe(429);
	});

	test('meets also what no endpoint answers', async () => {
		service.control.fail({ path: '^/nowhere$', status: 503 });
		const anonymous = createClient(service, null);
		expect((await anonymous('GET', '/nowhere?x')).status).toBe(503);
		expect((await anonymous('GET', '/nowhere?x')).status).toBe(404);
	});

	test('that hangs ends with the service, or when the client gives up', async () => {
		const other = await startService({ control: true, drainMs: 60_000 });
		const patience = new AbortController();
		const hanging = async (signal?: AbortSignal) =>
			await fetch(`${other.baseUrl}/x`, { signal: signal ?? null }).catch(
				(error: Error) => error.name,
			);
		other.control.fail({ mode: 'hang', times: 2 });
		const [first, second] = [hanging(patience.signal), hanging()];
		while (other.control.requests().length < 2) await new Promise((next) => setImmediate(next));
		patience.abort();
		expect(await first).toBe('AbortError');
		const started = performance.now();
		await other.close();
		expect(await second).toBe('TypeError');
		expect(performance.now() - started).toBeLessThan(30_000);
	});
});

describe('answers that are held back', () => {
	test('are as many as are allowed at a time, and each lets the next one in', async () => {
		service.control.setLatency({ ms: 20, atOnce: 1 });
		const started = performance.now();
		await Promise.all([api('GET', 'cards'), api('GET', 'cards'), api('GET', 'cards')]);
		expect(performance.now() - started).toBeGreaterThanOrEqual(3 * 20 - 3);
	});

	test('that are too many are refused by a gateway, and not while there is room', async () => {
		service.control.setLatency({ ms: 50, atOnce: 1, refusesMore: true });
		const answers = await Promise.all([api('GET', 'cards'), api('GET', 'cards')]);
		const refused = answers.find(({ status }) => status === 503);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
		expect(refused?.headers.get('content-type')).toBe('text/html; charset=utf-8');
		expect((await api('GET', 'cards')).status).toBe(200);
	});
});

test.each(['milliseconds', 'past', 'far', 'missing'] as const)(
	'a wrong reset (%s) is added to no answer that has none',
	async (reset) => {
		service.control.setRateAnswer({ reset });
		const { status, headers } = await createClient(service, null)('GET', '/health');
		expect([status, headers.has('x-ratelimit-reset')]).toEqual([200, false]);
	},
);

test('a refusal for the rate in another form has its own length, and others keep theirs', async () => {
	service.control.setRate({ rate: { limit: 1 } });
	service.control.setRateAnswer({ status: 503 });
	await api('GET', 'cards');
	const refused = await api('GET', 'cards');
	expect([refused.status, refused.body.status]).toEqual([503, 503]);
	expect(Number(refused.headers.get('content-length'))).toBe(Buffer.byteLength(refused.text));
	expect(refused.headers.has('retry-after')).toBe(true);
});

test('the date of an answer is that of the machine unless the clock is set', async () => {
	const off = async () => {
		const { headers } = await api('GET', 'cards');
		return Math.abs(Date.parse(headers.get('date') ?? '') - Date.now()) > 100_000;
	};
	expect(await off()).toBe(false);
	service.control.setClockOffset({ seconds: 1_000 });
	expect(await off()).toBe(true);
	service.control.setClockOffset({ seconds: -1_000 });
	expect(await off()).toBe(true);
});

test('the request log keeps no bodies of settings forms, as they contain passwords', async () => {
	const body = new URLSearchParams({ password: service.settingsPassword });
	await fetch(`${service.settingsUrl}/sign-in`, { method: 'POST', body, redirect: 'manual' });
	await api('POST', 'cards', { name: 'x' });
	expect(service.control.requests()).toMatchObject([
		{ path: '/settings/sign-in', body: null, authorization: 'none', status: 303 },
		{ body: '{"name":"x"}', authorization: 'apiKey', status: 201 },
	]);
});

test('a value that is set is what the next request meets, and reset takes all of it back', async () => {
	const before = service.control.setVariants({});
	service.control.setVariants({ lists: 'bare', createStatus: 200 });
	service.control.setBackoff({ ms: 1 });
	service.control.setDeliveryTimeout({ ms: 1 });
	service.control.setParallelDeliveries({ count: 3 });
	service.control.setTokenLifetime({ seconds: 1 });
	service.control.setPaging({ mode: 'endless' });
	service.control.setRate({ rate: { limit: 1 } });
	service.control.setRateAnswer({ headers: false });
	service.control.setClockOffset({ seconds: 5 });
	service.control.failTokens({ mode: 'down' });
	service.control.reset();
	expect(service.control.setVariants({})).toEqual(before);
	const answers = [await api('GET', 'cards'), await api('GET', 'cards')];
	expect(answers.map(({ status }) => status)).toEqual([200, 200]);
	expect(answers[0]?.headers.has('x-ratelimit-limit')).toBe(true);
	const body = new URLSearchParams({
		grant_type: 'client_credentials',
		client_id: service.clientId,
		client_secret: service.clientSecret,
	});
	const url = `${service.authUrl}/realms/${service.realm}/protocol/openid-connect/token`;
	const token = await fetch(url, { method: 'POST', body });
	expect(await token.json()).toMatchObject({ expires_in: 300 });
});

test('the log of deliveries has the signature that was sent', async () => {
	const hook = { target_url: 'http://127.0.0.1:1/', events: ['card.created'] };
	const { secret } = (await api('POST', 'webhooks', hook)).body;
	await api('POST', 'cards', { name: 'x' });
	const [delivery] = service.control.deliveries();
	const expected = createHmac('sha256', secret).update(delivery?.body ?? '');
	expect(delivery?.signature).toBe(expected.digest('hex'));
});

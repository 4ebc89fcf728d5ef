import type { ControlledService } from '../index.ts';
import { createClient, requestToken, useService } from './client.ts';

let service: ControlledService;
useService((started) => void (service = started));

const rateHeaders = ({ headers }: { headers: Headers }) => {
	const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
		headers.get(`x-ratelimit-${name}`),
	);
	return { limit, remaining, reset };
};

test('every response has the three headers, whatever it is', async () => {
	const api = createClient(service);
	const anonymous = createClient(service, null);
	const responses = [
		await api('GET', 'cards'),
		await api('POST', 'cards', { name: '' }),
		await api('PUT', 'cards'),
		await anonymous('GET', 'cards'),
		await anonymous('GET', '/openapi.json'),
	];
	for (const response of responses) {
		expect(rateHeaders(response)).toEqual({
			limit: '1000000',
			remaining: expect.stringMatching(/^\d+$/),
			reset: expect.stringMatching(/^\d{10}$/),
		});
	}
});

test('a limit is counted down, refused with 429, and lifted at the reset, also if the clock is set back', async () => {
	const begun = Date.now();
	jest.spyOn(Date, 'now').mockReturnValue(begun);
	// Whole, so that a second later is exactly a second later.
	const started = Math.round(performance.now());
	const clock = jest.spyOn(performance, 'now').mockReturnValue(started);
	service.control.setRate({ rate: { limit: 2, windowSeconds: 1 } });
	const api = createClient(service);
	const first = await api('GET', 'cards');
	expect(rateHeaders(first)).toMatchObject({ limit: '2', remaining: '1' });
	expect(rateHeaders(await api('GET', 'cards')).remaining).toBe('0');
	const refused = await api('GET', 'cards');
	expect(refused.body).toMatchObject({
		status: 429,
		type: expect.stringMatching(/\/rate-limit-exceeded$/),
		title: 'Rate limit exceeded',
	});
	expect(refused.headers.get('retry-after')).toBe('1');
	const reset = Number(refused.headers.get('x-ratelimit-reset')) * 1000;
	expect(reset).toBe(Math.ceil((begun + 1_000) / 1000) * 1000);
	jest.spyOn(Date, 'now').mockReturnValue(begun - 3_600_000);
	clock.mockReturnValue(started + 999);
	expect((await api('GET', 'cards')).status).toBe(429);
	clock.mockReturnValue(started + 1_000);
	expect((await api('GET', 'cards')).status).toBe(200);
});

test('callers are counted apart', async () => {
	service.control.setRate({ rate: { limit: 1, windowSeconds: 60 } });
	const other = createClient(service, service.control.createKey().apiKey);
	const token = (await requestToken(service)).body.access_token;
	const account = createClient(service, token);
	for (const api of [createClient(service), other, account, createClient(service, null)]) {
		expect((await api('GET', 'cards')).status).not.toBe(429);
		expect((await api('GET', 'cards')).status).toBe(429);
	}
});

/** Access tokens: one request for each lifetime, and none that could be spared when the auth server refuses or hangs. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { ServiceAccountToken } from '../../../nodes/WorkspaceData/transport/auth/serviceAccountToken';
import { tokenOf } from '../../../nodes/WorkspaceData/transport/sharedState';
import { createTestClock } from '../../support/clock';

const credential = {
	authUrl: 'https://auth.example.com',
	realm: 'r',
	clientId: 'client',
	clientSecret: 'secret-of-the-account',
};

/** A token endpoint that gives token-1, token-2, … unless told otherwise. */
function endpoint() {
	const clock = createTestClock();
	const account = new ServiceAccountToken(clock);
	const start = clock.now();
	const requests: IHttpRequestOptions[] = [];
	const usual = (n: number) => ({ access_token: `token-${n}`, expires_in: 300 });
	let answer: (n: number) => unknown = (n) => ({ statusCode: 200, body: usual(n) });
	const send = async (options: IHttpRequestOptions): Promise<unknown> => {
		const number = requests.push(options);
		await clock.sleep(10);
		return answer(number);
	};
	return {
		...{ clock, requests, account, waited: () => clock.now() - start },
		answers(next: typeof answer) {
			answer = next;
		},
		send,
		get: async () => await account.get(credential, send),
	};
}

describe('answers that say the lifetime in other ways', () => {
	test.each<[string, object, number]>([
		['not at all: 300 s', {}, 300],
		['as text', { expires_in: '120' }, 120],
		['0, which no server can mean: 300 s', { expires_in: 0 }, 300],
	])('%s', async (_, more, lifetimeS) => {
		const { get, requests, clock, answers, account } = endpoint();
		answers((n) => ({ statusCode: 200, body: { access_token: `token-${n}`, ...more } }));
		await get();
		clock.pass(lifetimeS * 800 - 20);
		expect(await get()).toBe('token-1');
		clock.pass(lifetimeS * 100 + 10);
		expect(account.current).toBe('token-1');
		expect(await get()).toBe('token-2');
		expect(requests).toHaveLength(2);
	});

	const none = "auth.example.com didn't return an access token";
	const page = 'A web page responded, not the auth server auth.example.com';
	test.each<[string, unknown, string?]>([
		['HTML', '<!doctype html><title>Sign in</title>', page],
		['nothing', ''],
		['an empty token', { access_token: '' }],
		['a token that is no text', { access_token: 5 }],
	])('200 with %s: one clear message that names the address', async (_, body, message = none) => {
		const { get, answers, requests } = endpoint();
		answers(() => ({ statusCode: 200, body }));
		await expect(get()).rejects.toMatchObject({
			message,
			description: expect.stringContaining("Check 'Auth URL' and 'Realm'"),
		});
		await expect(get()).rejects.toThrow();
		expect(requests).toHaveLength(3);
	});
});

test("a refusal under status 200 keeps the words of the auth server, and isn't sent again", async () => {
	const { get, answers, requests } = endpoint();
	const body = { error: 'invalid_client', error_description: 'The client is disabled' };
	answers(() => ({ statusCode: 200, body }));
	await expect(get()).rejects.toMatchObject({
		message: "The service account wasn't accepted",
		description: expect.stringContaining('The auth server says: The client is disabled'),
	});
	await expect(get()).rejects.toThrow();
	expect(requests).toHaveLength(1);
});

test.each([408, 429, 500, 503])(
	'status %d is tried three times, with growing pauses',
	async (statusCode) => {
		const { get, requests, waited, answers } = endpoint();
		answers((n) =>
			n < 3 ? { statusCode, body: '' } : { statusCode: 200, body: { access_token: 'late' } },
		);
		expect(await get()).toBe('late');
		expect(requests).toHaveLength(3);
		expect(waited()).toBe(250 + 500 + 3 * 10);
	},
);

test("the replacement of a refused token isn't replaced for a minute", async () => {
	const { get, clock, account } = endpoint();
	await get();
	expect(account.refuse('token-1')).toBe(true);
	await get();
	expect(account.refuse('token-1')).toBe(true);
	expect(account.refuse('token-2')).toBe(false);
	clock.pass(60_000);
	expect(account.refuse('token-2')).toBe(true);
});

test('one that the service has accepted since is replaced after five seconds: it was revoked', async () => {
	const { get, clock, account } = endpoint();
	await get();
	account.refuse('token-1');
	await get();
	account.accept('token-1');
	clock.pass(5_000);
	expect(account.refuse('token-2')).toBe(false);
	account.accept('token-2');
	expect(account.refuse('token-2')).toBe(true);
	await get();
	expect(account.refuse('token-3')).toBe(false);
	account.accept('token-3');
	expect(account.refuse('token-3')).toBe(false);
	clock.pass(5_000);
	expect(account.refuse('token-3')).toBe(true);
});

test('an auth server that hangs in the renewal window delays one call, by a second', async () => {
	const { get, clock, answers, requests, account } = endpoint();
	await get();
	clock.pass(270_000);
	answers(() => new Promise(() => {}));
	const start = clock.now();
	for (let call = 0; call < 20; call += 1) expect(await get()).toBe('token-1');
	expect(clock.now() - start).toBeLessThanOrEqual(1_250);
	expect(requests).toHaveLength(2);
	clock.pass(40_000);
	expect(account.current).toBeUndefined();
});

test('an auth server that hangs is waited for once in 30 seconds, whoever asks', async () => {
	const { get, clock, waited, answers, requests } = endpoint();
	answers(() => new Promise(() => {}));
	for (let n = 0; n < 200; n += 1) {
		const late = { name: 'AccessTokenError', httpCode: 'ETIMEDOUT', transient: true };
		await expect(get()).rejects.toMatchObject(late);
		clock.pass(100);
	}
	// The pauses of the test's own between the calls are 20 s.
	expect(waited()).toBeLessThan(20_000 + 10_500);
	expect(requests).toHaveLength(1);
});

test('the tokens of 1,000 accounts are kept', async () => {
	const { send, requests } = endpoint();
	for (let round = 0; round < 2; round += 1) {
		for (let n = 0; n < 1_000; n += 1) {
			const own = { ...credential, clientId: `client-${n}` };
			await tokenOf(own).get(own, send);
		}
	}
	expect(requests).toHaveLength(1_000);
});

test.each<[string, unknown]>([
	['wrapped', { data: { access_token: 'wrapped', expires_in: 300 } }],
	['under its name', { token: { access_token: 'wrapped' } }],
	['as JSON in a text', JSON.stringify({ access_token: 'wrapped' })],
])('a token is found %s', async (_, body) => {
	const { get, answers } = endpoint();
	answers(() => ({ statusCode: 200, body }));
	expect(await get()).toBe('wrapped');
});

test('a failure that may pass is remembered for five seconds, any other for thirty', async () => {
	for (const [statusCode, seconds, tries] of [
		[503, 5, 3],
		[401, 30, 1],
	] as const) {
		const { get, clock, requests, answers } = endpoint();
		answers(() => ({ statusCode, body: '' }));
		await expect(get()).rejects.toThrow();
		clock.pass(seconds * 1_000 - 1);
		await expect(get()).rejects.toThrow();
		expect(requests).toHaveLength(tries);
		clock.pass(1);
		await expect(get()).rejects.toThrow();
		expect(requests).toHaveLength(2 * tries);
	}
});

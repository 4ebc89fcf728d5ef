import type { IHttpRequestOptions } from 'n8n-workflow';
import { AccessTokens } from '../../../../nodes/WorkspaceData/transport/auth/accessToken';
import { createTestClock } from '../../../support/clock';

const account = {
	authUrl: 'https://auth.example.com',
	realm: 'r',
	clientId: 'client',
	clientSecret: 'secret-of-the-account',
};

/** A token endpoint that gives token-1, token-2, … unless told otherwise. */
function endpoint() {
	const clock = createTestClock();
	const requests: IHttpRequestOptions[] = [];
	let answer: (n: number) => unknown = (n) => ({
		statusCode: 200,
		body: { access_token: `token-${n}`, expires_in: 300 },
	});
	const tokens = new AccessTokens(clock);
	const send = async (options: IHttpRequestOptions): Promise<unknown> => {
		const number = requests.push(options);
		await clock.sleep(10);
		return answer(number);
	};
	return {
		clock,
		requests,
		tokens,
		answers(next: typeof answer) {
			answer = next;
		},
		get: async (credential = account) => await tokens.get(credential, send),
	};
}

const connectionRefused = () => {
	throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
};

test('the request is form-encoded client credentials, without a Basic header or redirects', async () => {
	const { get, requests } = endpoint();
	await get({ ...account, clientSecret: 'a&b=c d+é' });
	expect(requests).toEqual([
		expect.objectContaining({
			method: 'POST',
			url: 'https://auth.example.com/realms/r/protocol/openid-connect/token',
			headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
			body: 'grant_type=client_credentials&client_id=client&client_secret=a%26b%3Dc+d%2B%C3%A9',
			disableFollowRedirect: true,
		}),
	]);
	expect(requests[0]).not.toHaveProperty('auth');
});

test('B12: 50 cold parallel callers share one token request', async () => {
	const { get, requests } = endpoint();
	const values = await Promise.all(Array.from({ length: 50 }, async () => await get()));
	expect(new Set(values)).toEqual(new Set(['token-1']));
	expect(requests).toHaveLength(1);
});

test('B13: the token is renewed once between 80 and 90 % of its lifetime, before it expires', async () => {
	const { get, requests, clock, tokens } = endpoint();
	await get();
	clock.pass(239_000);
	expect(await get()).toBe('token-1');
	clock.pass(31_000);
	expect(tokens.current(account)).toBe('token-1');
	const values = await Promise.all(Array.from({ length: 50 }, async () => await get()));
	// One asks for it; the others need not wait, as theirs is still valid.
	expect(new Set(values)).toEqual(new Set(['token-1', 'token-2']));
	expect(await get()).toBe('token-2');
	expect(requests).toHaveLength(2);
});

test('B14: an outage of the token endpoint is bridged while the token is valid, then reported once, with no storm', async () => {
	const { get, requests, clock, answers } = endpoint();
	await get();
	clock.pass(270_000);
	answers(connectionRefused);
	for (let call = 0; call < 20; call += 1) expect(await get()).toBe('token-1');
	expect(requests).toHaveLength(1 + 3);
	clock.pass(60_000);
	const failures = await Promise.allSettled(Array.from({ length: 200 }, async () => await get()));
	expect(
		new Set(failures.map((failure) => (failure as PromiseRejectedResult).reason.message)),
	).toEqual(
		new Set(['The auth server auth.example.com could not be reached: the connection was refused']),
	);
	expect(requests).toHaveLength(1 + 3 + 3);
	answers((n) => ({ statusCode: 200, body: { access_token: `token-${n}`, expires_in: 300 } }));
	clock.pass(5_001);
	expect(await get()).toBe('token-8');
});

describe('B15: answers that say the lifetime in other ways', () => {
	test.each<[string, object, number]>([
		['not at all: 300 s', {}, 300],
		['as text', { expires_in: '120' }, 120],
		['0, which no server can mean: 300 s', { expires_in: 0 }, 300],
		['below 0: 300 s', { expires_in: -1 }, 300],
		['as no number: 300 s', { expires_in: 'soon' }, 300],
		['1 s', { expires_in: 1 }, 1],
	])('%s', async (_, more, lifetimeS) => {
		const { get, requests, clock, answers, tokens } = endpoint();
		answers((n) => ({ statusCode: 200, body: { access_token: `token-${n}`, ...more } }));
		await get();
		clock.pass(lifetimeS * 800 - 20);
		expect(await get()).toBe('token-1');
		clock.pass(lifetimeS * 100 + 10);
		expect(tokens.current(account)).toBe('token-1');
		expect(await get()).toBe('token-2');
		expect(requests).toHaveLength(2);
	});

	const none = 'auth.example.com did not return an access token';
	test.each<[string, unknown, string?]>([
		[
			'HTML',
			'<!doctype html><title>Sign in</title>',
			'A web page answered, not the auth server auth.example.com',
		],
		['empty', ''],
		['JSON without a token', { token: 'x' }],
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

test('G1: a refusal under status 200 keeps the words of the auth server, and is not sent again', async () => {
	const { get, answers, requests } = endpoint();
	const body = { error: 'invalid_client', error_description: 'The client is disabled' };
	answers(() => ({ statusCode: 200, body }));
	await expect(get()).rejects.toMatchObject({
		message: 'The service account was not accepted',
		description: expect.stringContaining('The auth server says: The client is disabled'),
	});
	await expect(get()).rejects.toThrow();
	expect(requests).toHaveLength(1);
});

test.each<[string, number, unknown, RegExp]>([
	[
		'a wrong secret',
		401,
		{ error: 'invalid_client', error_description: 'no secret-of-the-account' },
		/'Client ID' and 'Client Secret'.*revoked.*says: no \*\*\*/,
	],
	['a wrong realm', 404, { error: 'realm' }, /'Auth URL' and 'Realm'/],
	['a redirect', 302, '', /'Auth URL' and 'Realm'/],
])(
	'%s is asked once, told to everybody and remembered',
	async (_, statusCode, body, description) => {
		const { get, requests, clock, answers } = endpoint();
		answers(() => ({ statusCode, body }));
		for (let burst = 0; burst < 3; burst += 1) {
			const all = await Promise.allSettled(Array.from({ length: 50 }, async () => await get()));
			for (const each of all) {
				expect(each).toMatchObject({ reason: { description: expect.stringMatching(description) } });
				expect(JSON.stringify(each)).not.toContain(account.clientSecret);
			}
		}
		expect(requests).toHaveLength(1);
		clock.pass(30_001);
		await expect(get()).rejects.toThrow();
		expect(requests).toHaveLength(2);
	},
);

test.each([408, 429, 500, 503])(
	'status %d is tried three times, with growing pauses',
	async (statusCode) => {
		const { get, requests, clock, answers } = endpoint();
		answers((n) =>
			n < 3 ? { statusCode, body: '' } : { statusCode: 200, body: { access_token: 'late' } },
		);
		const start = clock.now();
		expect(await get()).toBe('late');
		expect(requests).toHaveLength(3);
		expect(clock.now() - start).toBe(250 + 500 + 3 * 10);
	},
);

test('B18: the local clock may be off by any time; only what passed since counts', async () => {
	for (const offset of [-10, 10]) {
		const { get, requests, clock } = endpoint();
		clock.pass(offset * 60_000);
		await get();
		clock.pass(200_000);
		await get();
		expect(requests).toHaveLength(1);
	}
});

test('B19: credentials that differ in anything never share a token', async () => {
	const { get, tokens } = endpoint();
	const others = [
		account,
		{ ...account, clientSecret: 'another-secret' },
		{ ...account, clientId: 'other' },
		{ ...account, realm: 'other' },
		{ ...account, authUrl: 'https://other.example.com' },
	];
	const values = await Promise.all(others.map(async (each) => await get(each)));
	expect(new Set(values).size).toBe(others.length);
	expect(others.map((each) => tokens.current(each))).toEqual(values);
});

test('a refused token is forgotten; a newer one is not', async () => {
	const { get, tokens } = endpoint();
	await get();
	expect(tokens.mayReplace(account, 'token-1')).toBe(true);
	tokens.reject(account, 'token-1');
	expect(tokens.current(account)).toBeUndefined();
	await get();
	tokens.reject(account, 'token-1');
	expect(tokens.current(account)).toBe('token-2');
	expect(tokens.recent(account)).toEqual(['token-2', 'token-1']);
});

test('D19: the replacement of a refused token is not replaced for a minute', async () => {
	const { get, clock, tokens } = endpoint();
	await get();
	tokens.reject(account, 'token-1');
	await get();
	expect(tokens.mayReplace(account, 'token-1')).toBe(true);
	expect(tokens.mayReplace(account, 'token-2')).toBe(false);
	clock.pass(60_000);
	expect(tokens.mayReplace(account, 'token-2')).toBe(true);
});

test('D19: one that the service has accepted since is replaced after five seconds: it was revoked', async () => {
	const { get, clock, tokens } = endpoint();
	await get();
	tokens.reject(account, 'token-1');
	await get();
	tokens.accept(account, 'token-1');
	clock.pass(5_000);
	expect(tokens.mayReplace(account, 'token-2')).toBe(false);
	tokens.accept(account, 'token-2');
	expect(tokens.mayReplace(account, 'token-2')).toBe(true);
	tokens.reject(account, 'token-2');
	await get();
	expect(tokens.mayReplace(account, 'token-3')).toBe(false);
	tokens.accept(account, 'token-3');
	expect(tokens.mayReplace(account, 'token-3')).toBe(false);
	clock.pass(5_000);
	expect(tokens.mayReplace(account, 'token-3')).toBe(true);
});

test('D20: an auth server that hangs in the renewal window delays one call, by a second', async () => {
	const { get, clock, answers, requests, tokens } = endpoint();
	await get();
	clock.pass(270_000);
	answers(() => new Promise(() => {}));
	const start = clock.now();
	for (let call = 0; call < 20; call += 1) expect(await get()).toBe('token-1');
	expect(clock.now() - start).toBeLessThanOrEqual(1_250);
	expect(requests).toHaveLength(2);
	clock.pass(40_000);
	expect(tokens.current(account)).toBeUndefined();
});

test('C11: an auth server that hangs is waited for once in 30 seconds, whoever asks', async () => {
	const { get, clock, answers, requests } = endpoint();
	answers(() => new Promise(() => {}));
	const start = clock.now();
	for (let n = 0; n < 200; n += 1) {
		await expect(get()).rejects.toMatchObject({
			name: 'AccessTokenError',
			httpCode: 'ETIMEDOUT',
			transient: true,
		});
		clock.pass(100);
	}
	// The pauses of the test's own between the calls are 20 s.
	expect(clock.now() - start).toBeLessThan(20_000 + 10_500);
	expect(requests).toHaveLength(1);
});

test('D18: blanks and line ends around id and secret are not sent, and make no other account', async () => {
	const { get, requests } = endpoint();
	await get({ ...account, clientId: ' client\n', clientSecret: `\t${account.clientSecret}\r\n` });
	expect(requests[0]?.body).toBe(
		'grant_type=client_credentials&client_id=client&client_secret=secret-of-the-account',
	);
	await get();
	expect(requests).toHaveLength(1);
});

test('D28: the tokens of 1,000 accounts are kept', async () => {
	const { get, requests } = endpoint();
	for (let round = 0; round < 2; round += 1) {
		for (let n = 0; n < 1_000; n += 1) await get({ ...account, clientId: `client-${n}` });
	}
	expect(requests).toHaveLength(1_000);
});

test('a token is suspected after a failure unless it is fresh', async () => {
	const { get, clock, tokens } = endpoint();
	await get();
	tokens.suspect(account);
	expect(tokens.current(account)).toBe('token-1');
	clock.pass(31_000);
	tokens.suspect(account);
	expect(tokens.current(account)).toBeUndefined();
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

test('an address that cannot be used is refused before anything is sent', async () => {
	const { get, requests } = endpoint();
	await expect(get({ ...account, authUrl: 'auth.example.com' })).rejects.toThrow(
		"'Auth URL' is not a valid address",
	);
	expect(requests).toEqual([]);
});

test('a token is used until 85 % of its lifetime have passed, and valid until its end', async () => {
	const { get, clock, requests, tokens } = endpoint();
	const start = clock.now();
	await get();
	clock.pass(start + 255_000 - 1 - clock.now());
	expect(await get()).toBe('token-1');
	clock.pass(1);
	expect(await get()).toBe('token-2');
	expect(requests).toHaveLength(2);
	const second = endpoint();
	const issued = second.clock.now();
	await second.get();
	second.clock.pass(issued + 300_000 - 1 - second.clock.now());
	expect(second.tokens.current(account)).toBe('token-1');
	second.clock.pass(1);
	expect(second.tokens.current(account)).toBeUndefined();
	expect(tokens.current({ ...account, clientId: 'never asked' })).toBeUndefined();
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

test('a token is beyond suspicion for half a minute, and nothing is suspected where there is none', async () => {
	const { get, clock, tokens } = endpoint();
	tokens.suspect(account);
	const start = clock.now();
	await get();
	clock.pass(start + 30_000 - clock.now());
	tokens.suspect(account);
	expect(tokens.current(account)).toBe('token-1');
	clock.pass(1);
	tokens.suspect(account);
	expect(tokens.current(account)).toBeUndefined();
});

test('the last five tokens may be quoted by the service, and are known', async () => {
	const { get, tokens } = endpoint();
	expect(tokens.recent(account)).toEqual([]);
	for (let n = 1; n <= 7; n += 1) {
		await get();
		tokens.reject(account, `token-${n}`);
	}
	expect(tokens.recent(account)).toEqual(['token-7', 'token-6', 'token-5', 'token-4', 'token-3']);
});

test('a token that was renewed in time, not refused, may be replaced at once', async () => {
	const { get, clock, tokens } = endpoint();
	await get();
	clock.pass(270_000);
	expect(await get()).toBe('token-2');
	expect(tokens.mayReplace(account, 'token-2')).toBe(true);
	tokens.reject(account, 'token-2');
	await get();
	clock.pass(59_000);
	expect(tokens.mayReplace(account, 'token-3')).toBe(false);
	expect(tokens.mayReplace(account, undefined)).toBe(true);
	clock.pass(230_000);
	// The next one was not asked for because of a refusal.
	expect(await get()).toBe('token-4');
	expect(tokens.mayReplace(account, 'token-4')).toBe(true);
});

test.each<[number, RegExp, boolean]>([
	[408, /not available right now \(status 408\)/, true],
	[429, /not available right now/, true],
	[500, /not available right now/, true],
	[400, /service account was not accepted/, false],
	[403, /service account was not accepted/, false],
	[404, /no token endpoint for this realm/, false],
	[300, /no token endpoint for this realm/, false],
	[399, /no token endpoint for this realm/, false],
	[299, /did not return an access token/, true],
])('the auth server answers %d: %s', async (statusCode, message, transient) => {
	const { get, answers } = endpoint();
	answers(() => ({ statusCode, body: '' }));
	await expect(get()).rejects.toMatchObject({
		message: expect.stringMatching(message),
		transient,
		httpCode: String(statusCode),
	});
});

test('an answer that is too large, or none at all, gives no token', async () => {
	for (const answer of ['no answer', { statusCode: 200, body: Buffer.alloc(1_000_001, ' ') }]) {
		const { get, answers } = endpoint();
		answers(() => answer);
		await expect(get()).rejects.toThrow('did not return an access token');
	}
	const { get, answers } = endpoint();
	const body = Buffer.from(JSON.stringify({ access_token: 'x' }).padEnd(1_000_000));
	answers(() => ({ statusCode: 200, body }));
	expect(await get()).toBe('x');
});

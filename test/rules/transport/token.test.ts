/** One token for everybody who needs it, for as long as it lives. */
import type { RequestError } from '../../../nodes/WorkspaceData/transport/errors';
import { nextStep } from '../../../nodes/WorkspaceData/transport/send';
import { AccountToken } from '../../../nodes/WorkspaceData/transport/token';
import { createTestClock } from '../../support/clock';

const account = {
	authUrl: 'https://auth.example.com',
	realm: 'r',
	clientId: 'c',
	clientSecret: 'the-secret',
};

/** A token whose auth server issues token-1, token-2 and so on, unless its next statuses say otherwise. */
function started(statuses: number[] = [], lifetime?: number) {
	const clock = createTestClock();
	const token = new AccountToken(clock);
	let issued = 0;
	let asked = 0;
	const send = async () => {
		asked += 1;
		await clock.sleep(20);
		const statusCode = statuses.shift() ?? 200;
		if (statusCode === 200) issued += 1;
		const body = { access_token: `token-${issued}`, expires_in: lifetime };
		return { statusCode, headers: {}, body: JSON.stringify(statusCode === 200 ? body : {}) };
	};
	const get = async () => await token.get(account, send).catch(({ message }: Error) => message);
	return { clock, token, get, send, asked: () => asked };
}

test.each([
	[undefined, 300],
	[60, 60],
])(
	'a lifetime of %s: one request, renewed at 80 to 90 %% of it, while the old one is used',
	async (stated, lifeS) => {
		const { clock, get, asked } = started([], stated);
		expect(await Promise.all([get(), get(), get()])).toEqual(['token-1', 'token-1', 'token-1']);
		clock.pass(lifeS * 800);
		expect(await get()).toBe('token-1');
		expect(asked()).toBe(1);
		clock.pass(lifeS * 100);
		expect(await get()).toBe('token-1');
		await clock.sleep(100);
		expect(await get()).toBe('token-2');
		expect(asked()).toBe(2);
	},
);

test('what can’t be renewed is used until its end, and asked for again after half a minute', async () => {
	const { clock, get, asked } = started([200, 503, 503, 503, 503], 600);
	await get();
	clock.pass(520_000);
	for (let n = 0; n < 5; n += 1) {
		expect(await get()).toBe('token-1');
		await clock.sleep(1_000);
	}
	expect(asked()).toBe(2);
	clock.pass(30_000);
	expect(await get()).toBe('token-1');
	await clock.sleep(1_000);
	expect(asked()).toBe(3);
	clock.pass(50_000);
	expect(await get()).toMatch(/isn't available right now/);
	// Each try of a request asks.
	expect(await get()).toMatch(/isn't available right now/);
	expect(await get()).toBe('token-2');
});

test('a refusal is told to everybody for half a minute, without further requests', async () => {
	const { clock, get, asked } = started([401]);
	const messages = await Promise.all([get(), get()]);
	expect(new Set([...messages, await get()]).size).toBe(1);
	expect(asked()).toBe(1);
	clock.pass(30_000);
	expect(await get()).toBe('token-1');
});

test('an auth server that limits its rate is tried again, not waited for like the service', async () => {
	const { token, send } = started([429]);
	const error = await token.get(account, send).catch((failure: RequestError) => failure);
	expect(error).toMatchObject({ isTransient: true, status: undefined });
	expect(nextStep(error as RequestError, 'POST', {}, 1)).toBe('again');
});

test('whoever is told of a failure gets an error of their own, which a workflow may add to', async () => {
	const { token, send } = started([401]);
	const failure = async () => await token.get(account, send).catch((error: RequestError) => error);
	const all = await Promise.all([failure(), failure()]);
	expect(all[0]).not.toBe(all[1]);
	expect(all[0]).toEqual(all[1]);
	expect(await failure()).toEqual(all[0]);
});

test('a refused token is replaced at once; its replacement isn’t for half a minute', async () => {
	const { clock, token, get, asked } = started();
	const first = await get();
	expect(token.refuse(first)).toBe(true);
	// Others come with the same one.
	expect(token.refuse(first)).toBe(true);
	expect(await Promise.all([get(), get()])).toEqual(['token-2', 'token-2']);
	expect(token.refuse(first)).toBe(true);
	expect(token.refuse('token-2')).toBe(false);
	expect(await get()).toBe('token-2');
	clock.pass(30_000);
	expect(token.refuse('token-2')).toBe(true);
	expect(await get()).toBe('token-3');
	expect(asked()).toBe(3);
});

test.each([
	[503, 'token-1'],
	[401, "The service account wasn't accepted"],
])('a refused token, and the auth server says %d: %s', async (status, expected) => {
	const { token, get } = started([200, status, status, status]);
	token.refuse(await get());
	expect(await get()).toBe(expected);
});

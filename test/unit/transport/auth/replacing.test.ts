/** When a refused access token is replaced, and when it is not. */
import { AccessTokens } from '../../../../nodes/WorkspaceData/transport/auth/accessToken';
import { createTestClock } from '../../../support/clock';

const account = {
	authUrl: 'https://auth.example.com',
	realm: 'r',
	clientId: 'client',
	clientSecret: 'secret-of-the-account',
};

/** Tokens token-1, token-2, … of which each comes at once. */
function issuing() {
	const clock = createTestClock();
	const tokens = new AccessTokens(clock);
	let issued = 0;
	const get = async () =>
		await tokens.get(account, async () => {
			issued += 1;
			const body = { access_token: `token-${issued}`, expires_in: 300 };
			return await Promise.resolve({ statusCode: 200, headers: {}, body });
		});
	return { clock, tokens, get };
}

test('where there is no token, another one may be accepted, and none can be refused', () => {
	const { tokens } = issuing();
	expect(tokens.mayReplace(account, undefined)).toBe(true);
	expect(tokens.mayReplace(account, 'token of another process')).toBe(true);
	tokens.reject(account, 'token of another process');
	tokens.reject(account, undefined);
	expect(tokens.current(account)).toBeUndefined();
});

test('a replacement may be replaced from a minute after it was asked for, and not sooner', async () => {
	const { clock, tokens, get } = issuing();
	await get();
	tokens.reject(account, 'token-1');
	expect(await get()).toBe('token-2');
	clock.pass(59_999);
	expect(tokens.mayReplace(account, 'token-2')).toBe(false);
	clock.pass(1);
	expect(tokens.mayReplace(account, 'token-2')).toBe(true);
});

test('a refusal of a token that has been replaced already takes nothing away', async () => {
	const { tokens, get } = issuing();
	await get();
	tokens.reject(account, 'token-1');
	await get();
	tokens.reject(account, undefined);
	tokens.reject(account, 'token-1');
	expect(tokens.current(account)).toBe('token-2');
});

describe('a renewal that takes its time', () => {
	/** A token of 300 s, and an auth server that then takes so many ms. */
	async function slowRenewal(ms: number) {
		const { clock, tokens, get } = issuing();
		const start = clock.now();
		await get();
		const slow = async () =>
			await tokens.get(account, async () => {
				await clock.sleep(ms);
				const body = { access_token: 'renewed', expires_in: 300 };
				return { statusCode: 200, headers: {}, body };
			});
		return { clock, slow, passUntil: (at: number) => clock.pass(start + at - clock.now()) };
	}

	test('is waited for where the old token expires meanwhile', async () => {
		const { slow, passUntil } = await slowRenewal(5_000);
		passUntil(299_500);
		expect(await slow()).toBe('renewed');
	});

	test('is not waited for where the old token still works, by later callers neither', async () => {
		const { clock, slow, passUntil } = await slowRenewal(5_000);
		passUntil(260_000);
		const start = clock.now();
		expect(await slow()).toBe('token-1');
		expect(clock.now() - start).toBe(1_000);
		expect(await slow()).toBe('token-1');
		expect(clock.now() - start).toBeLessThanOrEqual(1_000);
		await clock.sleep(5_000);
		expect(await slow()).toBe('renewed');
	});
});

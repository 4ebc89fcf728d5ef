/** Requests of a service account: which token they carry, and what becomes of them without one. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import {
	AccessTokenError,
	Cancelled,
} from '../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { answer, serviceBehindN8n } from '../../support/serviceBehindN8n';

const get: ApiRequest = { method: 'GET', path: ['cards'] };
const create: ApiRequest = { method: 'POST', path: ['cards'], body: {}, creates: 'card' };
const tokenOf = ({ headers }: IHttpRequestOptions) => headers?.Authorization;
const authentication = 'serviceAccount';
const failure = (code: string) => Object.assign(new Error(code), { code });

test('a token is asked for once, and goes along with every request', async () => {
	const { session, sent, tokenRequests } = await serviceBehindN8n({
		authentication,
		toRequest: () => answer(200),
	});
	await Promise.all([session.request(get), session.request(create)]);
	await session.request(get);
	expect(sent.map(tokenOf)).toEqual(new Array(3).fill('Bearer token-1'));
	expect(tokenRequests).toHaveLength(1);
});

test.each([get, create])(
	'a refused token is renewed, and $method is sent again',
	async (request) => {
		const { session, sent } = await serviceBehindN8n({
			authentication,
			toRequest: (options) => answer(tokenOf(options) === 'Bearer token-2' ? 200 : 401),
		});
		expect(await session.request(request)).toMatchObject({ status: 200 });
		expect(sent.map(tokenOf)).toEqual(['Bearer token-1', 'Bearer token-2']);
	},
);

test('a new token that is refused as well is not replaced: the advice names the account', async () => {
	const { session, sent, tokenRequests } = await serviceBehindN8n({
		authentication,
		toRequest: () => answer(401),
	});
	for (let n = 0; n < 2; n += 1) {
		await expect(session.request(get)).rejects.toMatchObject({
			advice: expect.stringContaining('The service account may have been revoked'),
		});
	}
	expect(sent.map(tokenOf)).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
	expect(tokenRequests).toHaveLength(2);
});

test('an account that the auth server refuses sends nothing, and is told why', async () => {
	const { session, sent, tokenRequests } = await serviceBehindN8n({
		authentication,
		toRequest: () => answer(200),
		toTokenRequest: () => answer(401, {}, { error_description: 'The client is disabled' }),
	});
	await expect(session.request(create)).rejects.toMatchObject({
		name: 'AccessTokenError',
		message: 'The service account was not accepted',
		description: expect.stringContaining('The client is disabled'),
	});
	expect([sent.length, tokenRequests.length]).toEqual([0, 1]);
});

test('a request that n8n does not let out is a fault of the auth server’s address until a token was given', async () => {
	const { session, sent } = await serviceBehindN8n({
		authentication,
		toRequest: () => answer(200),
		before: () => {
			throw new Error('Domain not allowed');
		},
	});
	const error: unknown = await session.request(get).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(AccessTokenError);
	expect(error).toMatchObject({
		message: expect.stringMatching(
			/The auth server auth.* could not be reached: Domain not allowed/,
		),
	});
	expect(sent).toEqual([]);
});

test('a service that cannot be reached with a valid token is not taken for the auth server', async () => {
	const { session, sent } = await serviceBehindN8n({
		authentication,
		toRequest: () => failure('ECONNREFUSED'),
	});
	await expect(session.request(get)).rejects.toMatchObject({
		name: 'Unreachable',
		message: 'The service could not be reached: the connection was refused',
	});
	expect(sent).toHaveLength(3);
});

test('tokens that the service quotes are not shown', async () => {
	const { session } = await serviceBehindN8n({
		authentication,
		toTokenRequest: () => answer(200, {}, { access_token: 'opaque-1234' }),
		toRequest: () => answer(400, {}, { title: 'no opaque-1234', status: 400 }),
	});
	await expect(session.request(get)).rejects.toMatchObject({ problem: { title: 'no ***' } });
	expect(session.redact('opaque-1234')).toBe('***');
});

test('an API key that is refused is not renewed, and has its own advice', async () => {
	const { session, sent } = await serviceBehindN8n({ toRequest: () => answer(401) });
	await expect(session.request(get)).rejects.toMatchObject({
		advice: expect.stringContaining("'API Key'"),
	});
	expect(sent).toHaveLength(1);
});

describe('cancelled', () => {
	const never = async () => await new Promise<never>(() => {});
	/** Cancels the execution while a request is under way. */
	async function cancelled(behaviour: Parameters<typeof serviceBehindN8n>[0], request: ApiRequest) {
		const { session, cancel, clock } = await serviceBehindN8n(behaviour);
		const failing = session.request(request).catch((reason: unknown) => reason);
		await clock.sleep(1_000);
		cancel.abort();
		const error = await failing;
		expect(error).toBeInstanceOf(Cancelled);
		return (error as Cancelled).sent;
	}

	test.each(['apiKey', 'serviceAccount'] as const)(
		'with a change under way (%s): it may have been carried out; a read has no effect',
		async (kind) => {
			const silent = { authentication: kind, toRequest: never };
			expect(await cancelled(silent, create)).toBe('maybe');
			expect(await cancelled(silent, { ...create, method: 'DELETE' })).toBe('maybe');
			expect(await cancelled(silent, get)).toBe('no');
		},
	);

	test('while the token is asked for: nothing was sent', async () => {
		const toRequest = () => answer(200);
		const waiting = { authentication, toRequest, toTokenRequest: never } as const;
		expect(await cancelled(waiting, create)).toBe('no');
	});
});

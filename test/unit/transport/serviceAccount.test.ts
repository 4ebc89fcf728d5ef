/** Requests of a service account: which token they carry, and what becomes of them without one. */
import {
	AccessTokenError,
	Cancelled,
} from '../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import { answer, serviceBehindN8n } from '../../support/serviceBehindN8n';

const get: ApiRequest = { method: 'GET', path: ['cards'] };
const create: ApiRequest = { method: 'POST', path: ['cards'], body: {}, creates: 'card' };
const authentication = 'serviceAccount';
const failure = (code: string) => Object.assign(new Error(code), { code });

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

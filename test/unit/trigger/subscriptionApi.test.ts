/** The requests for subscriptions: what is sent, what of the answers is believed, and which failures are which. */
import type { Problem } from '../../../nodes/WorkspaceData/model/answer/problem';
import {
	ApiFailure,
	Cancelled,
	UnexpectedAnswer,
	Unreachable,
} from '../../../nodes/WorkspaceData/transport/failure/failures';
import {
	checkAnswers,
	createSubscription,
	deleteSubscription,
	isAnswerLost,
	isConflict,
	LIFECYCLE_CALL,
	PUBLISHING_CALL,
} from '../../../nodes/WorkspaceData/trigger/subscription/subscriptionApi';
import { withHint } from '../../../nodes/WorkspaceData/trigger/subscription/loopbackHint';
import { createTestClock } from '../../support/clock';
import { scriptedApi } from '../../support/scriptedApi';

const NOW = Date.UTC(2026, 0, 1);
const clock = createTestClock(NOW);
const targetUrl = 'https://n8n.example.com/webhook/x';
const request = { targetUrl, events: ['record.created'], cardId: 'c1' };
const body = { id: 's1', secret: 'shh', created_at: new Date(NOW + 3_000).toISOString() };

const failure = (status: number, more: Partial<Problem> = {}) =>
	new ApiFailure({ status, title: `Status ${status}`, ...more });
const unreachable = (sent: 'no' | 'maybe') =>
	new Unreachable('No answer', { transient: true, sent });
/** The HTTP date of so many ms after now. */
const dateIn = (ms: number) => ({ date: new Date(NOW + ms).toUTCString() });

describe('a new subscription', () => {
	test('is asked for with the address, the events and the card', async () => {
		const api = scriptedApi(() => ({ body, headers: dateIn(3_000) }));
		expect(await createSubscription(api, request, clock)).toEqual({
			id: 's1',
			secret: 'shh',
			targetUrl,
			baseUrl: api.baseUrl,
			workspaceId: 'w1',
			cardId: 'c1',
			since: NOW + 3_000,
			clockAheadMs: 3_000,
		});
		expect(api.sent).toEqual([
			{
				method: 'POST',
				path: ['webhooks'],
				body: { target_url: targetUrl, events: ['record.created'], card_id: 'c1' },
				creates: 'subscription',
				...LIFECYCLE_CALL,
			},
		]);
	});

	test('of all cards names no card, and is sent as the caller says', async () => {
		const api = scriptedApi(() => ({ body }));
		const made = await createSubscription(
			api,
			{ ...request, cardId: null },
			clock,
			PUBLISHING_CALL,
		);
		expect(made).toMatchObject({ cardId: null, clockAheadMs: 0 });
		expect(api.sent).toEqual([
			expect.objectContaining({
				body: { target_url: targetUrl, events: ['record.created'] },
				insistent: true,
			}),
		]);
	});

	const created = (ms: number) => ({ created_at: new Date(NOW + ms).toISOString() });
	test.each<[string, object, Record<string, string>, number]>([
		['since its own time', created(5_000), dateIn(0), 5_000],
		['since its own time, up to 20 s from the Date header', created(20_000), dateIn(0), 20_000],
		['since its own time, up to 20 s before the Date header', created(-20_000), dateIn(0), -20_000],
		[
			'since the end of the second of the Date header, where its own time contradicts',
			created(20_001),
			dateIn(0),
			1_000,
		],
		['the same, where its own time is long ago', created(-20_001), dateIn(0), 1_000],
		['since the Date header, where it names no time', {}, dateIn(7_000), 8_000],
		['since its own time, without a Date header', created(-90_000), {}, -90_000],
		['since a second from now, where nothing tells', {}, {}, 1_000],
	])('counts %s', async (_, times, headers, since) => {
		const api = scriptedApi(() => ({ body: { id: 's1', secret: 'shh', ...times }, headers }));
		expect((await createSubscription(api, request, clock)).since).toBe(NOW + since);
	});

	test('may have its ID in the header Location only', async () => {
		const headers = { location: 'https://data.example.com/api/v1/workspaces/w1/webhooks/s9' };
		const api = scriptedApi(() => ({ body: { secret: 'shh' }, headers }));
		expect((await createSubscription(api, request, clock)).id).toBe('s9');
	});

	test('without a secret is of no use: it is deleted, and the message says so', async () => {
		const api = scriptedApi(() => ({ body: { id: 's1' } }));
		const made = createSubscription(api, request, clock);
		await expect(made).rejects.toThrow(UnexpectedAnswer);
		await expect(made).rejects.toThrow('returned no secret');
		expect(api.sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
		expect(api.sent[1]?.path).toContainEqual({ value: 's1', parameter: 'Subscription' });
	});

	test('without a secret is said so even where it cannot be deleted', async () => {
		const api = scriptedApi(({ method }) => {
			if (method === 'DELETE') throw failure(500);
			return { body: { id: 's1' } };
		});
		await expect(createSubscription(api, request, clock)).rejects.toThrow('returned no secret');
	});

	test('without an ID cannot be deleted, and the message says so', async () => {
		const api = scriptedApi(() => ({ body: { secret: 'shh' } }));
		const made = createSubscription(api, request, clock);
		await expect(made).rejects.toThrow('returned no identifier');
		expect(api.sent).toHaveLength(1);
	});
});

describe('the end of a subscription', () => {
	const one = { id: 's1', workspaceId: 'w7' };

	test('is asked for in its own workspace', async () => {
		const api = scriptedApi(() => ({}));
		await deleteSubscription(api, one);
		expect(api.sent).toEqual([
			{
				method: 'DELETE',
				root: 'api',
				path: [
					'workspaces',
					{ value: 'w7', parameter: 'Workspace ID' },
					'webhooks',
					{ value: 's1', parameter: 'Subscription' },
				],
				impatient: true,
				timeoutMs: 10_000,
			},
		]);
	});

	test('may be waited for, where nobody else waits', async () => {
		const api = scriptedApi(() => ({}));
		await deleteSubscription(api, one, 'patient');
		expect(api.sent).toEqual([expect.objectContaining({ timeoutMs: 8_000 })]);
		expect(api.sent[0]).not.toHaveProperty('impatient');
	});

	test('at another address is not asked for: the credential stays where it belongs', async () => {
		const api = scriptedApi(() => ({}));
		const elsewhere = { ...one, baseUrl: 'https://other.example.com/api/v1' };
		await expect(deleteSubscription(api, elsewhere)).rejects.toThrow(
			'it is in workspace w7 at https://other.example.com/api/v1',
		);
		expect(api.sent).toEqual([]);
		await deleteSubscription(api, { ...one, baseUrl: api.baseUrl });
		expect(api.sent).toHaveLength(1);
	});

	test.each([
		'webhook-not-found',
		'webhooks-gone',
		'subscription-unknown',
		'resource-not-found',
		'not-found',
	])('is certain where the service says %s', async (kind) => {
		const api = scriptedApi(() => {
			throw failure(404, { kind });
		});
		await expect(deleteSubscription(api, one)).resolves.toBeUndefined();
	});

	test.each([
		['its workspace', failure(404, { kind: 'workspace-not-found' })],
		['nothing in particular', failure(404)],
		['a failure', failure(500)],
	])('is not certain where a refusal names %s', async (_, error) => {
		const api = scriptedApi(() => {
			throw error;
		});
		await expect(deleteSubscription(api, one)).rejects.toBe(error);
	});
});

describe('whether the service answers at all', () => {
	const check = async (error?: Error) => {
		const api = scriptedApi(() => {
			if (error) throw error;
			return { body: { cards: [] } };
		});
		await checkAnswers(api, LIFECYCLE_CALL);
		return api.sent;
	};

	test('is asked with the cards', async () => {
		expect(await check()).toEqual([{ method: 'GET', path: ['cards'], ...LIFECYCLE_CALL }]);
	});

	test.each([400, 403, 499])('a refusal with %d is an answer', async (status) => {
		expect(await check(failure(status))).toHaveLength(1);
	});

	test.each([failure(500), failure(503), unreachable('maybe')])('%s is none', async (error) => {
		await expect(check(error)).rejects.toBe(error);
	});
});

test.each([
	['an answer that cannot be used', new UnexpectedAnswer('No ID', ''), true],
	['no answer', unreachable('maybe'), true],
	['no connection', unreachable('no'), false],
	['a gateway that gave up', failure(504), true],
	['a gateway that had no connection', failure(502), false],
	['a refusal', failure(400), false],
	['the end of the execution', new Cancelled('maybe'), false],
	['something else', new Error('504'), false],
])('after %s, a subscription may be left behind: %s', (_, error, expected) => {
	expect(isAnswerLost(error)).toBe(expected);
});

test('only 409 says that the address has a subscription', () => {
	expect(isConflict(failure(409))).toBe(true);
	expect(isConflict(failure(408))).toBe(false);
	expect(isConflict(new Error('409'))).toBe(false);
});

describe('the hint at an address that the service cannot reach', () => {
	const refused = new ApiFailure({ status: 422, title: 'Wrong' }, 'Look at it.', true);

	test('joins the advice of a refusal, and changes nothing else', () => {
		expect(withHint(refused, 'It is local')).toMatchObject({
			problem: refused.problem,
			advice: 'Look at it. It is local',
			rateLimited: true,
		});
		expect(withHint(failure(499), 'It is local')).toMatchObject({ advice: 'It is local' });
	});

	test.each([
		[refused, undefined],
		[failure(500), 'It is local'],
		[new Error('No connection'), 'It is local'],
	])('does not join %s with the hint %s', (error, hint) => {
		expect(withHint(error, hint)).toBe(error);
	});
});

import fc from 'fast-check';
import { readCreatedSubscription } from '../../../../nodes/WorkspaceData/model/subscription/createdSubscription';
import {
	NO_SUBSCRIPTIONS,
	readSubscriptions,
	sealsIn,
	sealSubscriptions,
	writeSubscriptions,
} from '../../../../nodes/WorkspaceData/model/subscription/stored';

const created = { id: 'whk_1', secret: 's', createdAt: undefined };

test.each([
	{ webhook_id: 'whk_1', secret: 's' },
	{ id: 'whk_1', secret: 's' },
	{ subscription_id: 'whk_1', signing_secret: 's' },
	{ webhook: { id: 'whk_1', secret: 's' } },
	{ webhook: { webhook_id: 'whk_1' }, secret: 's' },
	{ data: { id: 'whk_1' }, secret: 's' },
	{ data: { webhook: { id: 'whk_1', webhook_secret: 's' } } },
	{ id: 'request', webhook_id: 'whk_1', secret: 's' },
	{ webhook: { webhook_id: 'whk_1', id: 7 }, secret: 's' },
	[{ id: 'whk_1', secret: 's' }],
	{ items: [{ id: 'whk_1', secret: 's' }] },
	{ data: [{ webhook: { id: 'whk_1' }, secret: 's' }] },
	{ value: { id: 'whk_1', secret: 's' } },
	{ results: { id: 'whk_1', secret: 's' } },
	{ hook: { id: 'whk_1', secret: 's' }, status: 201 },
	{ webhook_subscription: { id: 'whk_1', secret: 's' } },
	{ webhookId: 'whk_1', id: 'request', secret: 's' },
	{ uuid: 'whk_1', secret: 's' },
	{ id: 'envelope1', type: 'webhook', data: { id: 'whk_1', secret: 's' } },
	{ id: 'envelope1', data: { uuid: 'whk_1', secret: 's' } },
	{ id: 'envelope1', secret: 's', webhook: { webhook_id: 'whk_1' } },
	{ webhook_id: 'whk_1', data: { id: 'secret1', secret: 's' } },
	{ webhook_id: 'envelope1', data: { webhook_id: 'whk_1', secret: 's' } },
])('finds identifier and secret in %j', (body) => {
	expect(readCreatedSubscription(body)).toEqual(created);
});

test.each(['********', 'whs_****9f', '••••••', '   ', '[hidden]', '<REDACTED>'])(
	'takes %j for no secret (K20)',
	(secret) => {
		expect(readCreatedSubscription({ id: 'whk_1', secret }).secret).toBeUndefined();
	},
);
test('takes the time of creation from the object with the secret', () => {
	const data = { id: 'whk_1', secret: 's', created_at: '2026-01-31T12:00:00Z' };
	const body = { id: 'envelope1', created_at: '2020-01-01T00:00:00Z', data };
	expect(readCreatedSubscription(body).createdAt).toBe(Date.UTC(2026, 0, 31, 12));
});

test('takes a number as identifier, and the time of creation', () => {
	const body = { id: 17, secret: 's', created_at: '2026-01-31T12:00:00.123Z' };
	expect(readCreatedSubscription(body)).toEqual({
		id: '17',
		secret: 's',
		createdAt: Date.UTC(2026, 0, 31, 12, 0, 0, 123),
	});
});

test.each([
	undefined,
	null,
	'',
	'ok',
	5,
	[],
	[
		{ id: 'whk_1', secret: 's' },
		{ id: 'whk_2', secret: 's' },
	],
	{ hook: { id: 'whk_1', secret: 's' }, card: { id: 'crd_1' } },
	{},
	{ id: '' },
])('finds nothing in %j', (body) => {
	expect(readCreatedSubscription(body)).toEqual({
		id: undefined,
		secret: undefined,
		createdAt: undefined,
	});
});

test('does not take the identifier of another resource', () => {
	const body = { secret: 's', card: { id: 'crd_1' } };
	expect(readCreatedSubscription(body).id).toBeUndefined();
});

test('never fails, whatever the answer is', () => {
	fc.assert(fc.property(fc.anything(), (body) => void readCreatedSubscription(body)));
});

test('reads what it wrote', () => {
	const subscription = fc.record({
		id: fc.string(),
		secret: fc.string(),
		targetUrl: fc.webUrl(),
		baseUrl: fc.option(fc.webUrl(), { nil: undefined }),
		workspaceId: fc.string(),
		cardId: fc.option(fc.string()),
		since: fc.nat(),
		clockAheadMs: fc.integer(),
		generation: fc.nat(),
	});
	const retired = fc
		.tuple(subscription, fc.option(fc.nat()), fc.nat(), fc.boolean())
		.map(([one, deleteAt, giveUpAt, wasSaved]) => ({ ...one, deleteAt, giveUpAt, wasSaved }));
	const missed = fc.record({
		cardId: fc.option(fc.string()),
		from: fc.nat(),
		upTo: fc.array(fc.nat()),
	});
	const kept = fc
		.record({
			current: fc.option(subscription, { nil: undefined }),
			retired: fc.array(retired),
			missed: fc.option(missed, { nil: undefined }),
			endedUpTo: fc.nat(),
			gone: fc.array(fc.string()),
			lostAnswers: fc.record({ count: fc.nat(), at: fc.nat() }),
		})
		.filter((value) => value.missed !== undefined || value.current === undefined);
	fc.assert(
		fc.property(kept, (value) => {
			expect(readSubscriptions(writeSubscriptions(value))).toEqual(value);
		}),
	);
});

test('reads what 0.1.0 wrote', () => {
	const one = { id: 'whk', secret: 's', targetUrl: 'https://n8n', workspaceId: 'w', cardId: null };
	const old = { ...one, since: 5, deleteAt: 7, giveUpAt: 9 };
	const text = JSON.stringify({
		current: { ...one, since: 6 },
		retired: [old],
		catchUpFrom: 4,
	});
	expect(readSubscriptions(text)).toEqual({
		current: { ...one, since: 6, clockAheadMs: 0, generation: 0 },
		retired: [{ ...old, clockAheadMs: 0, generation: 0, wasSaved: true }],
		missed: { cardId: null, from: 4, upTo: [] },
		endedUpTo: 0,
		gone: [],
		lostAnswers: { count: 0, at: 0 },
	});
});

describe('secrets are sealed', () => {
	const one = { targetUrl: 'https://n8n', workspaceId: 'w', cardId: null, clockAheadMs: 0 };
	const rest = { since: 5, generation: 1 };
	const current = { ...one, ...rest, id: 'new', secret: 'first' };
	const retired = [
		{ ...one, ...rest, id: 'old', secret: 'second', deleteAt: 7, giveUpAt: null, wasSaved: true },
		{ ...one, ...rest, id: 'lost', secret: '', deleteAt: 7, giveUpAt: null, wasSaved: true },
	];
	const missed = { cardId: null, from: 5, upTo: [] };
	const kept = { ...NO_SUBSCRIPTIONS, current, retired, missed, gone: ['x'], endedUpTo: 3 };
	const seal = (text: string) => `sealed ${text}`;
	const open = (text: string) => text.replace('sealed ', '');

	test('and opened again; whoever cannot open them has none', () => {
		const text = sealSubscriptions(kept, seal);
		expect(text).not.toMatch(/"secret"/);
		expect(readSubscriptions(text, open)).toEqual(kept);
		const closed = readSubscriptions(text);
		expect([closed.current, ...closed.retired].map((each) => each?.secret)).toEqual(['', '', '']);
	});
	test('their seals are found', () => {
		expect(sealsIn(sealSubscriptions(kept, seal))).toStrictEqual(['sealed second', 'sealed first']);
		const none = { ...kept, current: undefined };
		expect(sealsIn(sealSubscriptions(none, seal))).toStrictEqual(['sealed second']);
		for (const nothing of [undefined, '', '{}', 5]) expect(sealsIn(nothing)).toStrictEqual([]);
	});
	test('a secret that cannot be sealed is not written', () => {
		const text = sealSubscriptions(kept, () => undefined);
		expect(text).not.toContain('first');
		expect(sealsIn(text)).toStrictEqual([]);
	});
	test('one that 0.1.0 wrote is read as it is, sealed or not', () => {
		const old = { current: { ...current, sealed: 'sealed other' }, retired: [] };
		expect(readSubscriptions(JSON.stringify(old), open).current?.secret).toBe('first');
	});
	test('lost answers are written where there are any', () => {
		const lostAnswers = { count: 1, at: 9 };
		const text = sealSubscriptions({ ...kept, lostAnswers }, seal);
		expect(readSubscriptions(text, open).lostAnswers).toEqual(lostAnswers);
		expect(sealSubscriptions(kept, seal)).not.toContain('lostAnswers');
	});
});

test('reads an identifier and a secret from where they are, and no deeper', () => {
	expect(readCreatedSubscription({ id: 'whk_1', card: { id: 'crd_1', secret: 's' } })).toEqual({
		id: 'whk_1',
		secret: undefined,
		createdAt: undefined,
	});
	const nested = (levels: number): object =>
		levels === 0 ? { id: 'whk_1', secret: 's' } : { data: nested(levels - 1), at: 1 };
	expect(readCreatedSubscription(nested(2)).id).toBe('whk_1');
	expect(readCreatedSubscription(nested(5)).id).toBeUndefined();
});

test.each([undefined, null, '', '{', '[]', '{"retired":5}', '{"current":{},"retired":[]}', 5, {}])(
	'reads nothing from %j',
	(text) => {
		expect(readSubscriptions(text)).toEqual(NO_SUBSCRIPTIONS);
		expect(readSubscriptions(text).gone).toEqual([]);
	},
);

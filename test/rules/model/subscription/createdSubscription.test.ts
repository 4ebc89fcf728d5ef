/** The service's response to a new subscription, in each plausible shape. */
import fc from 'fast-check';
import { readCreatedSubscription } from '../../../../nodes/WorkspaceData/model/subscription/createdSubscription';

const created = { id: 'whk_1', secret: 's', createdAt: undefined };

test.each([
	{ data: { id: 'whk_1', attributes: { secret: 's' } } },
	{ webhook_id: 'whk_1', secret: { value: 's' } },
	{ subscription_id: 'whk_1', signing_secret: 's' },
	{ webhook: { id: 'whk_1', secret: 's' } },
	{ data: { id: 'whk_1' }, secret: 's' },
	{ id: 'request', webhook_id: 'whk_1', secret: 's' },
	[{ id: 'whk_1', secret: 's' }],
	{ data: [{ webhook: { id: 'whk_1' }, secret: 's' }] },
	{ webhook_subscription: { id: 'whk_1', secret: 's' } },
	{ webhookId: 'whk_1', id: 'request', secret: 's' },
	{ uuid: 'whk_1', secret: 's' },
	{ id: 'envelope1', type: 'webhook', data: { id: 'whk_1', secret: 's' } },
	{ id: 'envelope1', secret: 's', webhook: { webhook_id: 'whk_1' } },
	{ webhook_id: 'whk_1', data: { id: 'secret1', secret: 's' } },
	{ webhook_id: 'envelope1', data: { webhook_id: 'whk_1', secret: 's' } },
])('finds identifier and secret in %j', (body) => {
	expect(readCreatedSubscription(body)).toEqual(created);
});

test.each(['********', 'whs_****9f', '••••••', '   ', '[hidden]', '<REDACTED>'])(
	'takes %j for no secret',
	(secret) => {
		expect(readCreatedSubscription({ id: 'whk_1', secret }).secret).toBeUndefined();
	},
);
test('takes a number as identifier, and the time of creation from the object with the secret', () => {
	const data = { id: 17, secret: 's', created_at: '2026-01-31T12:00:00.123Z' };
	const body = { id: 'envelope1', created_at: '2020-01-01T00:00:00Z', data };
	const createdAt = Date.UTC(2026, 0, 31, 12, 0, 0, 123);
	expect(readCreatedSubscription(body)).toEqual({ id: '17', secret: 's', createdAt });
});

const several = ['whk_1', 'whk_2'].map((id) => ({ id, secret: 's' }));
const unclear = { hook: { id: 'whk_1', secret: 's' }, card: { id: 'crd_1' } };

test.each([undefined, null, '', 'ok', 5, [], several, unclear, {}, { id: '' }])(
	'finds nothing in %j',
	(body) => {
		expect(readCreatedSubscription(body)).toEqual({ ...created, id: undefined, secret: undefined });
	},
);

test('never fails, whatever the response is', () => {
	fc.assert(fc.property(fc.anything(), (body) => void readCreatedSubscription(body)));
});
test('reads an identifier and a secret from where they are, and no deeper', () => {
	const elsewhere = { id: 'whk_1', card: { id: 'crd_1', secret: 's' } };
	expect(readCreatedSubscription(elsewhere)).toEqual({ ...created, secret: undefined });
	const nested = (levels: number): object =>
		levels === 0 ? { id: 'whk_1', secret: 's' } : { data: nested(levels - 1), at: 1 };
	expect(readCreatedSubscription(nested(2)).id).toBe('whk_1');
	expect(readCreatedSubscription(nested(5)).id).toBeUndefined();
});

test.each(['..', '.', 'a/b', 'a b'])('takes no identifier %j that no address can hold', (id) => {
	expect(readCreatedSubscription({ id, secret: 's' }).id).toBeUndefined();
});

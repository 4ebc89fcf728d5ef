/** The forms of the settings page, without the page. */
import {
	accountForms,
	type Forms,
	keyForms,
	subscriptionForms,
} from '../../../service/settingsPage/forms.ts';
import { openedStore } from './openedStore.ts';

let all: ReturnType<typeof openedStore>;
const formsOf = (make: typeof keyForms): Forms =>
	make({ store: all.store, data: all.data, workspaceId: all.wid } as never);
beforeEach(() => void (all = openedStore()));
afterEach(() => all.store.close());

test('a key is made with its tier, shown, asked about and revoked, once', () => {
	const { actions, questions } = formsOf(keyForms);
	const run = (path: string, id: string, body?: object) => actions[path]?.(id, body);
	const made = run('/keys', '', { name: ' Robot ', tier: 'free' });
	expect(made?.text).toBe('The API key "Robot" was created.');
	const key = all.store.identities.findKey(made?.secrets[0]?.[1] ?? '');
	expect(key).toMatchObject({ name: 'Robot', tier: 'free' });
	run('/keys', '', { name: 'Other', tier: '' });
	expect(
		all.store.identities
			.keys(all.wid)
			.map(({ tier }) => tier)
			.sort(),
	).toEqual(['free', null].sort());
	const ask = (id = '') => questions['/keys/:id/revoke']?.(id);
	expect(ask(key?.id)).toMatchObject({ question: 'Revoke the API key “Robot”?' });
	expect(run('/keys/:id/revoke', 'key_none')).toBeUndefined();
	expect(run('/keys/:id/revoke', key?.id ?? '')?.text).toBe('The API key was revoked.');
	expect(run('/keys/:id/revoke', key?.id ?? '')).toBeUndefined();
	expect([ask(key?.id), ask('key_none')]).toEqual([undefined, undefined]);
	expect(all.store.identities.keys(all.wid).filter((one) => one.revokedAt)).toHaveLength(1);
});

test.each([{}, { name: ' ' }, { name: 'x'.repeat(201) }, { name: 'x', tier: 'gold' }, undefined])(
	'a key is not made of %j',
	(body) => {
		const { actions } = formsOf(keyForms);
		expect(() => actions['/keys']?.('', body)).toThrow('not filled in properly');
		expect(actions['/keys']?.('', { name: 'x'.repeat(200) })).toBeDefined();
		expect(all.store.identities.keys(all.wid)).toHaveLength(1);
	},
);

test('an account is made with role and tier, asked about and revoked, once', () => {
	const { actions, questions } = formsOf(accountForms);
	const made = actions['/accounts']?.('', { name: 'Robot', role: 'viewer', tier: 'business' });
	const [[, id] = [], [, secret] = []] = made?.secrets ?? [];
	expect([made?.text, secret?.length]).toEqual(['The service account "Robot" was created.', 43]);
	const account = (clientId = '') => all.store.identities.account(clientId);
	expect(account(id)).toMatchObject({ role: 'viewer', tier: 'business', name: 'Robot' });
	const other = actions['/accounts']?.('', { name: 'b', role: 'admin' });
	expect(account(other?.secrets[0]?.[1])).toMatchObject({ role: 'admin', tier: null });
	expect(() => actions['/accounts']?.('', { name: 'b', role: 'king' })).toThrow('filled in');
	const ask = (clientId = '') => questions['/accounts/:id/revoke']?.(clientId);
	const revoke = (clientId = '') => actions['/accounts/:id/revoke']?.(clientId, undefined);
	expect(ask(id)).toMatchObject({ question: 'Revoke the service account “Robot”?' });
	expect(revoke('sa_none')).toBeUndefined();
	expect(revoke(id)?.text).toContain('was revoked');
	expect([revoke(id), ask(id), ask('sa_none')]).toEqual([undefined, undefined, undefined]);
	expect(account(other?.secrets[0]?.[1])?.revokedAt).toBeNull();
});

test('a subscription is resumed where it is paused, asked about and deleted', () => {
	const { actions, questions } = formsOf(subscriptionForms);
	const input = { targetUrl: 'http://x/', events: ['card.created' as const] };
	const [id, kept] = [1, 2].map(() => all.data.subscriptions.create(all.wid, input).id);
	all.data.cards.create(all.wid, { name: 'Waits' });
	const run = (what: string, one = '') =>
		actions[`/subscriptions/:id/${what}`]?.(one, undefined)?.text;
	expect(run('resume', id)).toBeUndefined();
	all.store.subscriptions.pause(id ?? '');
	expect(run('resume', id)).toBe(`The subscription ${id} is active again.`);
	const ask = (one = '') => questions['/subscriptions/:id/delete']?.(one);
	expect(ask(id)).toMatchObject({
		question: `Delete the subscription ${id}?`,
		consequence: 'http://x/ gets no further events, and 1 waiting deliveries are dropped.',
	});
	expect(run('delete', 'whk_none')).toBeUndefined();
	expect(run('delete', id)).toBe(`The subscription ${id} was deleted.`);
	expect([run('delete', id), run('resume', id), ask(id)]).toEqual(Array(3).fill(undefined));
	expect(all.data.subscriptions.list(all.wid).map((one) => one.id)).toEqual([kept]);
});

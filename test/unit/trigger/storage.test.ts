/** What n8n saves of the subscriptions: secrets sealed with the credential, read back, and not sealed twice. */
import type { IDataObject } from 'n8n-workflow';
import {
	NO_SUBSCRIPTIONS,
	type StoredSubscriptions,
} from '../../../nodes/WorkspaceData/model/subscription/stored';
import {
	openStore,
	type StorePlace,
} from '../../../nodes/WorkspaceData/trigger/subscription/storage';
import { inAnotherProcess } from '../../support/anotherProcess';

let secrets = 0;

const subscription = (secret: string): NonNullable<StoredSubscriptions['current']> => ({
	id: 's1',
	secret,
	targetUrl: 'https://n8n.example.com/webhook/x',
	baseUrl: 'https://data.example.com/api/v1',
	workspaceId: 'w1',
	cardId: null,
	since: 5,
	clockAheadMs: 0,
	generation: 1,
});

/** The static data of a node, and how often its credential was read. */
function place(apiKey: string | undefined) {
	const data: IDataObject = {};
	const state = { apiKey, reads: 0 };
	const context = {
		getNode: () => ({ credentials: { workspaceDataApi: { id: '1', name: 'Test' } } }),
		getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
		async getCredentials() {
			state.reads += 1;
			if (state.apiKey === undefined) throw new Error('The credential is gone');
			return { apiKey: state.apiKey };
		},
	} as unknown as StorePlace;
	return { data, state, context, store: openStore(context, 'apiKey') };
}

const withSecret = (secret: string): StoredSubscriptions => ({
	...NO_SUBSCRIPTIONS,
	current: subscription(secret),
	missed: { cardId: null, from: 5, upTo: [] },
});
const newSecret = () => `secret-${(secrets += 1)}`;

/** Another process of n8n: it remembers nothing. */
function elsewhere<T>(task: (module: { openStore: typeof openStore }) => T): T {
	const path = '../../../nodes/WorkspaceData/trigger/subscription/storage';
	const load = () => jest.requireActual<{ openStore: typeof openStore }>(path);
	return task(inAnotherProcess(load, ['n8n-workflow', 'zod']));
}

test('what was saved is read again, and shows no secret', async () => {
	const { data, store } = place('key');
	const saved = withSecret(newSecret());
	expect(store.hasAny()).toBe(false);
	await store.write(saved);
	expect(store.hasAny()).toBe(true);
	expect(JSON.stringify(data)).not.toContain(saved.current?.secret);
	expect(await store.read()).toEqual(saved);
});

test('nothing saved is no subscription', async () => {
	expect(await place('key').store.read()).toEqual(NO_SUBSCRIPTIONS);
});

test('a delivery reads no credential once the seal is open', async () => {
	const { state, context, store, data } = place('key');
	const saved = withSecret(newSecret());
	await store.write(saved);
	state.reads = 0;
	expect(await store.read()).toEqual(saved);
	expect(state.reads).toBe(0);
	const there = elsewhere((module) => module.openStore(context, 'apiKey'));
	expect(await there.read()).toEqual(saved);
	expect(await there.read()).toEqual(saved);
	expect(state.reads).toBe(1);
	expect(data).toHaveProperty('subscriptions');
});

test('a secret that was not changed is saved unchanged', async () => {
	const { data, store } = place('key');
	const saved = withSecret(newSecret());
	await store.write(saved);
	const text = data.subscriptions;
	await store.write(saved);
	expect(data.subscriptions).toBe(text);
});

test('a process that has opened a seal saves it unchanged', async () => {
	const { data, context, store } = place('key');
	await store.write(withSecret(newSecret()));
	await store.write(await store.read());
	const text = data.subscriptions;
	const there = elsewhere((module) => module.openStore(context, 'apiKey'));
	await there.write(await there.read());
	expect(data.subscriptions).toBe(text);
});

test('another credential seals anew; a process with the old one reads no secret, and no error', async () => {
	const { data, state, context, store } = place('key');
	const saved = withSecret(newSecret());
	await store.write(saved);
	const text = data.subscriptions;
	state.apiKey = 'another key';
	await store.write(saved);
	expect(data.subscriptions).not.toBe(text);
	const open = () => elsewhere((module) => module.openStore(context, 'apiKey'));
	expect(await open().read()).toEqual(saved);
	state.apiKey = 'key';
	expect((await open().read()).current?.secret).toBe('');
});

test('where the credential cannot be read, seals stay as they are', async () => {
	const { data, state, store } = place('key');
	const saved = withSecret(newSecret());
	await store.write(saved);
	const text = data.subscriptions;
	state.apiKey = undefined;
	expect(await store.ownSecret()).toBeUndefined();
	await store.write(saved);
	expect(data.subscriptions).toBe(text);
	expect(await store.read()).toEqual(saved);
});

test('without a kind of credential none is read', async () => {
	const { context, state } = place('key');
	const store = openStore(context, undefined);
	expect(await store.ownSecret()).toBeUndefined();
	expect(state.reads).toBe(0);
	expect(await openStore(context, 'apiKey').ownSecret()).toBe('key');
});

test('a process that has opened no seal and cannot read the credential knows the subscriptions without their secrets', async () => {
	const { state, context, store, data } = place('key');
	const saved = withSecret(newSecret());
	await store.write(saved);
	const text = data.subscriptions;
	state.apiKey = undefined;
	const there = elsewhere((module) => module.openStore(context, 'apiKey'));
	expect(await there.read()).toEqual({ ...saved, current: { ...saved.current, secret: '' } });
	state.apiKey = 'key';
	expect(await there.read()).toEqual(saved);
	expect(data.subscriptions).toBe(text);
});

test('subscriptions are held as they were written, until one of them or the credential changes', async () => {
	const { state, store } = place('key');
	const saved = withSecret(newSecret());
	expect(await store.holds(saved)).toBe(false);
	await store.write(saved);
	expect(await store.holds(saved)).toBe(true);
	expect(await store.holds({ ...saved, endedUpTo: 1 })).toBe(false);
	state.apiKey = 'another key';
	expect(await store.holds(saved)).toBe(false);
});

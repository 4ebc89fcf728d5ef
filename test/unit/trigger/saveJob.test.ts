/** The execution that saves subscriptions: what it is given, what it saves and deletes, and when it had better do nothing. */
import type { IRun } from 'n8n-workflow';
import type { Subscription } from '../../../nodes/WorkspaceData/model/subscription/stored';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import {
	carryOutSaveJob,
	hadNoStaticData,
	readSaveJob,
	type SaveJob,
	saveJob,
} from '../../../nodes/WorkspaceData/trigger/subscription/saveJob';
import { forget } from '../../../nodes/WorkspaceData/trigger/subscription/nodeState';
import { openStore } from '../../../nodes/WorkspaceData/trigger/subscription/storage';
import { ADDRESS, triggerHost } from '../../support/triggerHost';

const NOTHING = { deletes: [], isSettled: false };

/** A trigger with subscription s1 saved, which this process has renewed as s2 without saving it. */
async function renewed() {
	const host = triggerHost();
	const { hook, trigger, execution, clock, data, node } = host;
	await activate(hook, clock);
	const first = data.subscriptions;
	const made: Subscription = {
		id: 's2',
		secret: 'secret-2',
		targetUrl: ADDRESS,
		baseUrl: 'https://data.example.com/api/v1',
		workspaceId: 'w1',
		cardId: null,
		since: clock.now(),
		clockAheadMs: 0,
		generation: 0,
	};
	node().dispatch({
		type: 'created',
		subscription: made,
		savedByHook: false,
		overlapMs: 0,
		now: clock.now(),
	});
	host.requests();
	const written: unknown[] = [];
	let text = first;
	Object.defineProperty(data, 'subscriptions', {
		configurable: true,
		enumerable: true,
		get: () => text,
		set(value: typeof text) {
			written.push(value);
			text = value;
		},
	});
	const job = async (task: Pick<SaveJob, 'deletes' | 'isSettled'> = NOTHING) => {
		const read = readSaveJob(await saveJob(trigger, node(), 'apiKey', task));
		if (!read) throw new Error('The item is no job');
		return read;
	};
	const run = async (one: SaveJob) => await carryOutSaveJob(execution, 'apiKey', one, clock);
	const isSaved = async () => {
		const { current, retired } = await openStore(execution, 'apiKey').read();
		return [current?.id, ...retired.map(({ id }) => id)];
	};
	/** How often subscriptions were written since the last question. */
	const writes = () => written.splice(0).length;
	return { ...host, first, job, run, isSaved, writes };
}

describe('the item of the job', () => {
	test('names what to delete only where something is', async () => {
		const { trigger, node } = await renewed();
		const item = { event: 'subscription_renewed', sealed: expect.any(String) };
		expect(await saveJob(trigger, node(), 'apiKey', NOTHING)).toEqual(item);
		expect(await saveJob(trigger, node(), 'apiKey', { ...NOTHING, isSettled: true })).toEqual(item);
		const task = { deletes: ['s1'], isSettled: true };
		expect(await saveJob(trigger, node(), 'apiKey', task)).toEqual({ ...item, ...task });
	});

	test('without a word of deletions has none', () => {
		expect(readSaveJob({ event: 'subscription_renewed', sealed: 'x' })).toEqual({
			event: 'subscription_renewed',
			sealed: 'x',
			...NOTHING,
		});
	});

	test.each([undefined, {}, { event: 'subscription_renewed' }, { event: 'x', sealed: 'x' }])(
		'is not %j',
		(json) => {
			expect(readSaveJob(json)).toBeUndefined();
		},
	);
});

test.each([
	[undefined, false],
	[{}, false],
	[{ data: { resultData: {} } }, false],
	[{ data: { resultData: { metadata: {} } } }, false],
	[{ data: { resultData: { metadata: { noStaticData: 'true' } } } }, true],
])('whether a worker had no static data is read from %j', (run, expected) => {
	expect(hadNoStaticData(run as unknown as IRun | undefined)).toBe(expected);
});

test('the new subscription is saved, and this process knows that', async () => {
	const { run, job, isSaved, node, requests } = await renewed();
	expect(node().savedHere).toBe(0);
	await run(await job());
	expect(await isSaved()).toEqual(['s2', 's1']);
	expect(node().savedHere).toBe(node().set.current?.generation);
	expect(requests()).toEqual([]);
});

test('a job that comes late, after a newer subscription was saved, writes nothing', async () => {
	const { run, job, data, hook, isSaved, writes } = await renewed();
	const one = await job();
	const store = openStore(hook, 'apiKey');
	const saved = await store.read();
	const { current } = saved;
	if (!current) throw new Error('There is no subscription');
	const newer = { ...current, id: 's3', generation: current.generation + 9 };
	await store.write({ ...saved, current: newer });
	// Its secret is sealed with another credential, to which the user may go back.
	data.subscriptions = String(data.subscriptions).replace(/"sealed":"[^"]*"/, '"sealed":"x"');
	writes();
	await run(one);
	expect(writes()).toBe(0);
	expect(await isSaved()).toEqual(['s3']);
});

test('a job that finds everything saved already writes nothing: n8n would save the whole workflow again', async () => {
	const { run, job, writes } = await renewed();
	await run(await job());
	expect(writes()).toBe(1);
	await run(await job());
	expect(writes()).toBe(0);
});

test('an old one is deleted where its successor is found saved', async () => {
	const { run, job, isSaved, requests } = await renewed();
	await run(await job());
	await run(await job({ deletes: ['s1'], isSettled: true }));
	expect(requests()).toEqual(['DELETE /webhooks/s1']);
	expect(await isSaved()).toEqual(['s2']);
});

test('an old one is kept where its successor was not saved', async () => {
	const { run, job, isSaved, requests } = await renewed();
	await run(await job({ deletes: ['s1'], isSettled: true }));
	expect(requests()).toEqual([]);
	expect(await isSaved()).toEqual(['s2', 's1']);
});

test('one that cannot be deleted stays known, and the log names it', async () => {
	const { run, job, isSaved, state, lines } = await renewed();
	await run(await job());
	state.answer = (line) =>
		line.startsWith('DELETE') ? { statusCode: 403, body: { title: 'Not yours' } } : undefined;
	await run(await job({ deletes: ['s1'], isSettled: true }));
	expect(await isSaved()).toEqual(['s2', 's1']);
	expect(lines).toEqual([
		expect.stringMatching(/^Trigger: Subscription s1 could not be deleted yet: .*Not yours/),
	]);
});

test('a credential that has changed since is an error that says so, and nothing is written', async () => {
	const { run, job, state, data, first } = await renewed();
	const one = await job();
	state.apiKey = 'another key';
	await expect(run(one)).rejects.toThrow('The credential has changed');
	expect(data.subscriptions).toBe(first);
});

test('a job of a subscription that is the current one no more says nothing about this process', async () => {
	const { run, job, node, clock } = await renewed();
	const one = await job();
	const { current } = node().set;
	if (!current) throw new Error('There is no subscription');
	node().dispatch({
		type: 'created',
		subscription: { ...current, id: 's3' },
		savedByHook: false,
		overlapMs: 0,
		now: clock.now(),
	});
	await run(one);
	expect(node().savedHere).toBe(0);
});

describe('another process', () => {
	test('saves, but takes no note of it', async () => {
		const { run, job, isSaved, node, hook } = await renewed();
		const one = await job();
		forget(hook, 'production');
		await run(one);
		expect(await isSaved()).toEqual(['s2', 's1']);
		expect(node().savedHere).toBe(0);
		// Nor does one that has learned of the subscription by a delivery.
		const stored = await openStore(hook, 'apiKey').read();
		node().dispatch({ type: 'read', stored });
		await run(one);
		expect(node().savedHere).toBe(0);
	});

	test('without static data reports that, and writes nothing over the saved ones', async () => {
		const { run, job, data, custom, hook } = await renewed();
		const one = await job();
		forget(hook, 'production');
		delete data.subscriptions;
		await run(one);
		expect(data).toEqual({});
		expect([...custom]).toEqual([['noStaticData', 'true']]);
	});

	test('of n8n 1 knows no custom data, and saves', async () => {
		const { run, job, data, hook, execution, isSaved } = await renewed();
		const one = await job();
		forget(hook, 'production');
		delete data.subscriptions;
		delete (execution as { customData?: unknown }).customData;
		await run(one);
		expect(await isSaved()).toEqual(['s2', 's1']);
	});
});

test('the process that publishes saves even where nothing was saved before', async () => {
	const { run, job, data, custom, isSaved } = await renewed();
	delete data.subscriptions;
	await run(await job());
	expect(await isSaved()).toEqual(['s2', 's1']);
	expect(custom.size).toBe(0);
});

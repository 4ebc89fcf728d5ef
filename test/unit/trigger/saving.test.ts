/** How the trigger has n8n save its subscriptions: what counts as saved, what is tried again, and what is said about it. */
import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import {
	NO_SUBSCRIPTIONS,
	type Subscription,
} from '../../../nodes/WorkspaceData/model/subscription/stored';
import type * as NodeStates from '../../../nodes/WorkspaceData/trigger/subscription/nodeState';
import type * as Saving from '../../../nodes/WorkspaceData/trigger/subscription/saving';
// As a value, too: a run of the tests that concern a file finds them by their imports, not by those of types.
import { PLACE_MS } from '../../../nodes/WorkspaceData/trigger/subscription/saving';
import { inAnotherProcess } from '../../support/anotherProcess';
import { createTestClock } from '../../support/clock';
import { settingsOf } from '../../support/triggerSettings';

const FOLDER = '../../../nodes/WorkspaceData/trigger/subscription';
const address = 'https://n8n.example.com/webhook/x';

interface Done {
	resolve(run: IRun | undefined): void;
	reject(error: Error): void;
}
/** What becomes of an execution. */
type End = (done: Done) => void;

const endsWith =
	(status: string, lastNodeExecuted: string, metadata?: Record<string, string>): End =>
	(done) =>
		done.resolve({
			status,
			data: { resultData: { lastNodeExecuted, ...(metadata && { metadata }) } },
		} as unknown as IRun);
const succeeds = endsWith('success', 'Other');
const blind = endsWith('success', 'Trigger', { noStaticData: 'true' });

/** Another subscription takes the place of the present one. */
function renewSubscription(node: ReturnType<(typeof NodeStates)['adopt']>) {
	const { current } = node.set;
	if (!current) throw new Error('There is no subscription');
	node.dispatch({
		type: 'created',
		subscription: { ...current, id: 's2' },
		savedByHook: false,
		overlapMs: 0,
		now: 1,
	});
}

/** A process of n8n with one published trigger, whose new subscription is not saved yet. */
function world(ends: End[]) {
	const { adopt, runExecution, startSaving } = inAnotherProcess(
		() => ({
			...jest.requireActual<typeof NodeStates>(`${FOLDER}/nodeState`),
			...jest.requireActual<typeof Saving>(`${FOLDER}/saving`),
		}),
		['n8n-workflow', 'zod'],
	);
	const clock = createTestClock();
	const data: IDataObject = {};
	const emitted: INodeExecutionData[][] = [];
	const lines: string[] = [];
	const state = { apiKey: 'key' as string | undefined };
	const context = {
		getNode: () => ({
			id: 'n1',
			name: 'Trigger',
			credentials: { workspaceDataApi: { id: '1', name: 'Test' } },
		}),
		getWorkflow: () => ({ id: 'w1' }),
		getMode: () => 'trigger',
		getWorkflowStaticData: () => data,
		async getCredentials() {
			if (state.apiKey === undefined) throw new Error('The credential is gone');
			return { apiKey: state.apiKey };
		},
		logger: { warn: (line: string) => lines.push(line) },
		helpers: {
			createDeferredPromise() {
				let parts: Partial<Done> = {};
				const promise = new Promise((resolve, reject) => (parts = { resolve, reject } as Done));
				return { promise, ...parts };
			},
		},
		emit(items: INodeExecutionData[][], _response: unknown, done: Done) {
			emitted.push(items[0] ?? []);
			ends.shift()?.(done);
		},
	} as unknown as ITriggerFunctions;
	const node = adopt(context, 'production');
	const now = clock.now();
	node.dispatch({
		type: 'started',
		address,
		stored: NO_SUBSCRIPTIONS,
		byPerson: true,
		overlapMs: 0,
		now,
	});
	const subscription: Subscription = {
		id: 's1',
		secret: 'shh',
		targetUrl: address,
		baseUrl: 'https://data.example.com/api/v1',
		workspaceId: 'w1',
		cardId: null,
		since: now,
		clockAheadMs: 0,
		generation: 0,
	};
	const effects = node.dispatch({
		type: 'created',
		subscription,
		savedByHook: false,
		overlapMs: 0,
		now,
	});
	const task = effects.find((effect) => effect.type === 'save');
	if (!task) throw new Error('There is nothing to save');
	const upkeep = { context, settings: settingsOf(), clock, node };
	/** Saves, and waits until nothing follows any more. */
	async function save(): Promise<void> {
		if (task) startSaving(upkeep, task);
		for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
	}
	return {
		...{ context, node, clock, data, emitted, lines, state, save },
		run: async () => await runExecution(context, { a: 1 }),
		isSaved: () => node.set.saving === undefined,
	};
}

describe('an execution that the trigger starts', () => {
	test('has one item', async () => {
		const { run, emitted } = world([succeeds]);
		await run();
		expect(emitted).toEqual([[{ json: { a: 1 } }]]);
	});

	test.each<[string, End, string]>([
		['succeeds', succeeds, 'done'],
		['fails in the trigger', endsWith('error', 'Trigger'), 'failed'],
		['crashes in the trigger', endsWith('crashed', 'Trigger'), 'failed'],
		['fails in a later node', endsWith('error', 'Other'), 'done'],
		['succeeds with the trigger as its last node', endsWith('success', 'Trigger'), 'done'],
		['ends without a report', ({ resolve }) => resolve(undefined), 'done'],
		['says that it has no static data', blind, 'blind'],
		['fails without static data', endsWith('error', 'Trigger', { noStaticData: 'true' }), 'failed'],
		['was not kept', ({ reject }) => reject(new Error('Could not find execution 7')), 'done'],
		['could not be run', ({ reject }) => reject(new Error('Out of memory')), 'failed'],
	])('that %s', async (_, end, outcome) => {
		expect(await world([end]).run()).toBe(outcome);
	});
});

describe('a new subscription', () => {
	test('is saved by one execution, whose item shows no secret', async () => {
		const { save, isSaved, emitted, lines, data } = world([succeeds]);
		await save();
		expect(isSaved()).toBe(true);
		expect(emitted).toHaveLength(1);
		expect(emitted[0]?.[0]?.json).toEqual({
			event: 'subscription_renewed',
			sealed: expect.any(String),
		});
		expect(JSON.stringify(emitted)).not.toContain('shh');
		expect(lines).toEqual([]);
		// The trigger's own copy of static data is as old as the start of n8n.
		expect(data).toEqual({});
	});

	test('is to be saved again after a pause where the execution fails', async () => {
		const { save, isSaved, node, clock, lines } = world([endsWith('error', 'Trigger')]);
		clock.pass(5_000);
		const failedAt = clock.now();
		await save();
		expect(isSaved()).toBe(false);
		expect(node.set.saving?.at).toBeGreaterThanOrEqual(
			failedAt + (node.set.saving?.pauseMs ?? NaN),
		);
		expect(lines).toEqual([]);
	});

	test('is saved by the trigger itself where workers get no static data', async () => {
		const { save, isSaved, emitted, data } = world([blind, blind]);
		await save();
		expect(isSaved()).toBe(true);
		expect(emitted).toHaveLength(2);
		expect(data).toHaveProperty('subscriptions', expect.stringContaining('"id":"s1"'));
		expect(JSON.stringify(data)).not.toContain('shh');
	});

	test('is saved by the trigger at once after it has learned that', async () => {
		const { save, emitted, node } = world([blind, blind, blind]);
		await save();
		renewSubscription(node);
		await save();
		expect(emitted).toHaveLength(3);
	});

	test('is left to workers again once they have static data', async () => {
		const { save, data, emitted, node } = world([blind, succeeds, succeeds]);
		await save();
		delete data.subscriptions;
		renewSubscription(node);
		await save();
		expect(emitted).toHaveLength(3);
		expect(data).toEqual({});
	});

	test('is to be saved again where the trigger’s own execution fails', async () => {
		const { save, isSaved } = world([blind, endsWith('error', 'Trigger')]);
		await save();
		expect(isSaved()).toBe(false);
	});

	test('that cannot be sealed is not saved, is tried again, and the log says why', async () => {
		const { save, isSaved, node, clock, state, emitted, lines, data } = world([succeeds]);
		state.apiKey = undefined;
		clock.pass(5_000);
		const failedAt = clock.now();
		await save();
		expect(isSaved()).toBe(false);
		expect(node.set.saving?.at).toBeGreaterThanOrEqual(
			failedAt + (node.set.saving?.pauseMs ?? NaN),
		);
		expect(emitted).toEqual([]);
		expect(data).toEqual({});
		expect(lines).toEqual([
			'Trigger: The subscription could not be saved yet: The credential is gone',
		]);
	});

	test('where n8n cannot start an execution, is tried again, and the log says why', async () => {
		const { save, isSaved, lines } = world([
			() => {
				throw new Error('No place');
			},
		]);
		await save();
		expect(isSaved()).toBe(false);
		expect(lines).toEqual(['Trigger: The subscription could not be saved yet: No place']);
	});

	test('that another execution has saved needs none', async () => {
		const { save, node, clock, emitted } = world([succeeds]);
		node.dispatch({
			type: 'saved',
			generation: node.set.current?.generation ?? 0,
			here: false,
			deleted: [],
			overlapMs: 0,
			jitter: 1,
			now: clock.now(),
		});
		const { set } = node;
		await save();
		expect(emitted).toEqual([]);
		expect(node.set).toEqual(set);
	});

	test('waits for another one of the same workflow, but not for ever: n8n never reports the end of some', async () => {
		const { save, emitted, clock, lines } = world([() => {}, succeeds]);
		const begun = clock.now();
		await save();
		await save();
		expect(emitted).toHaveLength(1);
		for (let turn = 0; turn < 1_000 && emitted.length < 2; turn += 1) {
			await new Promise(setImmediate);
		}
		expect(emitted).toHaveLength(2);
		expect(clock.now() - begun).toBeGreaterThanOrEqual(PLACE_MS);
		expect(clock.now() - begun).toBeLessThan(2 * PLACE_MS);
		expect(lines).toEqual([]);
	});

	test('that was deleted meanwhile is no failure to save', async () => {
		const { save, node, lines, emitted } = world([succeeds]);
		node.dispatch({ type: 'deleted', ids: ['s1'] });
		await save();
		expect(emitted).toHaveLength(1);
		expect(lines).toEqual([]);
	});

	test('that was deleted meanwhile is none where the trigger saves itself either', async () => {
		const { save, node, lines, isSaved } = world([
			(done) => {
				node.dispatch({ type: 'deleted', ids: ['s1'] });
				blind(done);
			},
			blind,
		]);
		await save();
		expect(lines).toEqual([]);
		expect(isSaved()).toBe(false);
	});

	test('of a workflow that is unpublished while a worker looks for static data is not saved here', async () => {
		const { save, node, data, emitted } = world([
			(done) => {
				node.epoch += 1;
				blind(done);
			},
			succeeds,
		]);
		await save();
		expect(emitted).toHaveLength(1);
		expect(data).toEqual({});
		// Once it is published again, no worker is asked, as none has static data.
		await save();
		expect(emitted).toHaveLength(2);
		expect(data).toHaveProperty('subscriptions');
	});

	test('that took the place of another one while a worker looked for static data is the one that is saved here', async () => {
		const { save, node, isSaved } = world([
			(done) => {
				renewSubscription(node);
				blind(done);
			},
			succeeds,
		]);
		await save();
		expect(isSaved()).toBe(true);
	});

	test('of a workflow that was published anew before its turn starts no execution', async () => {
		let end: Done | undefined;
		const { save, node, emitted } = world([(done) => (end = done), succeeds]);
		await save();
		const second = save();
		node.epoch += 1;
		end?.resolve(undefined);
		await second;
		expect(emitted).toHaveLength(1);
	});

	test('of a workflow that was published anew meanwhile is nobody’s any more', async () => {
		let end: Done | undefined;
		const { save, node, isSaved } = world([(done) => (end = done)]);
		const saving = save();
		for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
		node.epoch += 1;
		end?.resolve(undefined);
		await saving;
		expect(isSaved()).toBe(false);
	});
});

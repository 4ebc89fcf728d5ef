/** What a process keeps of each trigger: which use an address belongs to, how long deletions are known. */
import type { WorkflowExecuteMode } from 'n8n-workflow';
import { NO_SUBSCRIPTIONS } from '../../../nodes/WorkspaceData/model/subscription/stored';
import {
	adopt,
	forget,
	inOrder,
	keepDeletions,
	nodeOf,
	type NodePlace,
	stopDeletions,
	useAt,
} from '../../../nodes/WorkspaceData/trigger/subscription/nodeState';

let workflows = 0;

function placeOf(nodeId = 'n1', workflowId = `w${(workflows += 1)}`) {
	const state: { mode: WorkflowExecuteMode } = { mode: 'trigger' };
	const place = {
		getNode: () => ({ id: nodeId }),
		getWorkflow: () => ({ id: workflowId }),
		getMode: () => state.mode,
	} as unknown as NodePlace;
	return { place, state, workflowId };
}

/** Publishes a node, or listens for it, at an address. */
function begin(place: NodePlace, use: 'production' | 'test', address: string): void {
	adopt(place, use).dispatch({
		type: 'started',
		address,
		stored: NO_SUBSCRIPTIONS,
		byPerson: true,
		overlapMs: 0,
		now: 0,
	});
}

test('a node is the same until it is forgotten; its test and its neighbours are others', () => {
	const { place, workflowId } = placeOf();
	const node = nodeOf(place, 'production');
	expect(nodeOf(place, 'production')).toBe(node);
	expect(adopt(place, 'production')).toBe(node);
	expect(nodeOf(place, 'production')).toBe(node);
	expect(nodeOf(place, 'test')).not.toBe(node);
	expect(nodeOf(placeOf('n2', workflowId).place, 'production')).not.toBe(node);
	expect(nodeOf(placeOf('n1').place, 'production')).not.toBe(node);
	forget(place, 'production');
	expect(nodeOf(place, 'production')).not.toBe(node);
});

test('a node that only delivers is forgotten, too', () => {
	const { place } = placeOf();
	const node = nodeOf(place, 'production');
	forget(place, 'production');
	expect(nodeOf(place, 'production')).not.toBe(node);
});

test('a published node is kept, however many others deliver', () => {
	const { place } = placeOf();
	const node = adopt(place, 'production');
	for (let other = 0; other < 1_100; other += 1) nodeOf(placeOf().place, 'production');
	expect(nodeOf(place, 'production')).toBe(node);
});

test('a new node begins with nothing', () => {
	expect(nodeOf(placeOf().place, 'production')).toMatchObject({
		epoch: 0,
		savedHere: 0,
		spread: 1,
		serviceClock: undefined,
		credential: undefined,
		pendingSearch: undefined,
		set: { current: undefined, retired: [], address: undefined },
	});
});

describe('the use that a hook is called for', () => {
	test('is the test in manual mode, whatever is published', () => {
		const { place, state } = placeOf();
		begin(place, 'production', 'https://n/webhook/x');
		state.mode = 'manual';
		expect(useAt(place, 'https://n/webhook/x')).toBe('test');
	});

	test('is told by its address, as n8n ends a test in the mode of unpublishing', () => {
		const { place } = placeOf();
		expect(useAt(place, 'https://n/webhook/x')).toBe('production');
		begin(place, 'production', 'https://n/webhook/x');
		expect(useAt(place, 'https://n/webhook/x')).toBe('production');
		expect(useAt(place, 'https://n/webhook-test/x')).toBe('test');
		begin(place, 'test', 'https://n/webhook-test/x');
		expect(useAt(place, 'https://n/webhook-test/x')).toBe('test');
		forget(place, 'production');
		expect(useAt(place, 'https://n/webhook-test/x')).toBe('test');
		expect(useAt(place, 'https://n/webhook/x')).toBe('production');
	});
});

describe('deletions that still run', () => {
	test('are stopped and waited for before the node subscribes again', async () => {
		const { place } = placeOf();
		let stopped = 0;
		let end = (_: string[]): void => {};
		const done = new Promise<string[]>((resolve) => (end = resolve));
		keepDeletions(place, 'production', { stop: () => (stopped += 1), done });
		expect(await stopDeletions(place, 'test')).toEqual([]);
		expect(stopped).toBe(0);
		const stopping = stopDeletions(place, 'production');
		expect(stopped).toBe(1);
		end(['s1']);
		expect(await stopping).toEqual(['s1']);
		await new Promise(setImmediate);
		expect(await stopDeletions(place, 'production')).toEqual([]);
		expect(stopped).toBe(1);
	});

	test('that end late do not end later ones', async () => {
		const { place } = placeOf();
		let end = (): void => {};
		const first = new Promise<string[]>((resolve) => (end = () => resolve([])));
		keepDeletions(place, 'production', { stop: () => {}, done: first });
		keepDeletions(place, 'production', { stop: () => {}, done: Promise.resolve(['s2']) });
		end();
		expect(await stopDeletions(place, 'production')).toEqual(['s2']);
	});
});

test('tasks of one kind and workflow run one after the other, and others do not wait', async () => {
	const { place, workflowId } = placeOf();
	const begun: string[] = [];
	let end = (): void => {};
	const blocking = new Promise<void>((resolve) => (end = resolve));
	const task = (name: string, until?: Promise<void>) => async () => {
		begun.push(name);
		await until;
		return name;
	};
	const first = inOrder(place, 'save', task('first', blocking));
	const second = inOrder(placeOf('n2', workflowId).place, 'save', task('second'));
	expect(await inOrder(place, 'memory', task('memory'))).toBe('memory');
	expect(await inOrder(placeOf().place, 'save', task('elsewhere'))).toBe('elsewhere');
	expect(begun).toEqual(['first', 'memory', 'elsewhere']);
	end();
	expect(await Promise.all([first, second])).toEqual(['first', 'second']);
});

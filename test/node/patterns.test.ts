/** The node where people put it: in a loop, twice, behind Switch and Merge, in a sub-workflow, with each setting of a node. */
import { getEventListeners } from 'node:events';
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type IConnections,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IPinData,
	type ITaskData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { retainedBytes } from '../support/heap';
import {
	ACTION_TYPE,
	actionNode,
	additionalData,
	executeContext,
	nodeTypesOf,
	observedNode,
	prepareN8n,
	Start,
	startEngine,
} from '../support/n8n';
import { byId, mapEach, where } from '../support/parameters';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard('Loop', { Key: 'text' }, (made) => ({ workspace, card } = made));

const node = new WorkspaceData();
const KEYS = ['k1', 'k2', 'k3', 'k4'];
/** The key of the item at hand, or of its source, however many nodes ago. */
const KEY = "={{ $json.Key ?? $('Start').item.json.Key }}";

/** Operations on records, by what they do for one key. */
const operationsFor = (key: string): Record<string, IDataObject> => {
	const { filters } = where('Key', 'equals', key);
	const columns = mapEach({ Key: key }, { matchingColumns: ['Key'] });
	return {
		create: { columns },
		upsert: { columns },
		sync: { columns, filters, missingRecords: 'delete' },
		getAll: { returnAll: true, filters },
		getPage: { limit: 10 },
		count: { filters },
		ifExists: { filters },
		updateMany: { filters, columns, options: { unchanged: 'send' } },
		deleteMany: { filters },
	};
};
const operations = operationsFor('k1');
/** One of each kind. Sync reads conditions once for all items of a card, so that each key would be refused. */
const byKey = Object.entries(operationsFor(KEY)).filter(
	([operation]) => !['sync', 'getPage', 'count'].includes(operation),
);

/** The name by which n8n knows its Loop Over Items. */
const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';

/** A node of the test in place of one of n8n's. */
function helper(
	name: string,
	shape: { inputs?: number; outputs?: number },
	execute: (this: IExecuteFunctions) => INodeExecutionData[][],
): INodeType {
	const ports = (count = 1) => Array.from({ length: count }, () => 'main');
	const description = {
		...{ displayName: name, name, group: ['transform'], version: 1, description: '' },
		...{ defaults: { name }, properties: [] },
		...{ inputs: ports(shape.inputs), outputs: ports(shape.outputs) },
	} as unknown as INodeType['description'];
	return {
		description,
		async execute() {
			return execute.call(this);
		},
	};
}
const paired = (items: INodeExecutionData[]) =>
	items.map(({ json }, item) => ({ json, pairedItem: { item } }));
const HELPERS: Record<string, INodeType> = {
	// As Loop Over Items with batches of one: the rest is kept in the node's own context.
	[LOOP_TYPE]: helper('loop', { outputs: 2 }, function () {
		const state = this.getContext('node') as { left?: INodeExecutionData[] };
		state.left ??= paired(this.getInputData());
		const next = state.left.shift();
		return next ? [[], [next]] : [this.getInputData(), []];
	}),
	switch: helper('switch', { outputs: 2 }, function () {
		const items = paired(this.getInputData());
		return [items.filter((_, n) => n % 2 === 0), items.filter((_, n) => n % 2 === 1)];
	}),
	merge: helper('merge', { inputs: 2 }, function () {
		return [
			[0, 1].flatMap((input) =>
				this.getInputData(input).map(({ json }, item) => ({ json, pairedItem: { item, input } })),
			),
		];
	}),
};

const OURS = 'Workspace Data';
interface Flow {
	/** Names of the nodes behind the start, each of the type that its name begins with. */
	others?: string[];
	/** From one output to one input: `Start>Workspace Data`, or with numbers `switch:1>merge:1`. */
	connections: string[];
	settings?: Partial<INode>;
	pinData?: IPinData;
	mode?: WorkflowExecuteMode;
}

/**
 * Runs a workflow with an item for each key.
 *
 * @param second the parameters of the second node of ours
 * @returns the runs of each node, by its name
 */
async function runFlow(
	parameters: IDataObject,
	flow: Flow,
	second = parameters,
): Promise<Record<string, ITaskData[]>> {
	prepareN8n();
	const { others = [], settings = {}, mode = 'manual' } = flow;
	const placed = (name: string): INode => {
		const base = { id: name, name, position: [0, 0] as [number, number] };
		if (name.startsWith(OURS)) {
			const own = name === OURS ? parameters : second;
			return { ...actionNode(workspace.apiKey, own), ...settings, ...base };
		}
		const [kind = ''] = name.split(' ');
		const type = kind === 'loop' ? LOOP_TYPE : kind.toLowerCase();
		// Its third version has the outputs that the helper has.
		return { ...base, type, typeVersion: type === LOOP_TYPE ? 3 : 1, parameters: {} };
	};
	const nodes = ['Start', OURS, ...others].map(placed);
	const connections: IConnections = {};
	for (const connection of flow.connections) {
		const [[from = '', output = 0], [to = '', input = 0]] = connection
			.split('>')
			.map((end) => end.split(':')) as [string[], string[]];
		const outputs = ((connections[from] ??= {}).main ??= []);
		while (outputs.length <= Number(output)) outputs.push([]);
		outputs[Number(output)]?.push({ node: to, type: 'main', index: Number(input) });
	}
	let left = 0;
	const observed = observedNode((listeners) => (left += listeners));
	const workflow = new Workflow({
		...{ id: 'workflow-1', name: 'Test', nodes, connections, active: false },
		nodeTypes: nodeTypesOf({ start: new Start(), ...HELPERS, [ACTION_TYPE]: observed }),
		settings: { executionOrder: 'v1' },
	});
	const [startNode] = Object.values(workflow.nodes);
	const pinData = { Start: KEYS.map((Key) => ({ json: { Key } })), ...flow.pinData };
	const engine = new WorkflowExecute(
		additionalData(workspace.apiKey, mode, workflow),
		mode,
		createRunExecutionData(),
	);
	const { data } = await startEngine(engine, { workflow, startNode, pinData });
	expect(left).toBe(0);
	return data.resultData.runData;
}

const outputOf = (runs: ITaskData[] = [], output = 0) =>
	runs.flatMap(({ data }) => data?.main?.[output] ?? []);
const errorsOf = (runs: ITaskData[] = []) => runs.flatMap(({ error }) => error?.message ?? []);

describe.each(byKey)('%s', (operation, own) => {
	const parameters = () => ({ resource: 'record', operation, cardId: byId(card.id), ...own });
	beforeEach(async () => {
		await workspace.records(
			card.id,
			KEYS.map((Key) => ({ Key })),
		);
		workspace.service.control.resetRequests();
	});
	/** The card holds what the operation leaves when it has run once for each key. */
	const expectOnceForEach = async () => {
		const kept = { create: 8, deleteMany: 0 }[operation] ?? 4;
		expect(await workspace.rows(card.id)).toHaveLength(kept);
	};
	const DIRECT = ['Start>Workspace Data'];

	test.each<[string, Flow, number]>([
		['alone', { connections: DIRECT }, 1],
		['in a sub-workflow', { connections: DIRECT, mode: 'integrated' }, 1],
		[
			'in a loop',
			{
				others: ['loop'],
				connections: ['Start>loop', 'loop:1>Workspace Data', 'Workspace Data>loop'],
			},
			4,
		],
		[
			'behind Switch and Merge',
			{
				others: ['switch', 'merge'],
				connections: ['Start>switch', 'switch>merge', 'switch:1>merge:1', 'merge>Workspace Data'],
			},
			1,
		],
	])('%s: one result for each item, paired with it', async (_, flow, times) => {
		const runs = await runFlow(parameters(), flow);
		expect(errorsOf(runs[OURS])).toEqual([]);
		expect(runs[OURS]).toHaveLength(times);
		const output = outputOf(runs[OURS]);
		expect(output).toHaveLength(4);
		const places = output.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect(places).toEqual(times === 1 ? [0, 1, 2, 3] : [0, 0, 0, 0]);
		await expectOnceForEach();
	});

	test('twice in one workflow: the second finds the item that the first was for', async () => {
		const connections = [...DIRECT, 'Workspace Data>Workspace Data 2'];
		const runs = await runFlow(parameters(), { others: ['Workspace Data 2'], connections });
		const second = runs['Workspace Data 2'];
		expect([...errorsOf(runs[OURS]), ...errorsOf(second)]).toEqual([]);
		// The records are gone after the first deletion.
		expect(outputOf(second)).toHaveLength(operation === 'deleteMany' ? 0 : 4);
	});

	test('with Retry On Fail: a run that was refused before it changed anything is done once', async () => {
		workspace.fail('GET', '', { status: 422 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const runs = await runFlow(parameters(), { connections: DIRECT, settings });
		expect(errorsOf(runs[OURS])).toEqual([]);
		expect(outputOf(runs[OURS])).toHaveLength(4);
		await expectOnceForEach();
	});

	test('with Execute Once: the first item only', async () => {
		const settings = { executeOnce: true };
		const runs = await runFlow(parameters(), { connections: DIRECT, settings });
		expect(errorsOf(runs[OURS])).toEqual([]);
		expect(outputOf(runs[OURS])).toHaveLength(1);
		const kept = { create: 5, deleteMany: 3 }[operation] ?? 4;
		expect(await workspace.rows(card.id)).toHaveLength(kept);
	});

	test('with the error output: each refused item goes there, with its data', async () => {
		workspace.service.control.fail({ status: 422, times: 99 });
		const settings = { onError: 'continueErrorOutput' as const };
		const runs = await runFlow(parameters(), { connections: DIRECT, settings });
		expect(outputOf(runs[OURS])).toEqual([]);
		const failed = outputOf(runs[OURS], 1);
		expect(failed.map(({ json }) => json.Key)).toEqual(KEYS);
		expect(failed.every(({ json }) => json.error !== undefined)).toBe(true);
	});

	test('with pinned data: nothing is sent', async () => {
		const pinData = { [OURS]: [{ json: { pinned: true } }] };
		const runs = await runFlow(parameters(), { connections: DIRECT, pinData });
		expect(outputOf(runs[OURS]).map(({ json }) => json)).toEqual([{ pinned: true }]);
		expect(workspace.requests()).toEqual([]);
	});
});

test.each(['getAll', 'ifExists', 'updateMany', 'deleteMany'])(
	'%s without a record, with Always Output Data: one empty item',
	async (operation) => {
		const parameters = { resource: 'record', operation, cardId: byId(card.id) };
		const runs = await runFlow(
			{ ...parameters, ...operationsFor(KEY)[operation] },
			{ connections: ['Start>Workspace Data'], settings: { alwaysOutputData: true } },
		);
		expect(errorsOf(runs[OURS])).toEqual([]);
		expect(outputOf(runs[OURS]).map(({ json }) => json)).toEqual([{}]);
	},
);

test.each([
	['ifExists', { data: { mimeType: 'text/plain', data: 'eA==' } }],
	['count', undefined],
])('%s hands on the files of its items: %j', async (operation, binary) => {
	await workspace.records(card.id, [{ Key: 'k1' }]);
	const files = { data: { mimeType: 'text/plain', data: 'eA==' } };
	const runs = await runFlow(
		{ resource: 'record', operation, cardId: byId(card.id), ...operationsFor(KEY)[operation] },
		{
			connections: ['Start>Workspace Data'],
			pinData: { Start: [{ json: { Key: 'k1' }, binary: files }] },
		},
	);
	expect(outputOf(runs[OURS]).map((item) => item.binary)).toEqual([binary]);
});

test('no two items of the output share an object: a later node may change one of them', async () => {
	await workspace.records(card.id, [{ Key: 'k1' }]);
	const parameters = { resource: 'record', operation: 'getAll', cardId: byId(card.id) };
	const flow = { connections: ['Start>Workspace Data'] };
	for (const simple of [true, false]) {
		const runs = await runFlow({ ...parameters, returnAll: true, simple }, flow);
		const values = outputOf(runs[OURS]).map(({ json }) => (simple ? json : json.data));
		expect(values).toHaveLength(4);
		expect(new Set(values).size).toBe(4);
	}
});

test('no run stays in memory, nor at its execution, however it ended', async () => {
	const ended = new Map<string, WeakRef<object>>();
	/** Runs an operation. @returns its error */
	async function pass(operation: string, how: string, execution = new AbortController()) {
		const parameters = { resource: 'record', operation, cardId: byId(card.id) };
		const context = executeContext(
			workspace.apiKey,
			{ ...parameters, ...operations[operation] },
			execution.signal,
		);
		const error = await node.execute.call(context).then(
			() => undefined,
			({ message }: Error) => message,
		);
		expect(getEventListeners(execution.signal, 'abort')).toEqual([]);
		ended.set(`${operation} that ${how}`, new WeakRef(context));
		return error;
	}
	for (const operation of Object.keys(operations)) {
		expect(await pass(operation, 'succeeds')).toBeUndefined();
		workspace.service.control.fail({ status: 422 });
		expect(await pass(operation, 'is refused')).toMatch(/\w/);
		workspace.service.control.fail({ mode: 'hang', times: 9 });
		workspace.service.control.resetRequests();
		const execution = new AbortController();
		const running = pass(operation, 'is cancelled', execution);
		while (workspace.requests().length === 0) await new Promise(setImmediate);
		execution.abort();
		expect(await running).toMatch(/cancelled/);
		workspace.service.control.reset();
	}
	const kept = () => [...ended].flatMap(([run, context]) => (context.deref() ? run : []));
	// What is kept at the end of a turn is collected in a later one; jest's own time-out is the deadline.
	for (; kept().length > 0; retainedBytes()) await new Promise(setImmediate);
});

describe('Sync with deletion runs once for a card in an execution', () => {
	const sync = (more: IDataObject = {}) => ({
		...{ resource: 'record', operation: 'sync', cardId: byId(card.id) },
		columns: mapEach({ Key: '={{ $json.Key }}' }, { matchingColumns: ['Key'] }),
		...{ missingRecords: 'delete', maxDeletions: -1, ...more },
	});
	const TWO_WIRES: Flow = {
		others: ['merge'],
		connections: ['Start>merge', 'merge>Workspace Data', 'Start>Workspace Data'],
	};
	const ONE_NODE: Flow = {
		others: ['switch'],
		connections: ['Start>switch', 'switch>Workspace Data', 'switch:1>Workspace Data'],
	};
	const LOOP: Flow = {
		others: ['loop'],
		connections: ['Start>loop', 'loop:1>Workspace Data', 'Workspace Data>loop'],
	};
	const NEXT_TO_LOOP: Flow = {
		others: ['loop', 'switch'],
		connections: ['Start>loop', 'loop:1>switch', 'switch>loop', 'loop:1>Workspace Data'],
	};
	const BEHIND_BATCH: Flow = {
		others: ['loop', 'switch'],
		connections: ['Start>loop', 'loop:1>switch', 'switch:1>loop', 'switch>Workspace Data'],
	};
	const AFTER_LOOP: Flow = {
		others: ['loop', 'switch'],
		connections: ['Start>loop', 'loop:1>switch', 'switch>loop', 'loop>Workspace Data'],
	};
	const BEHIND_TWO: Flow = {
		others: ['switch', 'switch 2'],
		connections: [
			'Start>switch',
			'switch>switch 2',
			'switch:1>switch 2',
			'switch 2>Workspace Data',
		],
	};
	const MERGED: Flow = {
		others: ['switch', 'merge'],
		connections: ['Start>switch', 'switch>merge', 'switch:1>merge:1', 'merge>Workspace Data'],
	};
	const TWICE: Flow = {
		others: ['Workspace Data 2'],
		connections: ['Start>Workspace Data', 'Workspace Data>Workspace Data 2'],
	};

	test.each<[string, Flow, IDataObject, string]>([
		['with two wires into it', TWO_WIRES, {}, '2 connections lead to this node'],
		['with two outputs of one node', ONE_NODE, {}, '2 connections lead to this node'],
		['with two wires, in a dry run', TWO_WIRES, { dryRun: true }, '2 connections lead to'],
		[
			'with two wires and conditions',
			TWO_WIRES,
			where('Key', 'isNotEmpty'),
			'2 connections lead to',
		],
		['in a loop without conditions', LOOP, {}, 'This node is in a loop'],
		[
			'in a loop with conditions that are always the same',
			LOOP,
			where('Key', 'isNotEmpty'),
			'This node is in a loop',
		],
		['behind each batch, next to the loop', NEXT_TO_LOOP, {}, 'This node is in a loop'],
		['behind each batch and a condition', BEHIND_BATCH, {}, 'This node is in a loop'],
		[
			'behind a node that two outputs lead to',
			BEHIND_TWO,
			{},
			"Several connections lead to the node 'switch 2'",
		],
	])('%s: refused, and nothing is sent', async (_, flow, more, message) => {
		await workspace.records(card.id, [{ Key: 'k1' }, { Key: 'x' }]);
		workspace.service.control.resetRequests();
		const runs = await runFlow(sync(more), flow);
		expect(errorsOf(runs[OURS]).join()).toContain(message);
		expect(workspace.changes()).toEqual([]);
	});

	const BOTH = [
		{ field: 'Key', condition: 'isNotEmpty' },
		{ field: 'Key', condition: 'startsWith', value: 'k' },
	];

	test.each<[string, IDataObject, IDataObject]>([
		['the same conditions', {}, {}],
		['no conditions', where('Key', 'isNotEmpty'), {}],
		['conditions, where the first had none', {}, where('Key', 'isNotEmpty')],
		[
			'the conditions in another order',
			{ filters: { conditions: BOTH } },
			{ filters: { conditions: BOTH.toReversed() } },
		],
	])('a second one with %s is refused; what the first did stays', async (_, first, second) => {
		const runs = await runFlow(sync(first), TWICE, sync(second));
		expect(errorsOf(runs[OURS])).toEqual([]);
		expect(errorsOf(runs['Workspace Data 2']).join()).toContain('has already synced the records');
		expect(await workspace.rows(card.id)).toHaveLength(4);
	});

	test('another execution, one that keeps records, a loop with conditions that differ, Merge, and the end of a loop are none', async () => {
		for (let n = 0; n < 2; n += 1) {
			const once = await runFlow(sync(), { connections: ['Start>Workspace Data'] });
			expect(errorsOf(once[OURS])).toEqual([]);
		}
		const kept = await runFlow(sync({ missingRecords: 'keep' }), LOOP);
		expect(errorsOf(kept[OURS])).toEqual([]);
		const looped = await runFlow(sync(where('Key', 'equals', '={{ $json.Key }}')), LOOP);
		expect(errorsOf(looped[OURS])).toEqual([]);
		expect(outputOf(looped[OURS])).toHaveLength(4);
		for (const flow of [MERGED, AFTER_LOOP]) {
			expect(errorsOf((await runFlow(sync(), flow))[OURS])).toEqual([]);
		}
	});
});

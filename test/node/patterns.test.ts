/** The node where people put it: in a loop, twice, behind Switch and Merge, in a sub-workflow, with each setting of a node. */
import { getEventListeners } from 'node:events';
import type {
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IPinData,
	ITaskData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { collectGarbage } from '../support/heap';
import { actionNode, executeContext, helperNode, runWorkflow } from '../support/n8n';
import { byId, mapEach, where } from '../support/parameters';
import { card, useCard, workspace } from '../support/workspace';

useCard('Loop', { Key: 'text' });

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
		updateMany: { filters, columns },
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

const paired = (items: INodeExecutionData[], input = 0) =>
	items.map(({ json }, item) => ({ json, pairedItem: { item, input } }));

/** Nodes in place of n8n's. */
const HELPERS: Record<string, INodeType> = {
	// As Loop Over Items with batches of one: the rest is kept in the node's own context.
	[LOOP_TYPE]: helperNode([1, 2], function () {
		const state = this.getContext('node') as { left?: INodeExecutionData[] };
		state.left ??= paired(this.getInputData());
		const next = state.left.shift();
		return next ? [[], [next]] : [this.getInputData(), []];
	}),
	switch: helperNode([1, 2], function () {
		const items = paired(this.getInputData());
		return [items.filter((_, n) => n % 2 === 0), items.filter((_, n) => n % 2 === 1)];
	}),
	merge: helperNode([2, 1], function () {
		return [[0, 1].flatMap((input) => paired(this.getInputData(input), input))];
	}),
};

const OURS = 'Workspace Data';
interface Flow {
	settings?: Partial<INode>;
	pinData?: IPinData;
	mode?: WorkflowExecuteMode;
	/** The parameters of the second node of ours. */
	second?: IDataObject;
}

/**
 * Runs a workflow with an item for each key.
 *
 * @param wires from one output to one input: `Start>ours`, or with numbers `switch:1>merge:1`. A node is of the type that
 * its name begins with
 * @returns the runs of each node, by its name
 */
async function runFlow(
	parameters: IDataObject,
	wires: string,
	{ settings = {}, mode = 'manual', second = parameters, pinData: pinned }: Flow = {},
): Promise<Record<string, ITaskData[]>> {
	const placed = (name: string): INode => {
		const base = { id: name, name, position: [0, 0] as [number, number] };
		if (name.startsWith(OURS)) {
			const own = name === OURS ? parameters : second;
			return { ...actionNode(workspace.apiKey, own), ...settings, ...base };
		}
		const [kind = ''] = name.split(' ');
		const type = kind === 'loop' ? LOOP_TYPE : kind;
		// Its third version has the outputs that the helper has.
		return { ...base, type, typeVersion: type === LOOP_TYPE ? 3 : 1, parameters: {} };
	};
	const connections: IConnections = {};
	const names = new Set<string>();
	for (const wire of wires.split(', ')) {
		const [[from = '', output = 0], [to = '', input = 0]] = wire
			.replaceAll('ours', OURS)
			.split('>')
			.map((end) => end.split(':')) as [string[], string[]];
		const outputs = ((connections[from] ??= {}).main ??= []);
		while (outputs.length <= Number(output)) outputs.push([]);
		outputs[Number(output)]?.push({ node: to, type: 'main', index: Number(input) });
		for (const name of [from, to]) if (name !== 'Start') names.add(name);
	}
	const { run } = await runWorkflow({
		credentials: workspace.apiKey,
		nodes: [...names].map(placed),
		connections,
		types: HELPERS,
		pinData: { Start: KEYS.map((Key) => ({ json: { Key } })), ...pinned },
		mode,
	});
	return run.data.resultData.runData;
}

const outputOf = (runs: ITaskData[] = [], output = 0) =>
	runs.flatMap(({ data }) => data?.main?.[output] ?? []);
const errorsOf = (runs: ITaskData[] = []) => runs.flatMap(({ error }) => error?.message ?? []);
const DIRECT = 'Start>ours';
const LOOP = 'Start>loop, loop:1>ours, ours>loop';
const MERGED = 'Start>switch, switch>merge, switch:1>merge:1, merge>ours';
const recordParameters = (operation: string, more?: IDataObject) => ({
	resource: 'record',
	operation,
	cardId: byId(card.id),
	...more,
});

describe.each(byKey)('%s', (operation, own) => {
	beforeEach(async () => {
		await workspace.records(
			card.id,
			KEYS.map((Key) => ({ Key })),
		);
		workspace.service.control.resetRequests();
	});
	/** Runs it without an error. @returns the runs of the node, when the card holds what it leaves for four keys */
	async function succeed(wires = DIRECT, flow: Flow = {}) {
		const runs = await runFlow(recordParameters(operation, own), wires, flow);
		expect(errorsOf(runs[OURS])).toEqual([]);
		const kept = { create: 8, deleteMany: 0 }[operation] ?? 4;
		expect(await workspace.rows(card.id)).toHaveLength(kept);
		return runs[OURS] ?? [];
	}

	test.each<[string, string, number, Flow?]>([
		['alone', DIRECT, 1],
		['in a sub-workflow', DIRECT, 1, { mode: 'integrated' }],
		['in a loop', LOOP, 4],
		['behind Switch and Merge', MERGED, 1],
	])('%s: one result for each item, paired with it', async (_, wires, times, flow = {}) => {
		const runs = await succeed(wires, flow);
		expect(runs).toHaveLength(times);
		const places = outputOf(runs).map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect(places).toEqual(times === 1 ? [0, 1, 2, 3] : [0, 0, 0, 0]);
	});

	test('twice in one workflow: the second finds the item that the first was for', async () => {
		const runs = await runFlow(recordParameters(operation, own), `${DIRECT}, ours>ours 2`);
		const second = runs['Workspace Data 2'];
		expect([...errorsOf(runs[OURS]), ...errorsOf(second)]).toEqual([]);
		// The records are gone after the first deletion.
		expect(outputOf(second)).toHaveLength(operation === 'deleteMany' ? 0 : 4);
	});

	test('with Retry On Fail: a run that was refused before it changed anything is done once', async () => {
		workspace.fail('GET', '', { status: 422 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		expect(outputOf(await succeed(DIRECT, { settings }))).toHaveLength(4);
	});

	test('with the error output: each refused item goes there, with its data', async () => {
		workspace.service.control.fail({ status: 422, times: 99 });
		const settings = { onError: 'continueErrorOutput' as const };
		const runs = await runFlow(recordParameters(operation, own), DIRECT, { settings });
		expect(outputOf(runs[OURS])).toEqual([]);
		const failed = outputOf(runs[OURS], 1);
		expect(failed.map(({ json }) => json.Key)).toEqual(KEYS);
		expect(failed.every(({ json }) => json.error !== undefined)).toBe(true);
	});
});

const READING = ['getAll', 'ifExists', 'updateMany', 'deleteMany'];
test.each(READING)('%s without a record, with Always Output Data: one item', async (operation) => {
	const parameters = recordParameters(operation, operationsFor(KEY)[operation]);
	const settings = { alwaysOutputData: true };
	const { [OURS]: runs } = await runFlow(parameters, DIRECT, { settings });
	expect(errorsOf(runs)).toEqual([]);
	expect(outputOf(runs).map(({ json }) => json)).toEqual([{}]);
});

test.each([
	['ifExists', { data: { mimeType: 'text/plain', data: 'eA==' } }],
	['count', undefined],
])('%s hands on the files of its items: %j', async (operation, expected) => {
	await workspace.records(card.id, [{ Key: 'k1' }]);
	const binary = { data: { mimeType: 'text/plain', data: 'eA==' } };
	const pinData = { Start: [{ json: { Key: 'k1' }, binary }] };
	const parameters = recordParameters(operation, operationsFor(KEY)[operation]);
	const { [OURS]: runs } = await runFlow(parameters, DIRECT, { pinData });
	expect(outputOf(runs).map((item) => item.binary)).toEqual([expected]);
});

test('no two items of the output share an object: a later node may change one of them', async () => {
	await workspace.records(card.id, [{ Key: 'k1' }]);
	for (const simple of [true, false]) {
		const parameters = recordParameters('getAll', { returnAll: true, simple });
		const { [OURS]: runs } = await runFlow(parameters, DIRECT);
		const values = outputOf(runs).map(({ json }) => (simple ? json : json.data));
		expect(values).toHaveLength(4);
		expect(new Set(values).size).toBe(4);
	}
});

test('no run stays in memory, nor at its execution, however it ended', async () => {
	const ended = new Map<string, WeakRef<object>>();
	/** Runs an operation. @returns its error */
	async function pass(operation: string, how: string, execution = new AbortController()) {
		const parameters = recordParameters(operation, operations[operation]);
		const context = executeContext(workspace.apiKey, parameters, execution.signal);
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
		expect(await running).toMatch(/canceled/);
		workspace.service.control.reset();
	}
	const kept = () => [...ended].flatMap(([run, context]) => (context.deref() ? run : []));
	// What is kept at the end of a turn is collected in a later one; jest's own time-out is the deadline.
	for (; kept().length > 0; collectGarbage()) await new Promise(setImmediate);
});

describe('Sync with deletion', () => {
	const sync = (more: IDataObject = {}) =>
		recordParameters('sync', {
			columns: mapEach({ Key: '={{ $json.Key }}' }, { matchingColumns: ['Key'] }),
			missingRecords: 'delete',
			maxDeletions: -1,
			...more,
		});
	const keysLeft = async () => (await workspace.rows(card.id)).map(({ Key }) => Key).sort();

	test.each<[string, IDataObject]>([
		['without conditions', {}],
		['with conditions that are always the same', where('Key', 'isNotEmpty')],
		['with conditions that differ', where('Key', 'equals', '={{ $json.Key }}')],
		['in a dry run', { dryRun: true }],
	])('in a loop, %s: refused, and nothing is sent', async (_, more) => {
		await workspace.records(card.id, [{ Key: 'k1' }, { Key: 'x' }]);
		workspace.service.control.resetRequests();
		const runs = await runFlow(sync(more), LOOP);
		expect(errorsOf(runs[OURS]).join()).toContain('This node is in a loop');
		expect(workspace.changes()).toEqual([]);
	});

	const NEXT_TO_LOOP = 'Start>loop, loop:1>switch, switch>loop, loop:1>ours';
	const TWO_OUTPUTS = 'Start>switch, switch>ours, switch:1>ours';
	const BEHIND_TWO = 'Start>switch, switch>switch 2, switch:1>switch 2, switch 2>ours';
	test.each([
		['two outputs of one node', TWO_OUTPUTS, ['k2', 'k4']],
		['a node that two outputs lead to', BEHIND_TWO, ['k2']],
		['each batch, next to the loop', NEXT_TO_LOOP, ['k1']],
	])('behind %s: what the first run wrote stays', async (_, wires, kept) => {
		await workspace.records(card.id, [{ Key: 'x' }]);
		const { [OURS]: runs } = await runFlow(sync(), wires);
		expect(errorsOf(runs).join()).toContain('This node has already deleted records of card');
		expect(await keysLeft()).toEqual(kept);
	});

	test.each<[string, string, unknown[], IDataObject?]>([
		['once', DIRECT, KEYS],
		['with two wires that bring the same items', 'Start>merge, merge>ours, Start>ours', KEYS],
		['in a loop, where it keeps records', LOOP, [...KEYS, 'x0', 'x1'], { missingRecords: 'keep' }],
		['behind Merge', MERGED, KEYS],
		// The loop of this test passes on its last batch.
		['at the end of a loop', 'Start>loop, loop:1>switch, switch>loop, loop>ours', ['k4']],
	])('%s: runs in each execution', async (_, wires, left, more = {}) => {
		for (let n = 0; n < 2; n += 1) {
			await workspace.records(card.id, [{ Key: `x${n}` }]);
			const { [OURS]: runs } = await runFlow(sync(more), wires);
			expect(errorsOf(runs)).toEqual([]);
		}
		expect(await keysLeft()).toEqual(left);
	});
});

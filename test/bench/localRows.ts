/** The cost of our code without n8n and without a service: computing and memory. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type * as Published from '../../nodes/WorkspaceData/WorkspaceData.node.ts';
import { repository } from '../host/folders.ts';
import { mapAutomatically } from '../host/workflowBuilder.ts';
import { longestTurn } from '../support/cpuTime.mts';
import type { Row } from './row.ts';

/** An execution, and what the service has. */
interface Given {
	parameters: Record<string, unknown>;
	items?: object[];
	fields: object[];
	/** How many records, and one of them. */
	records?: number;
	recordAt?: (n: number) => object;
}

/** Records on pages of a thousand, as the service sends them. */
function pageOf({ records = 0, recordAt = () => ({}) }: Given, page: number): object {
	const size = Math.max(0, Math.min(1_000, records - page * 1_000));
	return {
		records: Array.from({ length: size }, (_, place) => recordAt(page * 1_000 + place)),
		next_cursor: (page + 1) * 1_000 < records ? String(page + 1) : null,
	};
}

/** The context of an execution that gets its responses at once, from memory. */
function instantContext(given: Given) {
	const { parameters, items = [{}], fields } = given;
	const values: Record<string, unknown> = {
		authentication: 'apiKey',
		resource: 'record',
		cardId: { __rl: true, mode: 'id', value: 'c1' },
		matchType: 'allConditions',
		dryRun: false,
		filters: {},
		options: {},
		...parameters,
	};
	let created = 0;
	const respond = (method: string, url: string, cursor: string | undefined): object => {
		if (method === 'POST') return { id: `created${(created += 1)}` };
		return url.endsWith('/records') ? pageOf(given, Number(cursor ?? 0)) : { fields };
	};
	const credential = {
		baseUrl: 'https://data.example.com/api/v1',
		workspaceId: 'w1',
		apiKey: 'key',
	};
	return {
		getNode: () => ({
			name: 'Workspace Data',
			type: 'n8n-nodes-workspace-data.workspaceData',
			credentials: { workspaceDataApi: { id: '1', name: 'Bench' } },
		}),
		getCredentials: () => Promise.resolve(credential),
		getInputData: () => items.map((json) => ({ json })),
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
		getMode: () => 'manual',
		getWorkflow: () => ({ id: '1' }),
		getWorkflowStaticData: () => ({}),
		getParentNodes: () => [],
		getExecutionId: () => String(created),
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => true,
		addExecutionHints: () => {},
		logger: { info: () => {}, warn: () => {} },
		helpers: {
			async httpRequestWithAuthentication(
				_type: string,
				{ method, url, qs }: { method: string; url: string; qs?: { cursor?: string } },
			) {
				await new Promise(setImmediate);
				const body = JSON.stringify(respond(method, url, qs?.cursor));
				return { statusCode: 200, headers: {}, body };
			},
		},
	};
}

/** Runs the action node. @param expected how many items it must put out */
async function execute(given: Given, expected: number): Promise<void> {
	const load = createRequire(import.meta.url);
	const path = join(repository, 'dist', 'nodes', 'WorkspaceData', 'WorkspaceData.node.js');
	const { WorkspaceData } = load(path) as typeof Published;
	const node = new WorkspaceData();
	const context = instantContext(given) as unknown as ThisParameterType<typeof node.execute>;
	const [items] = await node.execute.call(context);
	const error = items?.find(({ json }) => json.error)?.json.error;
	if (error || items?.length !== expected) throw new Error(`${items?.length} items: ${error}`);
}

const numbers = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ id: `f${n}`, name: `Field ${n}`, type: 'number' }));

/** 100,000 records, all of which meet three conditions. */
function filtered(): [Given, number] {
	const conditions = [
		['text', 'contains', 'key'],
		['number', 'greaterOrEqual', 0],
		['date', 'greaterThan', '2019-01-01'],
	].map(([field, condition, value]) => ({ field, condition, value }));
	const sort = { by: [{ field: 'text', direction: 'desc' }] };
	const parameters = { operation: 'getAll', returnAll: true, sort, filters: { conditions } };
	const fields = ['text', 'number', 'date'].map((type) => ({ id: type, name: type, type }));
	const recordAt = (n: number) => {
		const date = new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10);
		return { id: `r${n}`, data: { text: `Key ${n}`, number: n, date }, created_at: null };
	};
	return [{ parameters, fields, records: 100_000, recordAt }, 100_000];
}

/** A million values: 1,000 items with as many columns. */
function created(): [Given, number] {
	const fields = numbers(1_000);
	const item = Object.fromEntries(fields.map(({ name }, n) => [name, `${n}.5`]));
	const parameters = { operation: 'create', columns: mapAutomatically([]) };
	return [{ parameters, fields, items: Array.from({ length: 1_000 }, () => item) }, 1_000];
}

/** 100,000 items and records: 1,000 are new, the others differ. */
function synced(): [Given, number] {
	const columns = mapAutomatically(['Field 0']);
	const parameters = { operation: 'sync', columns, dryRun: true, missingRecords: 'keep' };
	const count = 100_000;
	const items = Array.from({ length: count }, (_, n) => ({ 'Field 0': n + 1_000, 'Field 1': 2 }));
	const recordAt = (n: number) => ({ id: `r${n}`, data: { f0: n, f1: 1 } });
	return [{ parameters, items, fields: numbers(2), records: count, recordAt }, count];
}

const blockRow = (name: string, what: string, give: () => [Given, number]): Row => ({
	name: `event-loop-${name}`,
	what: `longest block of the event loop, ${what} / 300 ms`,
	unit: 'ms',
	goal: 1,
	mostRounds: 3,
	prepare: () =>
		Promise.resolve(async () => {
			const [given, expected] = give();
			const { longest } = await longestTurn(async () => await execute(given, expected));
			return { ours: longest, peer: 300 };
		}),
});

const HEAP_MB = 640;

/** The most that the heap of this thread has in 400 passes of a loop, in MB. */
async function heapOfPasses(): Promise<number> {
	const recordAt = (n: number) => ({ id: `r${n}`, data: { f0: n, f1: n } });
	let most = 0;
	for (let pass = 0; pass < 400; pass += 1) {
		const parameters = { operation: 'upsert', columns: mapAutomatically(['Field 0']) };
		const items = [{ 'Field 0': pass, 'Field 1': pass }];
		await execute({ parameters, items, fields: numbers(2), records: 5_000, recordAt }, 1);
		most = Math.max(most, process.memoryUsage().heapUsed / 1e6);
	}
	return most;
}

const passes: Row = {
	name: 'heap-passes',
	what: `heap of 400 passes of Create or Update over 5,000 records / ${HEAP_MB} MB, where it ends`,
	unit: 'MB',
	goal: 1,
	mostRounds: 1,
	prepare: () =>
		Promise.resolve(async () => {
			const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB };
			const worker = new Worker(import.meta.filename, { resourceLimits });
			const [ours] = (await once(worker, 'message')) as [number];
			return { ours, peer: HEAP_MB };
		}),
};

if (!isMainThread) parentPort?.postMessage(await heapOfPasses());

/** The rows that need neither n8n nor the service. */
export const localRows: readonly Row[] = [
	blockRow('list', '100,000 records filtered and sorted', filtered),
	blockRow('create', '1,000 items of 1,000 values', created),
	blockRow('sync', 'Sync of 100,000 items with 100,000 records', synced),
	passes,
];

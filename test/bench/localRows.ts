/** The cost of our code without n8n and without a service: computing. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repository } from '../host/folders.ts';
import type * as Published from '../../nodes/WorkspaceData/WorkspaceData.node.ts';
import { longestTurn } from '../support/cpuTime.mts';
import type { Row } from './row.ts';

const load = createRequire(import.meta.url);

type Listing = (cursor: number) => { records: object[]; next_cursor: string | null };

/** The context of an execution that gets its responses at once, from memory. */
function instantContext(
	parameters: Record<string, unknown>,
	items: object[],
	fields: object[],
	list: Listing,
) {
	const values: Record<string, unknown> = {
		authentication: 'apiKey',
		resource: 'record',
		cardId: { __rl: true, mode: 'id', value: 'c1' },
		matchType: 'allConditions',
		options: {},
		...parameters,
	};
	let created = 0;
	const respond = (method: string, address: string, cursor: string | undefined) => {
		if (method === 'POST') return { id: `created${(created += 1)}` };
		return address.endsWith('/records') ? list(Number(cursor ?? 0)) : { fields };
	};
	return {
		getNode: () => ({
			name: 'Workspace Data',
			onError: 'continueRegularOutput',
			credentials: { workspaceDataApi: { id: '1', name: 'Bench' } },
		}),
		getCredentials: () =>
			Promise.resolve({
				baseUrl: 'https://data.example.com/api/v1',
				workspaceId: 'w1',
				apiKey: 'key-for-the-bench',
			}),
		getInputData: () => items.map((json) => ({ json })),
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => true,
		addExecutionHints: () => {},
		helpers: {
			async httpRequestWithAuthentication(
				_type: string,
				{ method, url, qs }: { method: string; url: string; qs?: { cursor?: string } },
			) {
				await new Promise(setImmediate);
				return { statusCode: 200, headers: {}, body: respond(method, url, qs?.cursor) };
			},
		},
	};
}

/**
 * Runs the action node.
 *
 * @param expected how many items it must put out
 * @returns the longest CPU time between two turns of the event loop, in ms
 */
async function longestBlock(context: object, expected: number): Promise<number> {
	const path = join(repository, 'dist', 'nodes', 'WorkspaceData', 'WorkspaceData.node.js');
	const { WorkspaceData } = load(path) as typeof Published;
	const { execute } = new WorkspaceData();
	const { result, longest } = await longestTurn(
		async () => await execute.call(context as ThisParameterType<typeof execute>),
	);
	const [items] = result;
	if (items?.length !== expected || items[0]?.json.error) throw new Error('Items failed');
	return longest;
}

/** Records on pages of a thousand. */
const pagesOf =
	(count: number, recordAt: (n: number) => object): Listing =>
	(page) => {
		const size = Math.min(1_000, count - page * 1_000);
		return {
			records: Array.from({ length: size }, (_, place) => recordAt(page * 1_000 + place)),
			next_cursor: (page + 1) * 1_000 < count ? String(page + 1) : null,
		};
	};

const numbers = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ id: `f${n}`, name: `Field ${n}`, type: 'number' }));
const itemOf = (count: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`Field ${n}`, `${n}.5`]));
const automatically = (matchingColumns: string[] = []) => ({
	mappingMode: 'autoMapInputData',
	value: null,
	matchingColumns,
});

/** 100,000 records, all of which meet three conditions. */
function filtered() {
	const conditions = [
		['text', 'contains', 'key'],
		['number', 'greaterOrEqual', 0],
		['date', 'greaterThan', '2019-01-01'],
	].map(([field, condition, value]) => ({ field, condition, value }));
	const parameters = {
		operation: 'getAll',
		returnAll: true,
		sort: { by: [{ field: 'text', direction: 'desc' }] },
		filters: { conditions },
	};
	const fields = ['text', 'number', 'date'].map((type) => ({ id: type, name: type, type }));
	const recordAt = (n: number) => {
		const date = new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10);
		return { id: `r${n}`, data: { text: `Key ${n}`, number: n, date }, created_at: null };
	};
	return longestBlock(
		instantContext(parameters, [{}], fields, pagesOf(100_000, recordAt)),
		100_000,
	);
}

/** A million values: 1,000 items with as many columns. */
const created = () =>
	longestBlock(
		instantContext(
			{ operation: 'create', columns: automatically() },
			Array.from({ length: 1_000 }, () => itemOf(1_000)),
			numbers(1_000),
			pagesOf(0, () => ({})),
		),
		1_000,
	);

/** 20,000 records and items, half of which are new. */
function synced() {
	const parameters = { operation: 'sync', columns: automatically(['Field 0']), dryRun: true };
	const items = Array.from({ length: 20_000 }, (_, n) => ({ 'Field 0': n + 10_000, 'Field 1': 1 }));
	const list = pagesOf(20_000, (n) => ({ id: `r${n}`, data: { f0: n, f1: 1 } }));
	return longestBlock(instantContext(parameters, items, numbers(2), list), 10_000);
}

const blockRow = (name: string, what: string, measure: () => Promise<number>): Row => ({
	name: `event-loop-${name}`,
	what: `longest block of the event loop, ${what} / 300 ms`,
	unit: 'ms',
	goal: 1,
	mostRounds: 3,
	prepare: () => Promise.resolve(async () => ({ ours: await measure(), peer: 300 })),
});

/** The rows that need neither n8n nor the service. */
export const localRows: readonly Row[] = [
	blockRow('list', '100,000 records filtered and sorted', filtered),
	blockRow('create', '1,000 items of 1,000 values', created),
	blockRow('sync', '20,000 items and records compared', synced),
];

/** Nothing keeps n8n's event loop for long, however many items and fields there are. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { route } from '../../nodes/WorkspaceData/actions/router';
import { leastOf, longestTurn } from '../support/cpuTime.mts';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';

// A million values, also on a machine that is busy with other things.
jest.setTimeout(400_000);

/** The longest that a stretch may compute, in ms. */
const LIMIT_MS = 200;

/**
 * The node's own part, with n8n and the service answering at once from memory: what is measured is our
 * computing, and n8n's copying of a million values is not.
 */
function context(
	parameters: IDataObject,
	items: IDataObject[],
	answer: (method: string, path: string, page: number) => unknown,
): IExecuteFunctions {
	const inputs = items.map((json): INodeExecutionData => ({ json }));
	const staticData: IDataObject = {};
	const values: IDataObject = { authentication: 'apiKey', resource: 'record', ...parameters };
	return {
		getNode: () => ({
			name: 'Workspace Data',
			type: 'n8n-nodes-workspace-data.workspaceData',
			onError: 'continueRegularOutput',
			credentials: { workspaceDataApi: { id: '1', name: 'Test' } },
		}),
		getCredentials: async () => ({
			baseUrl: 'https://data.example.com/api/v1',
			workspaceId: 'w1',
			apiKey: 'key-for-the-event-loop',
		}),
		getInputData: () => inputs,
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
		getMode: () => 'trigger',
		getWorkflowStaticData: () => staticData,
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => true,
		addExecutionHints: () => {},
		helpers: {
			async httpRequestWithAuthentication(
				_type: string,
				{ method, url, qs }: { method: string; url: string; qs?: { cursor?: string } },
			) {
				await new Promise(setImmediate);
				const address = new URL(url);
				const page = Number(address.searchParams.get('cursor') ?? qs?.cursor ?? 0);
				const body = answer(method, address.pathname.replace(/^.*\/cards\/c1\//, ''), page);
				return { statusCode: 200, headers: {}, body };
			},
		},
	} as unknown as IExecuteFunctions;
}

/** Runs an operation on card c1. @returns its items, and its longest stretch without a turn of the event loop, in ms of CPU time */
async function longestStretch(
	parameters: IDataObject,
	items: IDataObject[],
	answer: Parameters<typeof context>[2],
) {
	const all = { cardId: byId('c1'), matchType: 'allConditions', options: {}, ...parameters };
	let result: INodeExecutionData[] | undefined;
	const longest = await leastOf(LIMIT_MS, async () => {
		const turn = await longestTurn(async () => await route(context(all, items, answer)));
		[result] = turn.result;
		return turn.longest;
	});
	if (result === undefined) throw new Error('Nothing was measured');
	return { result, longest };
}

/** Lists these fields, and these records in a hundred pages. */
const listing =
	(fields: object[], records: object[], size = records.length / 100) =>
	(_: string, path: string, page: number) =>
		path === 'fields'
			? { fields }
			: {
					records: records.slice(page * size, (page + 1) * size),
					next_cursor: page < 99 ? String(page + 1) : null,
				};

const fieldsOf = (count: number) =>
	Array.from({ length: count }, (_, n) => ({
		id: `f${n}`,
		name: `Field number ${n}`,
		type: 'number',
	}));
const itemOf = (count: number): IDataObject =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`Field number ${n}`, `${n}.5`]));

test('1,000 items × 1,000 fields are written', async () => {
	const fields = fieldsOf(1_000);
	const items = Array.from({ length: 1_000 }, () => itemOf(1_000));
	let id = 0;
	const { result, longest } = await longestStretch(
		{ operation: 'create', columns: mapAutomatically() },
		items,
		(method) => (method === 'POST' ? { id: `r${(id += 1)}` } : { fields }),
	);
	expect(result).toHaveLength(1_000);
	expect(longest).toBeLessThan(LIMIT_MS);
});

test.each([
	['Update Many, none of which changes', 'updateMany', {}],
	['Update Many, in a dry run', 'updateMany', { dryRun: true }],
	['Delete Many, in a dry run', 'deleteMany', { dryRun: true }],
])('20,000 records × 20 values: %s', async (_, operation, parameters) => {
	const fields = fieldsOf(20);
	const data = Object.fromEntries(fields.map(({ id }, n) => [id, n + 0.5]));
	const records = Array.from({ length: 20_000 }, (__, n) => ({ id: `r${n}`, data }));
	const { result, longest } = await longestStretch(
		{
			...{ operation, columns: mapAutomatically(), maxChanges: -1, ...parameters },
			...where('Field number 0', 'isNotEmpty'),
		},
		[itemOf(20)],
		listing(fields, records),
	);
	expect(result).toHaveLength(20_000);
	expect(longest).toBeLessThan(LIMIT_MS);
});

test.each([
	['sorted by a text and a number', { sort: { by: [{ field: 'Name' }, { field: 'Amount' }] } }],
	['searched', { search: 'nobody is called this' }],
	['compared with the run before', { since: 'newOrChanged', returnAll: false, limit: 9_000 }],
	['of which the new are wanted', { since: 'new' }],
])('20,000 records or the most that can be compared, %s', async (_, parameters) => {
	const fields = [
		{ id: 'f0', name: 'Name', type: 'text' },
		{ id: 'f1', name: 'Amount', type: 'number' },
	];
	const { limit, search } = parameters as { limit?: number; search?: string };
	const count = limit === undefined ? 20_000 : 9_500;
	const records = Array.from({ length: count }, (__, n) => ({
		id: `r${n}`,
		data: { f0: `Näme ${(n * 7_919) % 1_000}`, f1: n % 17 },
		created_at: new Date(1_700_000_000_000 + n).toISOString(),
	}));
	const getAll = { operation: 'getAll', returnAll: true, simple: true, ...parameters };
	const { result, longest } = await longestStretch(getAll, [{}], listing(fields, records));
	expect(result).toHaveLength(search === undefined ? (limit ?? count) : 0);
	expect(longest).toBeLessThan(LIMIT_MS);
});

const keyed = (count: number, first = 0) =>
	Array.from({ length: count }, (_, n) => ({ f0: `Key ${first + n}`, f1: (first + n) % 17 }));

test.each([
	[
		'half of them of new records, compared by Sync',
		{ operation: 'sync', columns: mapAutomatically(['Key']), dryRun: true },
		keyed(20_000, 10_000).map(({ f0, f1 }) => ({ Key: f0, Amount: f1 })),
		10_000,
	],
	[
		'one for all records, of which none needs a change',
		{
			operation: 'updateMany',
			columns: mapEach({ 'Same for All': '2026-01-31' }),
			...where('Key', 'isNotEmpty'),
			maxChanges: 1,
		},
		[{}],
		20_000,
	],
])('20,000 records and items, %s', async (_, parameters, items, count) => {
	const fields = [
		{ id: 'f0', name: 'Key', type: 'text' },
		{ id: 'f1', name: 'Amount', type: 'number' },
		{ id: 'f2', name: 'Same for All', type: 'date' },
	];
	const records = keyed(20_000).map((data, n) => ({
		id: `r${n}`,
		data: { ...data, f2: '2026-01-31' },
		created_at: '2026-01-31T12:00:00Z',
	}));
	const { result, longest } = await longestStretch(parameters, items, listing(fields, records));
	expect(result).toHaveLength(count);
	expect(result[0]?.json).not.toHaveProperty('error');
	expect(longest).toBeLessThan(LIMIT_MS);
});

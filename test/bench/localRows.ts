/** The cost of our code without n8n and without a service. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Published from '../../nodes/WorkspaceData/WorkspaceData.node.ts';
import { repository } from '../host/folders.ts';
import { mapAutomatically } from '../host/workflowBuilder.ts';
import { longestTurn } from '../support/cpuTime.mts';
import type { Row } from './row.ts';

/** Items, and records of which 1,000 have no item. */
const COUNT = 100_000;

/** Records on pages of a thousand, as the service sends them. */
function pageOf(page: number): object {
	const recordAt = (n: number) => ({ id: `r${n}`, data: { f0: n, f1: 1 } });
	return {
		records: Array.from({ length: 1_000 }, (_, place) => recordAt(page * 1_000 + place)),
		next_cursor: (page + 1) * 1_000 < COUNT ? String(page + 1) : null,
	};
}

/** The context of an execution that gets its responses at once, from memory. */
function instantContext() {
	const values: Record<string, unknown> = {
		authentication: 'apiKey',
		resource: 'record',
		operation: 'sync',
		columns: mapAutomatically(['Field 0']),
		missingRecords: 'keep',
		cardId: { __rl: true, mode: 'id', value: 'c1' },
		matchType: 'allConditions',
		dryRun: true,
		filters: {},
		options: {},
	};
	const fields = [0, 1].map((n) => ({ id: `f${n}`, name: `Field ${n}`, type: 'number' }));
	const items = Array.from({ length: COUNT }, (_, n) => ({
		json: { 'Field 0': n + 1_000, 'Field 1': 2 },
	}));
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
		getInputData: () => items,
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
		getMode: () => 'manual',
		getWorkflow: () => ({ id: '1' }),
		getWorkflowStaticData: () => ({}),
		getParentNodes: () => [],
		getExecutionId: () => '1',
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => true,
		addExecutionHints: () => {},
		logger: { info: () => {}, warn: () => {} },
		helpers: {
			async httpRequestWithAuthentication(
				_type: string,
				{ url, qs }: { url: string; qs?: { cursor?: string } },
			) {
				await new Promise(setImmediate);
				const body = url.endsWith('/records') ? pageOf(Number(qs?.cursor ?? 0)) : { fields };
				return { statusCode: 200, headers: {}, body: JSON.stringify(body) };
			},
		},
	};
}

/** Loads the action node, as n8n does at its start. */
function loadNode() {
	const load = createRequire(import.meta.url);
	const path = join(repository, 'dist', 'nodes', 'WorkspaceData', 'WorkspaceData.node.js');
	const { WorkspaceData } = load(path) as typeof Published;
	return new WorkspaceData();
}

/** Runs a dry run of Sync. */
async function execute(node: Published.WorkspaceData): Promise<void> {
	const context = instantContext() as unknown as ThisParameterType<typeof node.execute>;
	const [items] = await node.execute.call(context);
	const error = items?.find(({ json }) => json.error)?.json.error;
	if (error || items?.length !== COUNT) throw new Error(`${items?.length} items: ${error}`);
}

/** The rows that need neither n8n nor the service. */
export const localRows: readonly Row[] = [
	{
		name: 'event-loop-sync',
		what: 'longest block of the event loop in Sync / 300 ms',
		unit: 'ms',
		goal: 1,
		mostRounds: 3,
		prepare: async () => {
			const node = await Promise.resolve(loadNode());
			return async () => {
				const { longest } = await longestTurn(async () => await execute(node));
				return { ours: longest, peer: 300 };
			};
		},
	},
];

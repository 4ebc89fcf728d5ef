/** The cost of our code without n8n and without a service: computing, loading, size. */
import { execa } from 'execa';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repository } from '../host/folders.ts';
import type * as Published from '../../nodes/WorkspaceData/WorkspaceData.node.ts';
import { longestTurn } from '../support/cpuTime.mts';
import { median, type Row } from './row.ts';

const load = createRequire(import.meta.url);

/** The context of an execution that answers at once, from memory. */
function instantContext(
	parameters: Record<string, unknown>,
	answer: (address: string, cursor: string | undefined) => object,
) {
	const values: Record<string, unknown> = {
		authentication: 'apiKey',
		resource: 'record',
		cardId: { __rl: true, mode: 'id', value: 'c1' },
		options: {},
		...parameters,
	};
	return {
		getNode: () => ({
			name: 'Workspace Data',
			typeVersion: 1,
			onError: 'continueRegularOutput',
			credentials: { workspaceDataApi: { id: '1', name: 'Bench' } },
		}),
		getCredentials: () =>
			Promise.resolve({
				baseUrl: 'https://data.example.com/api/v1',
				workspaceId: 'w1',
				apiKey: 'key-for-the-bench',
			}),
		getInputData: () => [{ json: {} }],
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => true,
		addExecutionHints: () => {},
		helpers: {
			async httpRequestWithAuthentication(
				_type: string,
				{ url, qs }: { url: string; qs?: { cursor?: string } },
			) {
				await new Promise(setImmediate);
				return { statusCode: 200, headers: {}, body: answer(url, qs?.cursor) };
			},
		},
	};
}

/** How many records are filtered, and on how many pages. */
const FILTERED = { records: 100_000, pages: 100 };

/** The context of an execution that reads many records; all of them meet the conditions. */
function reading(conditions: ReadonlyArray<[field: string, condition: string, value: unknown]>) {
	const fields = ['text', 'number', 'date'].map((type) => ({ id: type, name: type, type }));
	const size = FILTERED.records / FILTERED.pages;
	const page = (number: number) => ({
		records: Array.from({ length: size }, (_, place) => {
			const n = number * size + place;
			const date = new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10);
			return { id: `r${n}`, data: { text: `Key ${n}`, number: n, date }, created_at: null };
		}),
		next_cursor: number + 1 < FILTERED.pages ? String(number + 1) : null,
	});
	const parameters = {
		operation: 'getAll',
		returnAll: true,
		options: {},
		...(conditions.length > 0 && { sort: { by: [{ field: 'text', direction: 'desc' }] } }),
		filters: {
			conditions: conditions.map(([field, condition, value]) => ({ field, condition, value })),
		},
	};
	return instantContext(parameters, (address, cursor) =>
		address.endsWith('/records') ? page(Number(cursor ?? 0)) : { fields },
	);
}

/** Three conditions that every record meets. */
const THREE = [
	['text', 'contains', 'key'],
	['number', 'greaterOrEqual', 0],
	['date', 'greaterThan', '2019-01-01'],
] as const satisfies Parameters<typeof reading>[0];

/**
 * Runs the action node; its output must have all records.
 *
 * @returns seconds altogether, and the longest CPU time between two turns of the event loop, in ms
 */
async function compute(context: object) {
	const path = join(repository, 'dist', 'nodes', 'WorkspaceData', 'WorkspaceData.node.js');
	const { WorkspaceData } = load(path) as typeof Published;
	const { execute } = new WorkspaceData();
	const started = performance.now();
	const { result, longest } = await longestTurn(
		async () => await execute.call(context as ThisParameterType<typeof execute>),
	);
	const [items] = result;
	if (items?.length !== FILTERED.records || items[0]?.json.error) throw new Error('Items failed');
	return { seconds: (performance.now() - started) / 1000, longest };
}

const readingBlock: Row = {
	name: 'event-loop',
	what: 'longest block of the event loop while 100,000 records are filtered and sorted / 300 ms',
	unit: 'ms',
	goal: 1,
	mostRounds: 3,
	prepare: () =>
		Promise.resolve(async () => ({
			ours: (await compute(reading(THREE))).longest,
			peer: 300,
		})),
};

const startup: Row = {
	name: 'startup',
	what: "loading both nodes and both credentials, after n8n's own modules / 30 ms",
	unit: 'ms',
	goal: 1,
	prepare: () =>
		Promise.resolve(async () => {
			const script = `
				require('n8n-workflow'); require('zod/v3');
				const { n8n } = require('./package.json');
				const started = performance.now();
				for (const path of [...n8n.nodes, ...n8n.credentials]) {
					for (const type of Object.values(require('./' + path))) new type();
				}
				process.stdout.write(String(performance.now() - started));`;
			const times: number[] = [];
			for (let run = 0; run < 5; run += 1) {
				const { stdout } = await execa(process.execPath, ['-e', script], { cwd: repository });
				times.push(Number(stdout));
			}
			return { ours: median(times), peer: 30 };
		}),
};

const size: Row = {
	name: 'package-size',
	what: 'the published package, unpacked / 450 kB',
	unit: 'MB',
	goal: 1,
	mostRounds: 1,
	prepare: () =>
		Promise.resolve(async () => {
			const { stdout } = await execa('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
				cwd: repository,
			});
			const [packed] = JSON.parse(stdout) as Array<{ unpackedSize: number }>;
			return { ours: (packed?.unpackedSize ?? NaN) / 1e6, peer: 0.45 };
		}),
};

/** The rows that need neither n8n nor the service. */
export const localRows: readonly Row[] = [readingBlock, startup, size];

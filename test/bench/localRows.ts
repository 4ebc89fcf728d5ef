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
function instantContext(count: number, fieldCount: number) {
	const fields = Array.from({ length: fieldCount }, (_, n) => ({
		id: `f${n}`,
		name: `Field number ${n}`,
		type: 'number',
	}));
	// As the editor saves it.
	const schema = fields.map(({ id, name, type }) => ({
		id,
		fieldId: id,
		fieldName: name,
		displayName: name,
		type,
		required: false,
		defaultMatch: false,
		display: true,
		canBeUsedToMatch: true,
	}));
	const item = Object.fromEntries(fields.map(({ name }, n) => [name, `${n}.5`]));
	const inputs = Array.from({ length: count }, () => ({ json: { ...item } }));
	const values: Record<string, unknown> = {
		authentication: 'apiKey',
		resource: 'record',
		operation: 'create',
		cardId: { __rl: true, mode: 'id', value: 'c1' },
		columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema },
		options: {},
	};
	let ids = 0;
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
		getInputData: () => inputs,
		getNodeParameter: (name: string, _item: number, fallback: unknown) => values[name] ?? fallback,
		getTimezone: () => 'Europe/Berlin',
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => true,
		addExecutionHints: () => {},
		helpers: {
			async httpRequestWithAuthentication(_type: string, { method }: { method: string }) {
				await new Promise(setImmediate);
				const body = method === 'POST' ? { id: `r${(ids += 1)}` } : { fields };
				return { statusCode: 200, headers: {}, body };
			},
		},
	};
}

/** Runs creates. @returns seconds altogether, and the longest CPU time between two turns of the event loop, in ms */
async function compute(count: number, fieldCount: number) {
	const path = join(repository, 'dist', 'nodes', 'WorkspaceData', 'WorkspaceData.node.js');
	const { WorkspaceData } = load(path) as typeof Published;
	const { execute } = new WorkspaceData();
	const context = instantContext(count, fieldCount);
	const started = performance.now();
	const { result, longest } = await longestTurn(
		async () => await execute.call(context as unknown as ThisParameterType<typeof execute>),
	);
	const [items] = result;
	if (items?.length !== count || items[0]?.json.error) throw new Error('Items failed');
	return { seconds: (performance.now() - started) / 1000, longest };
}

const mapping: Row = {
	name: 'mapping',
	what: '10,000 items × 20 fields, nothing sent / the same with 1,000 items; means of 3 and 30 runs',
	unit: 's',
	goal: 11,
	prepare: () =>
		Promise.resolve(async () => {
			// As many items in small runs as in large ones, and in turns: a single run may leave its garbage to
			// the next, and the machine's speed changes meanwhile.
			let few = 0;
			let many = 0;
			for (let turn = 0; turn < 30; turn += 1) {
				few += (await compute(1_000, 20)).seconds;
				if (turn % 10 === 5) many += (await compute(10_000, 20)).seconds;
			}
			return { ours: many / 3, peer: few / 30 };
		}),
};

const longestBlock = (name: string, fieldCount: number): Row => ({
	name,
	what: `longest block of the event loop with 10,000 items × ${fieldCount} fields / 200 ms`,
	unit: 'ms',
	goal: 1,
	mostRounds: 3,
	prepare: () =>
		Promise.resolve(async () => ({ ours: (await compute(10_000, fieldCount)).longest, peer: 200 })),
});

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
export const localRows: readonly Row[] = [
	mapping,
	longestBlock('mapping-block', 20),
	longestBlock('event-loop', 100),
	startup,
	size,
];

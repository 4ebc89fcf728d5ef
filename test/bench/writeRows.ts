/** The time, the requests and the memory that writes take in n8n, next to the nodes that a user would pick instead. */
import { outputOf, type SavedWorkflow } from '../host/n8nClient.ts';
import type { Row } from './row.ts';
import { growthOf, peerTypes, recordsUrl, writing, type Bench } from './workbench.ts';

/** Runs a stored workflow. @returns the seconds that our node took, with what it did to how many records */
async function countActions(bench: Bench, saved: SavedWorkflow, wanted: Record<string, number>) {
	const { seconds, execution } = await bench.time(saved, 'Ours');
	const counts: Record<string, number> = {};
	for (const { json } of outputOf(execution, 'Ours')) {
		const action = String(json.action);
		counts[action] = (counts[action] ?? 0) + 1;
	}
	const isSame = Object.entries(wanted).every(([action, count]) => counts[action] === count);
	if (!isSame) throw new Error(`Not as wanted: ${JSON.stringify(counts)}`);
	return seconds;
}

const createRow = (name: string, maxParallel: number, goal: number): Row => ({
	name,
	what: `1,000 creates at 50 ms, ${maxParallel || 'as many at once as is automatic'} / HTTP Request, all at once`,
	unit: 's',
	goal,
	async prepare(bench) {
		await bench.restart();
		await bench.control.setLatency({ ms: 50 });
		const { id, fields } = await bench.card(`Created, ${name}`);
		const entries = Object.entries(fields).map(([name, fieldId]) => `"${fieldId}": $json.${name}`);
		const { workspaceDataApi } = bench.credentials;
		const http = {
			name: 'HTTP Request',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'workspaceDataApi',
				options: {},
				method: 'POST',
				url: recordsUrl(bench, id),
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `={{ JSON.stringify({ data: { ${entries.join(', ')} } }) }}`,
			},
			credentials: { workspaceDataApi },
		};
		const create = writing(bench, 'create', id, { options: { maxParallel } });
		const mine = await bench.save(`Ours, ${name}`, 1_000, [create]);
		const other = await bench.save(`HTTP Request, ${name}`, 1_000, [http]);
		return async () => ({
			ours: (await bench.time(mine, 'Ours')).seconds,
			peer: (await bench.time(other, 'HTTP Request')).seconds,
		});
	},
});

const LIMIT = { limit: 100, windowSeconds: 5 };

const limited: Row = {
	name: 'create-limited',
	what: '500 creates, 100 requests per 5 s, at most one refused in a window / the shortest possible time',
	unit: 's',
	goal: 1.2,
	mostRounds: 1,
	async prepare(bench) {
		await bench.restart();
		const { id } = await bench.card('Limited');
		const mine = await bench.save('Ours, limited', 500, [writing(bench, 'create', id)]);
		return async () => {
			await bench.control.setRate({ rate: LIMIT });
			await bench.control.resetRequests();
			const { seconds, execution } = await bench.time(mine, 'Ours');
			const statuses = (await bench.control.requests()).map(({ status }) => status);
			const refused = statuses.filter((status) => status === 429).length;
			const windows = Math.ceil((statuses.length - refused) / LIMIT.limit);
			if (outputOf(execution, 'Ours').length !== 500) throw new Error('Creates failed');
			if (refused > windows) throw new Error(`${refused} requests were refused`);
			return { ours: seconds, peer: (windows - 1) * LIMIT.windowSeconds };
		};
	},
};

const upsert: Row = {
	name: 'upsert-10k',
	what: 'requests of 1,000 upserts into 10,000 records, beyond fields, pages and changes',
	unit: 'requests',
	goal: 0,
	mostRounds: 1,
	async prepare(bench) {
		const { id } = await bench.card('Upserted', 10_000);
		const rows = { count: 1_000, changed: 1_000 };
		const mine = await bench.save('Ours, upsert', rows, [writing(bench, 'upsert', id)]);
		return async () => {
			await bench.control.resetRequests();
			await countActions(bench, mine, { updated: 1_000 });
			const requests = await bench.control.requests();
			const { length } = requests.filter(({ path }) => !path.endsWith('/fields'));
			return { ours: length - (10 + 1_000), peer: 1 };
		};
	},
};

const resync: Row = {
	name: 'resync',
	what: 'Create or Update of 10,000 items at 20 ms, 100 changed / all changed',
	unit: 's',
	goal: 0.1,
	mostRounds: 3,
	async prepare(bench) {
		await bench.restart();
		await bench.control.setLatency({ ms: 20 });
		let round = 0;
		const timed = async (changed: number) => {
			const { id } = await bench.card(`Resync ${round}, ${changed}`, 10_000);
			const rows = { count: 10_000, changed };
			const saved = await bench.save('Resync', rows, [writing(bench, 'upsert', id)]);
			return await countActions(bench, saved, { updated: changed });
		};
		return async () => {
			round += 1;
			return { ours: await timed(100), peer: await timed(10_000) };
		};
	},
};

const syncMemory: Row = {
	name: 'memory-sync',
	what: 'growth of n8n during a Sync of 100,000 items with 100,000 records / for the same items and output from memory',
	unit: 'MB',
	goal: 3,
	mostRounds: 3,
	async prepare(bench) {
		const { id } = await bench.card('Synced in memory', 100_000);
		const small = await bench.card('Synced, small', 1_000);
		const warm = await bench.save('Warm', 1_000, [writing(bench, 'sync', small.id)]);
		const mine = await bench.save('Ours, memory', 100_000, [writing(bench, 'sync', id)]);
		const parameters = { count: 100_000, records: true };
		const peer = { name: 'Peer', type: peerTypes.source, parameters };
		const other = await bench.save('From memory', 100_000, [peer]);
		return async () => ({
			ours: (await growthOf(bench, warm, mine, 'Ours')) / 1e6,
			peer: (await growthOf(bench, warm, other, 'Peer')) / 1e6,
		});
	},
};

const HEAP_MB = 640;
const PASSES = 400;

const loopMemory: Row = {
	name: 'memory-loop',
	what: `growth of n8n during ${PASSES} passes of a loop with Create or Update of one of 5,000 records, with a heap of ${HEAP_MB} MB / the same`,
	unit: 'MB',
	goal: 1,
	mostRounds: 1,
	async prepare(bench) {
		const { id } = await bench.card('In a loop', 5_000);
		const upsert = writing(bench, 'upsert', id);
		const warm = await bench.save('Warm', 1, [upsert]);
		const mine = await bench.saveLoop('Ours, loop', PASSES, upsert);
		const extra = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
		return async () => {
			await bench.control.resetRequests();
			const growth = await growthOf(bench, warm, mine, 'Ours', extra);
			const pages = (await bench.control.requests()).filter(({ path }) =>
				path.endsWith('/records'),
			);
			if (pages.length !== (1 + PASSES) * 5) throw new Error(`${pages.length} pages were read`);
			return { ours: growth / 1e6, peer: HEAP_MB };
		};
	},
};

/** In the order of the table. */
export const writeRows: readonly Row[] = [
	createRow('create-50ms', 64, 0.5),
	createRow('create-50ms-automatic', 0, 1.3),
	limited,
	upsert,
	resync,
	syncMemory,
	loopMemory,
];

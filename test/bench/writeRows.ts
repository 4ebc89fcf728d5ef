/** The time, the requests and the memory that writes take in n8n, next to the nodes that a user would pick instead. */
import { outputOf, type SavedWorkflow } from '../host/n8nClient.ts';
import type { Row } from './row.ts';
import {
	growthOf,
	httpNode,
	jsonLength,
	peerTypes,
	recordsUrl,
	writing,
	type Bench,
} from './workbench.ts';

/** Seconds that our node takes, then those of the HTTP Request node. */
const inTurns = async (bench: Bench, mine: SavedWorkflow, other: SavedWorkflow) => ({
	ours: (await bench.time(mine, 'Ours')).seconds,
	peer: (await bench.time(other, 'HTTP Request')).seconds,
});

interface CreateRow {
	name: string;
	ms: number;
	goal: number;
	maxParallel?: number;
}

const createRow = ({ name, ms, goal, maxParallel }: CreateRow): Row => ({
	name,
	what: `1,000 creates at a latency of ${ms} ms${maxParallel ? `, with Max Parallel Requests ${maxParallel}` : ''} / HTTP Request, all at once`,
	unit: 's',
	goal,
	async prepare(bench) {
		await bench.restart();
		await bench.control.setLatency({ ms });
		const { id, fields } = await bench.card(`Created, ${name}`);
		const entries = Object.entries(fields).map(([name, fieldId]) => `"${fieldId}": $json.${name}`);
		const http = httpNode(bench, {
			method: 'POST',
			url: recordsUrl(bench, id),
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ data: { ${entries.join(', ')} } }) }}`,
		});
		const options = maxParallel ? { maxParallel } : {};
		const mine = await bench.save(`Ours, ${name}`, 1_000, [
			writing(bench, 'create', id, { options }),
		]);
		const other = await bench.save(`HTTP Request, ${name}`, 1_000, [http]);
		return async () => await inTurns(bench, mine, other);
	},
});

const updates: Row = {
	name: 'update-50ms',
	what: '1,000 updates at a latency of 50 ms / HTTP Request, all at once',
	unit: 's',
	goal: 0.8,
	async prepare(bench) {
		await bench.restart();
		await bench.control.setLatency({ ms: 50 });
		const { id, fields } = await bench.card('Updated', 1_000);
		const records = await bench.undici.list(id, 1_000);
		const items = records.map((record, n) => ({ id: record.id, Amount: -1 - n }));
		const rows = { items: JSON.stringify(items) };
		const recordId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const http = httpNode(bench, {
			method: 'PATCH',
			url: `=${recordsUrl(bench, id)}/{{ $json.id }}`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ data: { "${fields.Amount}": $json.Amount } }) }}`,
		});
		const mine = await bench.save('Ours, updates', rows, [
			writing(bench, 'update', id, { recordId }),
		]);
		const other = await bench.save('HTTP Request, updates', rows, [http]);
		return async () => await inTurns(bench, mine, other);
	},
};

const LIMIT = { limit: 100, windowSeconds: 5 };

const limited: Row = {
	name: 'create-limited',
	what: '500 creates, 100 requests per 5 s, at most one of them refused in a window / the least that so many requests can take',
	unit: 's',
	goal: 1.25,
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
	what: '1,000 upserts into 10,000 records: requests beyond 10 pages, the fields and 1,000 changes',
	unit: 'requests',
	goal: 0,
	mostRounds: 1,
	async prepare(bench) {
		const { id } = await bench.card('Upserted', 10_000);
		const mine = await bench.save('Ours, upsert', 1_000, [
			// Else everything would be unchanged, and nothing sent.
			writing(bench, 'upsert', id, { options: { unchanged: 'send' } }),
		]);
		return async () => {
			await bench.control.resetRequests();
			await bench.time(mine, 'Ours');
			const { length } = await bench.control.requests();
			return { ours: length - (10 + 1 + 1_000), peer: 1 };
		};
	},
};

const countActions = async (bench: Bench, saved: SavedWorkflow) => {
	const { seconds, execution } = await bench.time(saved, 'Ours');
	const counts: Record<string, number> = {};
	for (const { json } of outputOf(execution, 'Ours')) {
		const action = String(json.action);
		counts[action] = (counts[action] ?? 0) + 1;
	}
	return { seconds, counts };
};

function requireCounts(counts: Record<string, number>, wanted: Record<string, number>): void {
	const isSame = Object.entries(wanted).every(([action, count]) => counts[action] === count);
	if (!isSame) throw new Error(`Not as wanted: ${JSON.stringify(counts)}`);
}

const resync: Row = {
	name: 'resync',
	what: '10,000 items, 100 changed, 20 ms a request: Create or Update / the same with If Nothing Changed: Send',
	unit: 's',
	goal: 0.1,
	async prepare(bench) {
		await bench.restart();
		await bench.control.setLatency({ ms: 20 });
		let round = 0;
		return async () => {
			round += 1;
			const { id } = await bench.card(`Resync ${round}`, 10_000);
			const rows = { count: 10_000, changed: 100 };
			const mine = await bench.save('Resync, ours', rows, [writing(bench, 'upsert', id)]);
			const other = await bench.save('Resync, all sent', rows, [
				writing(bench, 'upsert', id, { options: { unchanged: 'send' } }),
			]);
			const { seconds, counts } = await countActions(bench, mine);
			requireCounts(counts, { updated: 100, unchanged: 9_900 });
			return { ours: seconds, peer: (await bench.time(other, 'Ours')).seconds };
		};
	},
};

/** What the rows of Sync change: of 10,000 records the first 100 have no item, and the next 100 items are changed. */
const SYNCED = { count: 9_900, skip: 100, changed: 100 };
const SYNC = { missingRecords: 'delete' };
const WRITTEN = { updated: 100, unchanged: 9_800, deleted: 100 };

const sync: Row = {
	name: 'sync',
	what: 'Sync of 9,900 items with 10,000 records at 20 ms a request, 100 changed and 100 deleted / HTTP Request sending these 200 requests, all at once, knowing them beforehand',
	unit: 's',
	goal: 2,
	async prepare(bench) {
		await bench.restart();
		await bench.control.setLatency({ ms: 20 });
		let round = 0;
		return async () => {
			round += 1;
			const { id } = await bench.card(`Sync ${round}`, 10_000);
			const mine = await bench.save('Sync, ours', SYNCED, [writing(bench, 'sync', id, SYNC)]);
			const card = await bench.card(`Sync by HTTP ${round}`, 10_000);
			const records = await bench.undici.list(card.id, 1_000);
			const items = records.slice(0, 200).map((record, n) => ({
				method: n < 100 ? 'DELETE' : 'PATCH',
				url: `${recordsUrl(bench, card.id)}/${record.id}`,
				// The node sends a body with each request or with none.
				body: n < 100 ? '{}' : JSON.stringify({ data: { [card.fields.Amount ?? '']: -1 - n } }),
			}));
			const other = await bench.save('Sync, HTTP Request', { items: JSON.stringify(items) }, [
				httpNode(bench, {
					method: '={{ $json.method }}',
					url: '={{ $json.url }}',
					sendBody: true,
					specifyBody: 'json',
					jsonBody: '={{ $json.body }}',
				}),
			]);
			const { seconds, counts } = await countActions(bench, mine);
			requireCounts(counts, WRITTEN);
			return { ours: seconds, peer: (await bench.time(other, 'HTTP Request')).seconds };
		};
	},
};

const syncMemory: Row = {
	name: 'memory-sync',
	what: 'growth of n8n during the Sync of 100,000 items with 100,000 records, less its growth for the same items and output from memory / items and records as JSON',
	unit: 'MB',
	goal: 2,
	mostRounds: 3,
	async prepare(bench) {
		const { id } = await bench.card('Synced in memory', 100_000);
		const small = await bench.card('Synced, small', 1_000);
		const warm = await bench.save('Warm', 1_000, [writing(bench, 'sync', small.id)]);
		const mine = await bench.save('Ours, memory', 100_000, [writing(bench, 'sync', id)]);
		const other = await bench.save('From memory', 100_000, [
			{
				name: 'Peer',
				type: peerTypes.source,
				parameters: { count: 100_000, records: true },
			},
		]);
		const { length } = JSON.stringify(await bench.undici.list(id, 1_000));
		return async () => {
			const own = await growthOf(bench, warm, mine, 'Ours');
			const plain = await growthOf(bench, warm, other, 'Peer');
			const items = jsonLength(plain.execution, 'Source');
			return { ours: Math.max(0, own.bytes - plain.bytes) / 1e6, peer: (items + length) / 1e6 };
		};
	},
};

/** All rows of writes, in the order of the table. */
export const writeRows: readonly Row[] = [
	createRow({ name: 'create-50ms', ms: 50, goal: 0.5, maxParallel: 64 }),
	createRow({ name: 'create-50ms-automatic', ms: 50, goal: 1.5 }),
	updates,
	limited,
	upsert,
	resync,
	sync,
	syncMemory,
];

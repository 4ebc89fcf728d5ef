/** The main thread's time for a create and for a page of 100, next to the least that a service can be. */
import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { startService } from '../host/serviceProcess.ts';
import { undiciClient } from './clients.ts';

const creates = 4_000;
const pages = 1_000;
const warmUp = 2_000;
const rounds = 4;
const bound = 1.5;

/** A figure, and whether it meets its goal. */
export type Row = [what: string, measured: string, target: string, met: boolean];

/**
 * Time that the main thread of a process has worked, in ms: how long somebody waits for it does not depend on what
 * else the machine does.
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
function mainThreadMs(pid: number): number {
	const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
	return Number(text.split(' ', 1)[0]) / 1e6;
}

/** A service to be measured. */
interface Measured {
	records: URL;
	headers: Record<string, string>;
	/** The data of a record. */
	data(n: number): object;
	pid: number;
}

/** What is asked of one of the two. */
interface Client {
	create(): Promise<void>;
	page(): Promise<void>;
	pid: number;
	close(): Promise<void>;
}

/** One connection: with more, the faster of the two keeps its client awake, and the other also pays for waking it up. */
function connect({ records, headers, data, pid }: Measured): Client {
	const pool = new Pool(records.origin, { connections: 1, pipelining: 1 });
	const send = async (method: 'GET' | 'POST', path: string, body?: string) => {
		const answer = await pool.request({
			method,
			path,
			headers,
			...(body !== undefined && { body }),
		});
		await answer.body.dump();
		if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode}`);
	};
	let created = 0;
	return {
		create: async () =>
			await send('POST', records.pathname, JSON.stringify({ data: data(created++) })),
		page: async () => await send('GET', `${records.pathname}?limit=100`),
		pid,
		close: async () => await pool.close(),
	};
}

async function repeat(count: number, request: () => Promise<void>) {
	for (let n = 0; n < count; n++) await request();
}

/** CPU time of a request to each, in ms: the least of some rounds, in which they take turns. */
async function cpuOf(clients: Client[], what: 'create' | 'page', count: number) {
	const least = clients.map(() => Infinity);
	for (let round = 0; round < rounds; round++) {
		for (const [index, client] of clients.entries()) {
			const before = mainThreadMs(client.pid);
			await repeat(count, client[what]);
			const used = (mainThreadMs(client.pid) - before) / count;
			least[index] = Math.min(least[index] ?? used, used);
		}
	}
	return least;
}

const values = (n: number) => [
	`Record ${n}`,
	n,
	'2024-02-29',
	n % 2 === 0,
	`person${n}@example.com`,
];

/** Measures the service, without control, and the bare one, with files in a folder. */
export async function measureBesideBare(folder: string): Promise<Row[]> {
	const service = await startService({ file: join(folder, 'beside.sqlite') });
	const types = ['text', 'number', 'date', 'boolean', 'email'];
	const client = undiciClient(service, 1);
	const { id, fieldIds: ids } = await client.createCard(
		'Beside',
		types.map((type) => ({ name: type, type })),
	);
	await client.close();
	const data = (n: number) => Object.fromEntries(values(n).map((value, i) => [ids[i], value]));
	const ours = connect({
		records: new URL(`${service.baseUrl}/workspaces/${service.workspaceId}/cards/${id}/records`),
		headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
		data,
		pid: service.pid,
	});

	const script = join(import.meta.dirname, 'bareFastify.ts');
	const child = execa(process.execPath, [script, join(folder, 'bare.sqlite')], {
		stdin: 'pipe',
		buffer: false,
		reject: false,
	});
	const origin = await new Promise<string>((resolve) => {
		createInterface({ input: child.stdout }).once('line', resolve);
	});
	const bare = connect({
		records: new URL(`${origin}/cards/crd_1/records`),
		headers: { 'content-type': 'application/json' },
		data,
		pid: child.pid ?? 0,
	});
	const clients = [ours, bare];
	for (const client of clients) {
		await repeat(warmUp, client.create);
		await repeat(warmUp / 5, client.page);
	}
	const rows: Row[] = [];
	for (const [what, name, count] of [
		['create', 'a create', creates],
		['page', 'a page of 100', pages],
	] as const) {
		const [own = NaN, least = NaN] = await cpuOf(clients, what, count);
		const factor = own / least;
		rows.push([
			`${name}: main thread, ms (a bare Fastify: ${least.toFixed(3)})`,
			own.toFixed(3),
			`≤ ${bound} ×, is ${factor.toFixed(2)} ×`,
			factor <= bound,
		]);
	}
	for (const client of clients) await client.close();
	child.stdin.end();
	await child;
	await service.stop();
	return rows;
}

/** The main thread's time for a create and for a page of 100, next to the least that a service can be. */
import { execa } from 'execa';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { startService } from '../host/serviceProcess.ts';
import { undiciClient } from './clients.ts';
import { mainThreadMs, type Row } from './neighbours.ts';

const creates = 6_000;
const pages = 1_500;
const warmUp = 2_000;
const rounds = 3;
/** One: with more, the faster of the two keeps its client awake, and the other also pays for waking it up. */
const connections = 1;
const bound = 1.5;

/** A service to be measured. */
interface Measured {
	records: URL;
	headers: Record<string, string>;
	/** The data of a record. */
	data(n: number): object;
	pid: number;
}

/** CPU time of a request, in ms: the least of some rounds. */
async function cpuOf({ pid }: Measured, count: number, request: (n: number) => Promise<void>) {
	let least = Infinity;
	let n = 0;
	for (let round = 0; round < rounds; round++) {
		const before = mainThreadMs(pid);
		const end = n + count;
		const lane = async () => {
			while (n < end) await request(n++);
		};
		await Promise.all(Array.from({ length: connections }, lane));
		least = Math.min(least, (mainThreadMs(pid) - before) / count);
	}
	return least;
}

async function measure(measured: Measured) {
	const { records, headers, data } = measured;
	const pool = new Pool(records.origin, { connections, pipelining: 1 });
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
	const create = async (n: number) =>
		await send('POST', records.pathname, JSON.stringify({ data: data(n) }));
	const page = async () => await send('GET', `${records.pathname}?limit=100`);
	for (let n = 0; n < warmUp; n++) await create(n);
	for (let n = 0; n < warmUp / 5; n++) await page();
	const result = {
		create: await cpuOf(measured, creates, create),
		page: await cpuOf(measured, pages, page),
	};
	await pool.close();
	return result;
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
	const service = await startService({ file: join(folder, 'beside.sqlite'), bytesPerSecond: 1e12 });
	const types = ['text', 'number', 'date', 'boolean', 'email'];
	const client = undiciClient(service, 1);
	const { id, fieldIds: ids } = await client.createCard(
		'Beside',
		types.map((type) => ({ name: type, type })),
	);
	await client.close();
	const data = (n: number) => Object.fromEntries(values(n).map((value, i) => [ids[i], value]));
	const ours = await measure({
		records: new URL(`${service.baseUrl}/workspaces/${service.workspaceId}/cards/${id}/records`),
		headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
		data,
		pid: service.pid,
	});
	await service.stop();

	const script = join(import.meta.dirname, 'bareFastify.ts');
	const child = execa(process.execPath, [script, join(folder, 'bare.sqlite')], {
		stdin: 'pipe',
		buffer: false,
		reject: false,
	});
	const origin = await new Promise<string>((resolve) => {
		createInterface({ input: child.stdout }).once('line', resolve);
	});
	const bare = await measure({
		records: new URL(`${origin}/cards/crd_1/records`),
		headers: { 'content-type': 'application/json' },
		data,
		pid: child.pid ?? 0,
	});
	child.stdin.end();
	await child;

	return (['create', 'page'] as const).map((what) => {
		const factor = ours[what] / bare[what];
		return [
			`${what === 'page' ? 'a page of 100' : 'a create'}: main thread, ms (a bare Fastify: ${bare[what].toFixed(3)})`,
			ours[what].toFixed(3),
			`≤ ${bound} ×, is ${factor.toFixed(2)} ×`,
			factor <= bound,
		];
	});
}

/** How long a quiet tenant waits next to a noisy one, by the kind of noise; and what the service's memory does. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { defaultQuotas } from '../../service/foundation/quotas.ts';
import { connectControl } from '../../service/index.ts';
import type { RunningService } from '../host/serviceProcess.ts';
import { undiciClient } from './clients.ts';
import type { Noise } from './noise.ts';
import { median } from './row.ts';

const mebibyte = 1024 * 1024;
const secondsEach = 5;
const noisyConnections = 8;
/** Time between two requests of the quiet tenant, in ms. */
const quietPauseMs = 5;
const bounds = { p99Factor: 5, p99Ms: 100, memoryMiB: 64, memorySeconds: 60 };

/** A row of the report. */
export type Row = [what: string, measured: string, target: string, met: boolean];

const list = (count: number, text: (n: number) => string) =>
	Array.from({ length: count }, (_, n) => text(n)).join(',');

/** The attacks: each a body, or a page that is read. Some are refused at once, others are as large as may be. */
function attacks(fieldId: string, jsonId: string): Array<[name: string, body: string | null]> {
	const value = (length: number) => 'x'.repeat(length);
	const keys = defaultQuotas.bodyKeys - 2;
	const values = defaultQuotas.bodyValues - 2;
	const longest = defaultQuotas.bodyBytes - 1_000;
	return [
		['arrays of 8 MB', `[${list(4 * mebibyte, () => '1')}]`],
		['arrays of 1 MiB', `[${list(mebibyte / 2 - 1, () => '1')}]`],
		['1 MiB of [[[[…', '['.repeat(mebibyte)],
		['objects of 480,000 keys', `{${list(480_000, (n) => `"k${n}":1`)}}`],
		['objects of 60,000 keys', `{${list(60_000, (n) => `"k${n}":1`)}}`],
		['objects of 19,000 unknown fields', `{"data":{${list(19_000, (n) => `"k${n}":1`)}}}`],
		['records of 1 MB', JSON.stringify({ data: { [fieldId]: value(1_000_000) } })],
		[`records of ${longest} bytes`, JSON.stringify({ data: { [fieldId]: value(longest) } })],
		[`objects of ${keys} unknown fields`, `{"data":{${list(keys, (n) => `"k${n}":1`)}}}`],
		[
			`${keys} objects with a key of their own`,
			`{"data":{"${jsonId}":[${list(keys, (n) => `{"k${n}":1}`)}]}}`,
		],
		[
			`arrays of ${values} different texts`,
			`{"data":{"${jsonId}":[${list(values, (n) => `"v${n}"`)}]}}`,
		],
		['text that is no JSON', value(longest)],
		['pages of 2 MiB', null],
	];
}

/**
 * Time that the main thread of a process has worked, in ms: how long somebody waits for it does not depend on what
 * else the machine does.
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export function mainThreadMs(pid: number): number {
	const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
	return Number(text.split(' ', 1)[0]) / 1e6;
}

/** Moves threads of a process to some cores. @param cores as `taskset` takes them, such as `1-3` */
function move(pid: number, threads: string[], cores: string): void {
	for (const thread of threads.filter((one) => existsSync(`/proc/${pid}/task/${one}`))) {
		execFileSync('taskset', ['--pid', '--cpu-list', cores, thread], { stdio: 'ignore' });
	}
}

const threadsOf = (pid: number) => readdirSync(`/proc/${pid}/task`);
const lastCore = availableParallelism() - 1;

/**
 * Gives the main thread of the service a separate core, where the system has `taskset`: tenants are on other machines, so
 * what making their requests takes must not hold the service up.
 * @returns whether it has
 */
function separateFromTenants(service: number): boolean {
	try {
		for (const pid of [service, process.pid]) move(pid, threadsOf(pid), `1-${lastCore}`);
		move(service, [String(service)], '0');
		return true;
	} catch {
		return false;
	}
}

/** Waits by the main thread's work and by the clock. */
const shown = ({ mainThread, clock }: { mainThread: number; clock: number }) =>
	`${clock.toFixed(1)} ms by the clock, ${mainThread.toFixed(1)} ms of the main thread`;

/** The 99th percentile of waits, in ms. */
const p99 = (waits: number[]) =>
	waits.sort((one, other) => one - other)[Math.floor(waits.length * 0.99)] ?? 0;

/** Runs a noisy tenant next to some work. @returns how its requests were answered */
async function during<T>(noise: Noise, work: () => Promise<T>) {
	const worker = new Worker(new URL('./noise.ts', import.meta.url), { workerData: noise });
	const ended = new Promise<Record<string, number>>((resolve, reject) => {
		worker.once('message', resolve);
		worker.once('error', reject);
	});
	await sleep(500);
	const result = await work();
	worker.postMessage('end');
	return { result, statuses: await ended };
}

/** Measures all attacks. @param service with control, by default bounds */
export async function measureNeighbours(service: RunningService): Promise<Row[]> {
	const control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
	const rows: Row[] = [];
	const quiet = undiciClient(service, 1);
	const other = await control.createWorkspace();
	const noisyService = { ...service, ...other };
	const noisy = undiciClient(noisyService, 1);
	const calm = await quiet.createCard('Calm', [{ name: 'n', type: 'number' }]);
	await control.fillCard({ cardId: calm.id, count: 200 });
	const loud = await noisy.createCard('Loud', [
		{ name: 'x', type: 'long_text' },
		{ name: 'j', type: 'json' },
	]);
	const [fieldId = '', jsonId = ''] = loud.fieldIds;
	for (let n = 0; n < 16; n++) {
		const data = { [fieldId]: 'x'.repeat(250_000) };
		await noisy.send('POST', `/cards/${loud.id}/records`, { data });
		await sleep(100);
	}
	const small = await noisy.createCard('Many', [
		{ name: 'x', type: 'text' },
		{ name: 'n', type: 'number' },
	]);
	await control.fillCard({ cardId: small.id, count: 1_000 });
	const url = new URL(`${service.baseUrl}/workspaces/${other.workspaceId}`);

	const waits = async () => {
		const taken = { clock: [] as number[], mainThread: [] as number[] };
		const until = performance.now() + secondsEach * 1000;
		while (performance.now() < until) {
			const started = performance.now();
			const used = mainThreadMs(service.pid);
			await quiet.send('GET', `/cards/${calm.id}/records?limit=50`);
			const [work, wait] = [mainThreadMs(service.pid) - used, performance.now() - started];
			// The time of a thread that runs on is counted in ticks of some ms, so up to one from before is in it.
			taken.mainThread.push(Math.min(work, wait));
			taken.clock.push(wait);
			await sleep(quietPauseMs);
		}
		return { clock: p99(taken.clock), mainThread: p99(taken.mainThread) };
	};
	await waits();
	const isSeparate = separateFromTenants(service.pid);
	await control.resetRequests();
	const before = (await control.memory()).rss;
	const alone: Array<Awaited<ReturnType<typeof waits>>> = [];
	const measured: Array<{ what: string; p99: Awaited<ReturnType<typeof waits>> }> = [];

	const all: Array<[string, string | null, string]> = [
		...attacks(fieldId, jsonId).map(([name, body]): [string, string | null, string] => [
			name,
			body,
			`/cards/${loud.id}/records?limit=1000`,
		]),
		['pages of 1,000 small records', null, `/cards/${small.id}/records?limit=1000`],
	];
	for (const [name, body, path] of all) {
		alone.push(await waits());
		const { result, statuses } = await during(
			{
				origin: url.origin,
				path: url.pathname + (body === null ? path : path.split('?')[0]),
				method: body === null ? 'GET' : 'POST',
				headers: { authorization: `Bearer ${other.apiKey}`, 'content-type': 'application/json' },
				...(body !== null && { body }),
				connections: noisyConnections,
			},
			waits,
		);
		const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
		const what = `next to ${noisyConnections} connections with ${name} (${answers.join(', ')}): p99`;
		measured.push({ what, p99: result });
	}
	const quietly = {
		clock: median(alone.map(({ clock }) => clock)),
		mainThread: median(alone.map(({ mainThread }) => mainThread)),
	};
	const cores = isSeparate ? 'apart from them' : 'that the tenants use as well';
	const what = `a quiet tenant alone, the main thread on a core ${cores}: p99, the median of ${alone.length}`;
	rows.push([what, shown(quietly), 'measured', true]);
	for (const { what, p99 } of measured) {
		const factor = p99.mainThread / quietly.mainThread;
		rows.push([
			what,
			shown(p99),
			`≤ ${bounds.p99Factor} × alone and < ${bounds.p99Ms} ms of the main thread, is ${factor.toFixed(1)} ×`,
			factor <= bounds.p99Factor && p99.mainThread < bounds.p99Ms,
		]);
	}

	// Control's log keeps up to 16 MiB of bodies on purpose, for tests to look at.
	await control.resetRequests();
	let growth = Infinity;
	const started = performance.now();
	while (growth > bounds.memoryMiB && performance.now() - started < bounds.memorySeconds * 1000) {
		await sleep(1_000);
		growth = ((await control.memory()).rss - before) / mebibyte;
	}
	rows.push([
		`memory after ${((performance.now() - started) / 1000).toFixed(0)} s, more than before, MiB`,
		growth.toFixed(0),
		`≤ ${bounds.memoryMiB} within ${bounds.memorySeconds} s`,
		growth <= bounds.memoryMiB,
	]);
	if (isSeparate) move(process.pid, threadsOf(process.pid), `0-${lastCore}`);
	await quiet.close();
	await noisy.close();
	return rows;
}

/**
 * How fast the reference service is over loopback: `node tools/node24.mjs bench/service.ts`.
 * Prints figures and what they are measured against; exits 1 where a target is missed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { connectControl } from '../service/index.ts';

const connections = 32;
const secondsOfCreates = 10;
const listed = 100_000;
const pageSize = 100;
const targets = { createsPerSecond: 2_000, listSeconds: 10, memoryGrowthMiB: 64 };

const folder = mkdtempSync(join(tmpdir(), 'workspace-data-bench-'));
const child = spawn(
	process.execPath,
	[
		join(import.meta.dirname, '../service/main.ts'),
		...['--port', '0', '--json', '--control', '--exit-with-parent'],
		...['--file', join(folder, 'service.sqlite')],
	],
	{ stdio: ['pipe', 'pipe', 'inherit'] },
);
const line = await new Promise<string>((resolve) =>
	createInterface(child.stdout).once('line', resolve),
);
const { baseUrl, workspaceId, apiKey, controlUrl, controlToken } = JSON.parse(line) as Record<
	'baseUrl' | 'workspaceId' | 'apiKey' | 'controlUrl' | 'controlToken',
	string
>;
const control = connectControl(controlUrl, controlToken);
await control.setRate({ rate: { limit: 1_000_000_000 } });

const pool = new Pool(new URL(baseUrl).origin, { connections, pipelining: 1 });
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
const root = `/api/v1/workspaces/${workspaceId}`;

async function send(method: 'GET' | 'POST', path: string, body?: unknown) {
	const answer = await pool.request({
		method,
		path: root + path,
		headers,
		body: body === undefined ? null : JSON.stringify(body),
	});
	if (answer.statusCode >= 300) {
		throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`);
	}
	return (await answer.body.json()) as {
		id: string;
		records: unknown[];
		next_cursor: string | null;
	};
}

async function newCard(name: string) {
	const { id } = await send('POST', '/cards', { name });
	const types = ['text', 'number', 'date', 'boolean', 'email'];
	const fields: string[] = [];
	for (const type of types) {
		fields.push((await send('POST', `/cards/${id}/fields`, { name: type, type })).id);
	}
	return { id, fields };
}

async function createFor(card: Awaited<ReturnType<typeof newCard>>, seconds: number) {
	const [text = '', number = '', date = '', flag = '', email = ''] = card.fields;
	const until = performance.now() + seconds * 1000;
	const started = performance.now();
	let created = 0;
	const lane = async () => {
		while (performance.now() < until) {
			const n = created++;
			await send('POST', `/cards/${card.id}/records`, {
				data: {
					[text]: `Record ${n}`,
					[number]: n,
					[date]: '2024-02-29',
					[flag]: n % 2 === 0,
					[email]: `person${n}@example.com`,
				},
			});
		}
	};
	await Promise.all(Array.from({ length: connections }, lane));
	return { created, perSecond: created / ((performance.now() - started) / 1000) };
}

async function listAll(cardId: string) {
	const started = performance.now();
	let records = 0;
	let cursor: string | null = '';
	while (cursor !== null) {
		const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
		const page = await send('GET', `/cards/${cardId}/records?limit=${pageSize}${after}`);
		records += page.records.length;
		cursor = page.next_cursor;
	}
	return { records, seconds: (performance.now() - started) / 1000 };
}

const mebibytes = (bytes: number) => bytes / 1024 / 1024;
const rows: Array<[what: string, measured: string, target: string, met: boolean]> = [];

try {
	const card = await newCard('Creates');
	await createFor(card, 2); // Warm up: compile, fill caches.
	const creates = await createFor(card, secondsOfCreates);
	const big = await newCard('Listed');
	await control.fillCard({ cardId: big.id, count: listed });
	const listing = await listAll(big.id);
	if (listing.records !== listed) throw new Error(`Listed ${listing.records} of ${listed}.`);
	await createFor(card, secondsOfCreates);
	// By now caches and heap have their size. The same again: what grows with the number of requests shows.
	const before = (await control.memory()).rss;
	await createFor(card, secondsOfCreates);
	await listAll(big.id);
	const growth = mebibytes((await control.memory()).rss - before);

	rows.push(
		[
			`record creates per second, ${connections} connections`,
			creates.perSecond.toFixed(0),
			`≥ ${targets.createsPerSecond}`,
			creates.perSecond >= targets.createsPerSecond,
		],
		[
			`seconds to list ${listed} records in pages of ${pageSize}`,
			listing.seconds.toFixed(1),
			`≤ ${targets.listSeconds}`,
			listing.seconds <= targets.listSeconds,
		],
		[
			'growth of the resident memory meanwhile, MiB',
			growth.toFixed(0),
			`≤ ${targets.memoryGrowthMiB}`,
			growth <= targets.memoryGrowthMiB,
		],
	);
} finally {
	await pool.close();
	const ended = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	await ended;
	rmSync(folder, { recursive: true });
}

for (const [what, measured, target, met] of rows) {
	process.stdout.write(`${met ? 'met   ' : 'MISSED'}  ${what}: ${measured} (${target})\n`);
}
process.exitCode = rows.every(([, , , met]) => met) ? 0 : 1;

/**
 * How fast the reference service is over loopback: `node tools/node24.mjs bench/service.ts`.
 * Prints figures and what they are measured against; exits 1 where a target is missed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOnSignals } from '../host/cleanup.ts';
import { startService } from '../host/serviceProcess.ts';
import { connectControl } from '../service/index.ts';
import { undiciClient } from './clients.ts';

const connections = 32;
const secondsOfCreates = 10;
const listed = 100_000;
const pageSize = 100;
const targets = { createsPerSecond: 2_000, listSeconds: 10, memoryGrowthMiB: 64 };

stopOnSignals(() => 130);
const folder = await mkdtemp(join(tmpdir(), 'workspace-data-bench-'));
const service = await startService({ control: true, file: join(folder, 'service.sqlite') });
const control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
await control.setRate({ rate: { limit: 1_000_000_000 } });
const client = undiciClient(service, connections);

const newCard = async (name: string) =>
	await client.createCard(
		name,
		['text', 'number', 'date', 'boolean', 'email'].map((type) => ({ name: type, type })),
	);

async function createFor(card: Awaited<ReturnType<typeof newCard>>, seconds: number) {
	const [text = '', number = '', date = '', flag = '', email = ''] = card.fieldIds;
	const until = performance.now() + seconds * 1000;
	const started = performance.now();
	let created = 0;
	const lane = async () => {
		while (performance.now() < until) {
			const n = created++;
			await client.send('POST', `/cards/${card.id}/records`, {
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
	const records = (await client.list(cardId, pageSize)).length;
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
	await client.close();
	await service.stop();
	await rm(folder, { recursive: true });
}

for (const [what, measured, target, met] of rows) {
	process.stdout.write(`${met ? 'met   ' : 'MISSED'}  ${what}: ${measured} (${target})\n`);
}
process.exitCode = rows.every(([, , , met]) => met) ? 0 : 1;

/**
 * How fast the reference service is over loopback: `npm run bench:service`.
 * Prints figures and what they are measured against; exits 1 where a target is missed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOnSignals } from '../host/cleanup.ts';
import { startService } from '../host/serviceProcess.ts';
import { connectControl } from '../../service/index.ts';
import { tryAttacks, writeAttacks } from './attacks.ts';
import { measureBesideBare } from './besideBare.ts';
import { undiciClient } from './clients.ts';
import { measureNeighbours, type Row } from './neighbours.ts';

const connections = 32;
const secondsOfCreates = 10;
const listed = 100_000;
const pageSize = 100;
const targets = { createsPerSecond: 2_000, listSeconds: 10, memoryGrowthMiB: 64 };
/** At a million records, against a thousand; and with many deliveries that wait. */
const small = 1_000;
const large = 1_000_000;
const waiting = 100_000;
const atScale = { factor: 2, startSeconds: 2, memoryMiB: 300 };

stopOnSignals(() => 130);
/**
 * Only some parts: `-- --large` (a million records), `-- --neighbours`, `-- --bare`, `-- --throughput`, `-- --attacks`
 * (which also writes its table into docs/reliability.md).
 */
const asked = process.argv.filter((argument) => argument.startsWith('--'));
const isWanted = (part: string) => asked.length === 0 || asked.includes(`--${part}`);
const folder = await mkdtemp(join(tmpdir(), 'workspace-data-bench-'));
const file = join(folder, 'service.sqlite');
const manyRequests = { limit: 1_000_000_000 };
/** One client does what many do otherwise. */
const unbounded = { control: true, bytesPerSecond: 1024 ** 4 };
let service = await startService({ ...unbounded, file });
let control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
await control.setRate({ rate: manyRequests });
let client = undiciClient(service, connections);

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

type Card = Awaited<ReturnType<typeof newCard>>;

/** Median times of a create, of the last page and of an update, in ms, one after the other. */
async function timesOf(card: Card) {
	const records = `/cards/${card.id}/records`;
	const median = async (times: number, work: (n: number) => Promise<unknown>) => {
		const taken: number[] = [];
		for (let n = 0; n < times; n++) {
			const started = performance.now();
			await work(n);
			taken.push(performance.now() - started);
		}
		return taken.sort((one, other) => one - other)[times >> 1] ?? 0;
	};
	const data = (n: number) => ({ data: { [card.fieldIds[0] ?? '']: `Measured ${n}` } });
	const made: string[] = [];
	const create = async (n: number) => {
		const { id } = (await client.send('POST', records, data(n))) as { id: string };
		made.push(id);
	};
	await median(300, create); // Warm up.
	const { cursor } = await lastPage(card);
	return {
		create: await median(500, create),
		page: await median(
			200,
			async () => await client.send('GET', `${records}?limit=100&cursor=${cursor}`),
		),
		update: await median(
			500,
			async (n) => await client.send('PATCH', `${records}/${made[n % made.length]}`, data(n + 7)),
		),
	};
}

/** The cursor of the last page of a card: its first 100 records from the end are walked to. */
async function lastPage(card: Card) {
	let cursor = '';
	for (;;) {
		const query = cursor === '' ? '' : `&cursor=${cursor}`;
		const page = (await client.send('GET', `/cards/${card.id}/records?limit=500${query}`)) as {
			next_cursor: string | null;
		};
		if (page.next_cursor === null) return { cursor };
		cursor = page.next_cursor;
	}
}

/** Starts the service again with its file. @returns seconds until it said its addresses */
async function restart() {
	const { apiKey, clientId, clientSecret, workspaceId } = service;
	await client.close();
	await service.stop();
	const started = performance.now();
	service = await startService({
		...unbounded,
		file,
		access: { apiKey, clientId, clientSecret, workspaceId },
	});
	const seconds = (performance.now() - started) / 1000;
	control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
	await control.setRate({ rate: manyRequests });
	client = undiciClient(service, connections);
	return seconds;
}

/** The same work at a thousand and at a million records, and with many deliveries that wait. */
async function measureAtScale() {
	const card = await newCard('Scale');
	await control.fillCard({ cardId: card.id, count: small });
	const before = await timesOf(card);
	for (let count = 0; count < large; count += 50_000) {
		await control.fillCard({ cardId: card.id, count: 50_000 });
	}
	await addRows('a million records', card, before, await restart());
	// A target that never answers: what is published for it waits.
	const hanging = createServer(() => {});
	await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
	const { port } = hanging.address() as AddressInfo;
	const subscriptions = 100;
	const other = await newCard('Published');
	for (let n = 0; n < subscriptions; n++) {
		await client.send('POST', '/webhooks', {
			target_url: `http://127.0.0.1:${port}/${n}`,
			events: ['record.created'],
			card_id: other.id,
		});
	}
	for (let n = 0; n < waiting / subscriptions; n++) {
		await client.send('POST', `/cards/${other.id}/records`, { data: {} });
	}
	await addRows(`the same, and ${waiting} deliveries that wait`, card, before, await restart());
	hanging.closeAllConnections();
	await new Promise((resolve) => hanging.close(resolve));
}

async function addRows(
	where: string,
	card: Card,
	before: Awaited<ReturnType<typeof timesOf>>,
	startSeconds: number,
) {
	const after = await timesOf(card);
	for (const what of ['create', 'page', 'update'] as const) {
		const factor = after[what] / before[what];
		rows.push([
			`${where}: ${what}, ms (at ${small}: ${before[what].toFixed(2)})`,
			after[what].toFixed(2),
			`≤ ${atScale.factor} ×, is ${factor.toFixed(2)} ×`,
			factor <= atScale.factor,
		]);
	}
	const used = mebibytes((await control.memory()).rss);
	rows.push(
		[
			`${where}: start, s`,
			startSeconds.toFixed(2),
			`≤ ${atScale.startSeconds}`,
			startSeconds <= atScale.startSeconds,
		],
		[`${where}: memory, MiB`, used.toFixed(0), `≤ ${atScale.memoryMiB}`, used <= atScale.memoryMiB],
	);
}

const mebibytes = (bytes: number) => bytes / 1024 / 1024;
const rows: Row[] = [];

/** Throughput and leaks, at a hundred thousand records. */
async function measureThroughput() {
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
}

/** A quiet tenant next to noisy ones, on a separate service with its usual bounds but for the number of requests. */
async function measureQuietTenant(): Promise<Row[]> {
	const shared = await startService({ control: true, file: join(folder, 'shared.sqlite') });
	await connectControl(shared.controlUrl ?? '', shared.controlToken ?? '').setRate({
		rate: manyRequests,
	});
	return await measureNeighbours(shared).finally(async () => await shared.stop());
}

/** All attacks, on a separate service. */
async function measureAttacks(): Promise<Row[]> {
	const attacked = await startService({ control: true });
	const results = await tryAttacks(attacked).finally(async () => await attacked.stop());
	if (asked.includes('--attacks')) await writeAttacks(results);
	return results.map(({ what, times, holds, answers, broken }) => [
		`${times} × ${what}`,
		JSON.stringify(answers),
		holds,
		broken === 0,
	]);
}

try {
	if (isWanted('bare')) rows.push(...(await measureBesideBare(folder)));
	if (isWanted('neighbours')) rows.push(...(await measureQuietTenant()));
	if (isWanted('attacks')) rows.push(...(await measureAttacks()));
	if (isWanted('throughput')) await measureThroughput();
	if (isWanted('large')) await measureAtScale();
} finally {
	await client.close();
	await service.stop();
	await rm(folder, { recursive: true });
}

for (const [what, measured, target, met] of rows) {
	process.stdout.write(`${met ? 'met   ' : 'MISSED'}  ${what}: ${measured} (${target})\n`);
}
process.exitCode = rows.every(([, , , met]) => met) ? 0 : 1;

/**
 * `npm run soak -- [--minutes 30] [--seed number]`: mixed work with 5 % faults in a real n8n 2, on demand.
 * Ends with 0 only if what the executions say and what the service has agree, every delivered event ran
 * exactly once, and n8n's memory stays flat.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runProgram, stopAtExit } from '../host/cleanup.ts';
import { until } from '../host/deadline.ts';
import { buildPackage, packPackage } from '../host/packageInstall.ts';
import { Problem } from '../host/problem.ts';
import { openWorkbench } from '../host/workbench.ts';
import type { RemoteControl } from '../../service/control/controlClient.ts';
import { createFaults } from './soak/faults.ts';
import { createLedger } from './soak/ledger.ts';
import { watchMemory } from './soak/memory.ts';
import { createRounds } from './soak/rounds.ts';
import { watchEvents } from './soak/events.ts';

const usage = 'npm run soak -- [--minutes <1 to 600>] [--seed <number>]';
const say = (line: string) => process.stdout.write(`${line}\n`);

function readOptions() {
	const { values } = parseArgs({
		options: {
			minutes: { type: 'string', default: '30' },
			seed: { type: 'string', default: '1' },
		},
	});
	const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
	if (!(minutes >= 1 && minutes <= 600) || !Number.isInteger(seed)) throw new Problem(usage);
	return { minutes, seed };
}

/** Waits until all deliveries are done; gives up when two minutes bring no progress. */
async function drained(control: RemoteControl): Promise<void> {
	for (let before = Infinity; ; ) {
		const all = await control.subscriptions();
		const pending = all.reduce((sum, one) => sum + one.pending, 0);
		if (pending === 0) return;
		const states = all.map(({ state }) => state).join(', ');
		say(`${pending} deliveries wait (${states})`);
		if (pending >= before) return;
		before = pending;
		await until(
			'fewer deliveries to wait',
			async () => {
				const left = (await control.subscriptions()).reduce((sum, one) => sum + one.pending, 0);
				return left === 0 || left <= pending / 2 ? true : undefined;
			},
			120_000,
			1_000,
		).catch(() => undefined);
	}
}

async function main(): Promise<number> {
	const { minutes, seed } = readOptions();
	say('Building and packing the package …');
	await buildPackage();
	const userFolder = await mkdtemp(join(tmpdir(), 'workspace-data-soak-'));
	stopAtExit(async () => await rm(userFolder, { recursive: true, force: true }));
	const bench = await openWorkbench({
		major: 2,
		userFolder,
		tarball: await packPackage(),
		service: { control: true, backoff: 1_000 },
		tell: say,
	});
	const { api, client, control, host } = bench;
	await control.setRate({ rate: { limit: 1_000_000_000 } });
	const card = await api.createCard('Soak', [
		['Key', 'text'],
		['Number', 'number'],
		['Touched', 'text'],
	]);

	const ledger = createLedger();
	const rounds = await createRounds(bench, card, ledger);
	const faults = createFaults(control, seed);
	const watched = watchEvents(control);
	const memory = watchMemory(() => host.processId);
	const end = Date.now() + minutes * 60_000;
	let told = Date.now();
	while (Date.now() < end) {
		await faults.sow(rounds.requestsEach);
		await rounds.run();
		if (Date.now() - told < 60_000) continue;
		told = Date.now();
		await watched.note();
		say(`${rounds.count} rounds, ${ledger.summary()}, n8n has ${memory.now()} MiB`);
	}
	memory.stop();
	await control.clearFailures();
	await control.setLatency({ ms: 0 });

	await watched.note();
	await drained(control);
	const waiting = (await control.subscriptions()).reduce((sum, one) => sum + one.pending, 0);
	const events = await until(
		'an execution for every event',
		async () => {
			const counted = await watched.count(userFolder, rounds.watcher.id);
			return counted.missing === 0 ? counted : undefined;
		},
		60_000,
		1_000,
	).catch(async () => await watched.count(userFolder, rounds.watcher.id));
	const differences = ledger.compare(await api.records(card));
	const trend = memory.trend();
	await client.unpublish(rounds.watcher.id);

	const asked = (await control.subscriptions()).length;
	say('');
	say(`${minutes} minutes, seed ${seed}, n8n 2, ${rounds.count} rounds`);
	say(`faults: ${faults.summary()}`);
	say(`work: ${ledger.summary()}`);
	say(`records: ${differences.length} differences ${differences.slice(0, 10).join('; ')}`);
	say(
		`events: ${events.delivered} delivered, ${events.missing} missing, ${events.repeated} repeated, ${events.unknown} unknown, ${waiting} not delivered`,
	);
	say(`subscriptions left after unpublishing: ${asked}`);
	say(
		`memory of n8n: ${trend.early} MiB in the second quarter, ${trend.late} MiB in the last, ${trend.peak} MiB at most`,
	);
	const isSound =
		differences.length === 0 &&
		events.delivered > 0 &&
		events.missing + events.repeated + events.unknown + waiting + asked === 0 &&
		trend.isFlat;
	say(isSound ? 'Sound.' : 'NOT sound.');
	await bench.close();
	return isSound ? 0 : 1;
}

await runProgram(main);

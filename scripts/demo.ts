/**
 * `npm run demo`: 250 countries through a real n8n, without a person. Ends with 0 only if every value
 * comes back as it went in and every change arrives as an event.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { differences } from './compare.ts';
import { columns, readCountries, rowOf } from './countries.ts';
import {
	changeRecords,
	changes,
	importCountries,
	readRecords,
	watchRecords,
} from './countryWorkflows.ts';
import { stopAtExit, stopEverything, stopOnSignals } from '../test/host/cleanup.ts';
import { until } from '../test/host/deadline.ts';
import {
	failureOf,
	type JsonObject,
	outputOf,
	type SavedWorkflow,
} from '../test/host/n8nClient.ts';
import { buildPackage, packPackage } from '../test/host/packageInstall.ts';
import { explain, Problem } from '../test/host/problem.ts';
import { createReport } from './report.ts';
import { openWorkbench, type Workbench } from '../test/host/workbench.ts';

const report = createReport((text) => process.stdout.write(text));
const folder = await mkdtemp(join(tmpdir(), 'workspace-data-demo-'));
// Stopped last, as it was started first.
stopAtExit(async () => await rm(folder, { recursive: true, force: true }));

/**
 * Events are given up when none arrives for so long: the service's four attempts take 70 s. All of them
 * may take minutes on a busy machine.
 */
const quietSeconds = 120;

function count(what: string, expected: number, found: number): void {
	if (expected !== found)
		report.mismatch(`${what}: there should be ${expected} but there are ${found}`);
}

/** The values of a record, which stand next to what an item says about it. */
const fieldsOf = (json: JsonObject): JsonObject =>
	Object.fromEntries(
		columns.filter(({ name }) => name in json).map(({ name }) => [name, json[name]]),
	);

/** The items of the trigger, one for each execution of the watching workflow so far that is over. */
async function eventsSoFar(
	{ client }: Workbench,
	watcher: SavedWorkflow,
	seen: Map<string, JsonObject>,
) {
	const list = await client.executions(watcher.id);
	const fresh = list.filter(
		({ id, status }) => !seen.has(id) && status !== 'running' && status !== 'new',
	);
	for (const { id, status } of fresh) {
		const execution = await client.execution(id);
		const items = outputOf(execution, 'Seen');
		if (status !== 'success')
			report.mismatch(`event execution ${id} ended with ${status}: ${failureOf(execution)}`);
		if (items.length !== 1)
			report.mismatch(`event execution ${id} has ${items.length} items instead of one`);
		seen.set(id, items[0]?.json ?? {});
	}
	return seen;
}

/** Waits for events of a kind and compares their records; an event too many counts as well. */
async function checkEvents(
	bench: Workbench,
	watcher: SavedWorkflow,
	seen: Map<string, JsonObject>,
	event: string,
	expected: ReadonlyMap<string, JsonObject>,
	compare: (what: string, expected: JsonObject, fields: JsonObject, id: string) => string[],
): Promise<string> {
	const ofKind = () => [...seen.values()].filter((one) => one.event === event);
	let last = { size: seen.size, time: Date.now() };
	await until(
		`${expected.size} events ${event}`,
		async () => {
			await eventsSoFar(bench, watcher, seen);
			if (seen.size > last.size) last = { size: seen.size, time: Date.now() };
			if (Date.now() - last.time > quietSeconds * 1000) {
				throw new Problem(`no event arrived for ${quietSeconds} s while waiting for ${event}`);
			}
			return ofKind().length >= expected.size ? true : undefined;
		},
		1_200_000,
		500,
	).catch((error: unknown) => report.mismatch(explain(error).split('\n')[0] ?? event));
	const events = ofKind();
	count(`events ${event}`, expected.size, events.length);
	for (const id of expected.keys()) {
		const mine = events.filter((one) => one.record_id === id);
		if (mine.length !== 1)
			report.mismatch(`${event} of record ${id} was seen ${mine.length} times`);
	}
	for (const one of events) {
		const record = expected.get(String(one.record_id));
		const what = `${event} of ${String(one.record_id)}`;
		if (record === undefined) report.mismatch(`${what} was not asked for`);
		else compare(what, record, fieldsOf(one), String(one.record_id)).forEach(report.mismatch);
	}
	return `${events.length} events, each accepted by its signature`;
}

/** Sends an event that somebody else signed: it must be refused and start nothing. */
async function forge(
	{ client, host, service }: Workbench,
	watcher: SavedWorkflow,
	card: string,
): Promise<string> {
	const types = await client.nodeTypes();
	const node = watcher.nodes[0];
	const path = types.find((type) => type.name === node?.type)?.webhooks?.[0]?.path;
	const address = `${host.baseUrl}/webhook/${node?.webhookId}/${String(path)}`;
	const body = JSON.stringify({
		event: 'record.created',
		timestamp: new Date().toISOString(),
		workspace_id: service.workspaceId,
		card_id: card,
		record_id: 'forged',
		data: {},
	});
	const signatures = [undefined, '', createHash('sha256').update(body).digest('hex')];
	let refused = 0;
	for (const signature of signatures) {
		const response = await fetch(address, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				connection: 'close',
				...(signature === undefined ? {} : { 'x-service-signature': signature }),
			},
			body,
		});
		await response.arrayBuffer();
		if (response.status === 401) refused++;
		else report.mismatch(`a forged delivery was answered ${response.status} instead of 401`);
	}
	return `${refused} of ${signatures.length} refused`;
}

async function main(): Promise<number> {
	const start = performance.now();
	const countries = await readCountries();

	const tarball = await report.step('Build and pack', async () => {
		await buildPackage();
		return [await packPackage(), 'npm run build, npm pack'];
	});
	const bench = await report.step('Start n8n and the service', async () => {
		const opened = await openWorkbench({
			major: 2,
			userFolder: join(folder, 'n8n'),
			tarball,
			service: { file: join(folder, 'service.sqlite') },
			tell: (line) => report.say(`  ${line}`),
		});
		return [opened, `n8n at ${opened.host.baseUrl}, service at ${opened.service.baseUrl}`];
	});
	const { client } = bench;

	await report.step('Test the credentials', async () => {
		for (const { id, name, type } of await client.credentials()) {
			const stored = (await client.request(
				'GET',
				`/rest/credentials/${id}?includeData=true`,
			)) as JsonObject;
			const { status, message } = await client.testCredential(type, stored.data as JsonObject, id);
			if (status !== 'OK') report.mismatch(`Test of '${name}': ${message}`);
		}
		return [undefined, 'the API key and the service account reach the workspace'];
	});

	const card = await report.step('Create the card', async () => {
		const importing = importCountries(bench, countries, false);
		const execution = await bench.succeed(importing);
		const [made] = outputOf(execution, 'Card from the countries');
		const { id, fields } = (made?.json ?? {}) as { id?: string; fields?: JsonObject[] };
		if (typeof id !== 'string') throw new Error('The card that was created has no id');
		const types = new Map(fields?.map(({ name, type }) => [name, type]));
		count('fields', columns.length, types.size);
		for (const { name, type } of columns) {
			if (types.get(name) === type) continue;
			report.mismatch(`field '${name}' should be ${type} but is ${String(types.get(name))}`);
		}
		return [id, `${types.size} fields, typed from the values (API key)`];
	});

	const watcher = await report.step('Publish the trigger', async () => {
		const saved = await client.createWorkflow(watchRecords(bench));
		await client.publish(saved);
		return [saved, 'subscribed to the card'];
	});

	await report.step('Write records', async () => {
		const importing = importCountries(bench, countries, true);
		const execution = await bench.succeed(importing);
		const written = outputOf(execution, 'Card from the countries').length;
		count('records written', countries.length, written);
		return [undefined, `${written} records (API key)`];
	});

	const reading = await client.createWorkflow(readRecords(bench));
	const records = await report.step('Read records back', async () => {
		const items = outputOf(await bench.succeedAgain(reading), 'Read records');
		count('records read', countries.length, items.length);
		const byCode = new Map(items.map(({ json }) => [json.Code, fieldsOf(json)]));
		let values = 0;
		for (const [index, country] of countries.entries()) {
			const expected = rowOf(country, index);
			values += Object.keys(expected).length;
			const found = byCode.get(country.cca3);
			differences(country.name.common, expected, found).forEach(report.mismatch);
		}
		const byId = new Map(items.map(({ json }) => [String(json.id), fieldsOf(json)]));
		return [byId, `${items.length} records, ${values} values compared (service account)`];
	});

	const seen = new Map<string, JsonObject>();
	await report.step('Events of the writing', async () => [
		undefined,
		await checkEvents(bench, watcher, seen, 'record.created', records, differences),
	]);
	await report.step('Forged events', async () => [undefined, await forge(bench, watcher, card)]);

	const inRegion = (region: string) =>
		new Map([...records].filter(([, fields]) => fields.Region === region));
	const updated = new Map(
		[...inRegion(changes.updatedRegion)].map(([id, fields]) => [
			id,
			{ ...fields, ...changes.values },
		]),
	);
	const deleted = inRegion(changes.deletedRegion);
	await report.step('Update and delete', async () => {
		const execution = await bench.succeed(changeRecords(bench));
		count('records updated', updated.size, outputOf(execution, 'Update records').length);
		count('records deleted', deleted.size, outputOf(execution, 'Delete records').length);
		return [undefined, `${updated.size} updated, ${deleted.size} deleted (service account)`];
	});
	await report.step('Read again', async () => {
		const items = outputOf(await bench.succeedAgain(reading), 'Read records');
		const expected = new Map([...records, ...updated].filter(([id]) => !deleted.has(id)));
		count('records after the changes', expected.size, items.length);
		for (const { json } of items) {
			const id = String(json.id);
			differences(id, expected.get(id) ?? {}, fieldsOf(json)).forEach(report.mismatch);
		}
		return [undefined, `${items.length} records compared`];
	});
	await report.step('Events of the changes', async () => {
		// The interface does not say whether an update's event has all fields or the changed ones.
		const changedOnly = (what: string, record: JsonObject, fields: JsonObject, id: string) => {
			const before = records.get(id) ?? {};
			const changed = Object.keys(record).filter((name) => before[name] !== record[name]);
			const names = new Set([...Object.keys(fields), ...changed]);
			const subset = Object.fromEntries([...names].map((name) => [name, record[name] ?? null]));
			return differences(what, subset, fields);
		};
		const lines = [
			await checkEvents(bench, watcher, seen, 'record.updated', updated, changedOnly),
			await checkEvents(bench, watcher, seen, 'record.deleted', deleted, () => []),
		];
		count('events in all', records.size + updated.size + deleted.size, seen.size);
		return [undefined, lines.join('; ')];
	});
	await report.step('Unpublish the trigger', async () => {
		await client.unpublish(watcher.id);
		return [undefined, 'unsubscribed'];
	});

	report.summary();
	const seconds = ((performance.now() - start) / 1000).toFixed(0);
	const verdict = report.mismatches.length === 0 ? 'Everything matches' : 'NOT everything matches';
	report.say(`${verdict}: ${countries.length} countries, ${seen.size} events, ${seconds} s.`);
	return report.mismatches.length === 0 ? 0 : 1;
}

let interrupted = false;
stopOnSignals(() => {
	interrupted = true;
	report.say('\nStopping n8n and the service …');
	return 130;
});
let code = 1;
try {
	code = await main();
} catch (error) {
	// A failure because n8n was stopped is no news.
	if (!interrupted) report.say(`\n${explain(error)}`);
} finally {
	await stopEverything();
}
process.exit(code);

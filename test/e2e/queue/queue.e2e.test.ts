import { setTimeout } from 'node:timers/promises';

import { until } from '../../host/deadline.ts';
import type { JsonObject, SavedWorkflow } from '../../host/n8nClient.ts';
import { chain } from '../../host/workflowBuilder.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { subscriptionsOf, watching } from '../support/watch.ts';
import { openQueueMode, WORKER_CONCURRENCY, type QueueMode } from './queueMode.ts';

/** The service delivers to one subscription in order, so several workflows share the load. */
const WORKFLOWS = 5;
/** `QUEUE_RECORDS=5000` is what test/README.md tells of. */
const RECORDS = Number(process.env.QUEUE_RECORDS ?? 400);
const RECORDS_EACH = RECORDS / WORKFLOWS;

let mode: QueueMode;

beforeAll(async () => {
	mode = await openQueueMode();
}, 900_000);
afterAll(async () => {
	await mode?.close();
}, 300_000);

/** A test leaves no published workflow behind: when n8n starts again, each asks for a subscription. */
const published: SavedWorkflow[] = [];
async function publish(workflow: SavedWorkflow): Promise<void> {
	await mode.client.publish(workflow);
	published.push(workflow);
}
afterEach(async () => {
	for (const { id } of published.splice(0)) await mode.client.unpublish(id);
	await mode.control.reset();
});

/** Our trigger, named after its card. */
const triggerOf = ({ id, name }: TestCard, options: JsonObject) =>
	watching(mode, id, { name, options });

/** A card, and a published workflow that runs with each record created in it. */
async function publishWorkflow(
	name: string,
	options: JsonObject = {},
): Promise<{ card: TestCard; workflow: SavedWorkflow }> {
	const card = await mode.api.createCard(name, [['Number', 'number']]);
	const workflow = await mode.client.createWorkflow(chain(name, [triggerOf(card, options)]));
	await publish(workflow);
	return { card, workflow };
}

/** The disasters on the way: the share of executions that have succeeded by then, and what happens. */
const disasters: Array<[share: number, strike: () => Promise<void>]> = [
	[
		0.2,
		async () => {
			await mode.workers[0]?.kill();
			await mode.workers[0]?.start();
		},
	],
	[0.4, async () => await mode.restartWebhook(0)],
	[
		0.7,
		async () => {
			await mode.redis.stop();
			await mode.redis.start();
		},
	],
];

/** The service pauses a subscription after four failures; its owner resumes it. @returns how many */
async function resumePaused(): Promise<number> {
	const paused = (await mode.control.subscriptions()).filter(({ state }) => state === 'paused');
	for (const { id } of paused) await mode.control.resumeSubscription({ id });
	return paused.length;
}

/** The record that an execution ran with, in SQL. */
const RECORD_ID = `substring(data FROM '"(01[0-9A-HJKMNP-TV-Z]{24})"')`;

/** Executions that n8n shows as succeeded, by the record that they ran with. */
const runs = new Map<string, number>();

/** Brings `runs` up to date from n8n's own database. @returns how many executions succeeded */
async function succeeded(): Promise<number> {
	const rows = await mode.database.query(
		`SELECT ${RECORD_ID}, count(*)
		 FROM execution_data JOIN execution_entity ON id = "executionId"
		 WHERE status = 'success' GROUP BY 1`,
	);
	runs.clear();
	for (const row of rows) {
		const [id = '', count] = row.split('|');
		runs.set(id, Number(count));
	}
	return [...runs.values()].reduce((sum, count) => sum + count, 0);
}

/** Executions that n8n gave up, as the worker that had them in hand was killed: shown as failed. */
async function givenUp(): Promise<number> {
	const [count] = await mode.database.query(
		"SELECT count(*) FROM execution_entity WHERE status IN ('error', 'crashed')",
	);
	return Number(count);
}

/**
 * Records of executions that n8n shows as waiting or running although their jobs are gone: given up as well, but
 * the process that would have noted it was killed, too.
 */
async function forgotten(): Promise<string[]> {
	if (!(await mode.redis.hasNoJobs())) return [];
	return await mode.database.query(
		`SELECT ${RECORD_ID}
		 FROM execution_data JOIN execution_entity ON id = "executionId"
		 WHERE status IN ('new', 'running') AND "createdAt" < now() - interval '30 seconds'`,
	);
}

test(`${RECORDS} deliveries through queue mode: a worker, a webhook processor and Redis fail, no event is lost`, async () => {
	// A delivery that is tried again may get to the other processor, which runs it once more.
	await mode.control.setDeliveryTimeout({ ms: 60_000 });
	const watches = [];
	for (let n = 1; n <= WORKFLOWS; n += 1) watches.push(await publishWorkflow(`Queue ${n}`));

	const started = Date.now();
	const ids = await Promise.all(
		watches.map(async ({ card }) => {
			const made: string[] = [];
			for (let n = 0; n < RECORDS_EACH; n += 1) {
				made.push(await mode.api.createRecord(card, { Number: n }));
			}
			return made;
		}),
	).then((lists) => lists.flat());

	const ahead = [...disasters];
	const struck: Array<Promise<void>> = [];
	let resumed = 0;
	let lost = 0;
	await until(
		'an execution for every record, succeeded or given up',
		async () => {
			const done = await succeeded();
			const [share = 1, strike] = ahead[0] ?? [];
			if (strike && done >= share * RECORDS) {
				struck.push(strike());
				ahead.shift();
			}
			resumed += await resumePaused();
			const waiting = new Set(await forgotten());
			const missing = ids.filter((id) => !runs.has(id));
			const others = missing.filter((id) => !waiting.has(id)).length;
			const failed = await givenUp();
			lost = failed + missing.length - others;
			return (done > 0 && others <= failed) || undefined;
		},
		2_000_000,
		1_000,
	);
	await Promise.all(struck);
	const seconds = Math.round((Date.now() - started) / 1000);
	const repeated = ids.filter((id) => (runs.get(id) ?? 0) > 1);
	process.stdout.write(
		`queue mode: ${RECORDS} deliveries in ${seconds} s; ${lost} given up with a killed worker; ${repeated.length} ran more than once; ${resumed} times a paused subscription was resumed\n`,
	);
	expect(ahead).toEqual([]);
	// Every delivery that was answered 200 is visible in n8n; n8n does not run the executions of a killed worker.
	expect(lost).toBeLessThanOrEqual(WORKER_CONCURRENCY);
	// n8n runs again what a killed process had in hand; nothing else runs twice.
	expect(repeated.length).toBeLessThanOrEqual(4 * WORKER_CONCURRENCY);
}, 2_700_000);

/** Waits as `until` does, while time passes quickly for the main process, so that it looks after the subscriptions. */
const asTimePasses = async <Answer>(
	what: string,
	ask: () => Promise<Answer | undefined>,
): Promise<Answer> =>
	await until(
		what,
		async () => {
			const answer = await ask();
			if (answer === undefined) mode.pass(5);
			return answer;
		},
		120_000,
		3_000,
	);

/** The subscription that replaced another one. */
const successorOf = async (card: TestCard, old: readonly string[]) =>
	await asTimePasses('the subscription to be renewed', async () =>
		(await subscriptionsOf(mode, card)).find(({ id }) => !old.includes(id)),
	);

/** Waits until n8n has run each of these records, and everything that it acknowledged. */
async function expectAllRun(cards: readonly TestCard[], ids: readonly string[]): Promise<void> {
	await until('an execution for every record', async () => {
		await succeeded();
		return ids.every((id) => runs.has(id)) ? true : undefined;
	});
	const acknowledged = (await mode.control.deliveries())
		.filter(({ attempts }) => attempts.some(({ status }) => status === 200))
		.map(({ body }) => JSON.parse(body) as { card_id: string; record_id: string })
		.filter(({ card_id }) => cards.some(({ id }) => id === card_id));
	expect(acknowledged.length).toBeGreaterThan(0);
	for (const { record_id } of acknowledged) expect(runs.has(record_id)).toBe(true);
}

/** The saved data of a workflow's triggers, as n8n keeps it. */
async function savedText(workflow: SavedWorkflow): Promise<string> {
	const [text = ''] = await mode.database.query(
		`SELECT "staticData" FROM workflow_entity WHERE id = '${workflow.id}'`,
	);
	return text;
}

const createRecords = async (card: TestCard, count: number): Promise<string[]> => {
	const ids: string[] = [];
	for (let n = 0; n < count; n += 1) ids.push(await mode.api.createRecord(card, { Number: n }));
	return ids;
};

test('over restarts of the main process, two webhook processors run every event once', async () => {
	const { client, control, main } = mode;
	const { card, workflow } = await publishWorkflow('Restarted');
	const ids = await createRecords(card, 2);
	// The second start is refused, so that the trigger subscribes later.
	for (const refusals of [0, 1]) {
		const old = (await subscriptionsOf(mode, card)).map(({ id }) => id);
		// Less than two minutes after a creation, a start makes no other one.
		mode.pass(3);
		await main.kill();
		ids.push(...(await createRecords(card, 3)));
		const refusal = { method: 'POST', path: '/webhooks$', status: 503 };
		if (refusals > 0) await control.fail({ ...refusal, times: refusals });
		await main.start();
		await client.signIn();
		ids.push(...(await createRecords(card, 3)));
		const { id } = await successorOf(card, old);
		await until('its secret to be saved', async () =>
			(await savedText(workflow)).includes(id) ? true : undefined,
		);
		// In the two seconds of its creation, both subscriptions may deliver an event to different processes.
		await setTimeout(2_500);
		ids.push(...(await createRecords(card, 4)));
		await expectAllRun([card], ids);
	}
	expect(ids.map((id) => runs.get(id))).toEqual(ids.map(() => 1));
});

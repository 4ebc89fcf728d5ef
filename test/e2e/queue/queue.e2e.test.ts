import { until } from '../../../demo/host/deadline.ts';
import type { SavedWorkflow } from '../../../demo/host/n8nClient.ts';
import { byId, chain } from '../../../demo/host/workflowBuilder.ts';
import type { TestCard } from '../support/serviceApi.ts';
import { startCollector, type Collector } from './collector.ts';
import { openQueueMode, WORKER_CONCURRENCY, type QueueMode } from './queueMode.ts';

/** The service delivers to one subscription in order, so several workflows share the load. */
const WORKFLOWS = 5;
const RECORDS_EACH = 1_000;
const RECORDS = WORKFLOWS * RECORDS_EACH;

let mode: QueueMode;
let collector: Collector;

beforeAll(async () => {
	collector = await startCollector();
	mode = await openQueueMode();
}, 300_000);
afterAll(async () => {
	await mode?.close();
	await collector?.close();
}, 120_000);

/** A card, and a published workflow that reports each record created in it. */
async function publishWorkflow(name: string): Promise<{ card: TestCard; workflow: SavedWorkflow }> {
	const card = await mode.api.createCard(name, [['Number', 'number']]);
	const workflow = await mode.client.createWorkflow(
		chain(name, [
			{
				name: 'Trigger',
				type: 'n8n-nodes-workspace-data.workspaceDataTrigger',
				webhookId: crypto.randomUUID(),
				parameters: {
					authentication: 'apiKey',
					events: ['record.created'],
					watch: 'oneCard',
					cardId: byId(card.id),
				},
				credentials: { workspaceDataApi: mode.credentials.workspaceDataApi },
			},
			{
				name: 'Report',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: { method: 'POST', url: `=${collector.url}/{{ $json.record_id }}` },
			},
		]),
	);
	await mode.client.publish(workflow);
	return { card, workflow };
}

/** What goes wrong on the way, by the number of records that have been reported. */
const disasters: Array<{ at: number; name: string; strike: () => Promise<void> }> = [
	{
		at: 0.2 * RECORDS,
		name: 'a worker is killed',
		async strike() {
			await mode.workers[0]?.kill();
			await mode.workers[0]?.start();
		},
	},
	{
		at: 0.4 * RECORDS,
		name: 'a webhook processor is killed',
		async strike() {
			await mode.webhooks[0]?.kill();
			await mode.webhooks[0]?.start();
		},
	},
	{
		at: 0.7 * RECORDS,
		name: 'Redis restarts',
		async strike() {
			await mode.redis.stop();
			await mode.redis.start();
		},
	},
];

/** The service pauses a subscription after four failures; its owner resumes it. @returns how many */
async function resumePaused(): Promise<number> {
	const paused = (await mode.control.subscriptions()).filter(({ state }) => state === 'paused');
	for (const { id } of paused) await mode.control.resumeSubscription({ id });
	return paused.length;
}

test('5,000 deliveries through queue mode: a worker, a webhook processor and Redis fail, no event is lost', async () => {
	const published = [];
	for (let n = 1; n <= WORKFLOWS; n += 1) published.push(await publishWorkflow(`Queue ${n}`));

	const started = Date.now();
	const ids = await Promise.all(
		published.map(async ({ card }) => {
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
	await until(
		'every record to be reported',
		async () => {
			const [next] = ahead;
			if (next && collector.counts.size >= next.at) {
				struck.push(next.strike());
				ahead.shift();
			}
			resumed += await resumePaused();
			return ids.every((id) => collector.counts.has(id)) || undefined;
		},
		800_000,
		250,
	);
	await Promise.all(struck);
	expect(ahead).toEqual([]);
	const seconds = Math.round((Date.now() - started) / 1000);
	const repeated = ids.filter((id) => (collector.counts.get(id) ?? 0) > 1);
	process.stdout.write(
		`queue mode: ${RECORDS} deliveries in ${seconds} s; ${repeated.length} ran more than once; ${resumed} subscriptions had to be resumed\n`,
	);

	// What was answered 200 is visible in n8n: a finished execution for every record.
	const executions = await Promise.all(
		published.map(async ({ workflow }) => await mode.client.executions(workflow.id)),
	);
	const succeeded = executions.flat().filter(({ status }) => status === 'success');
	expect(succeeded.length).toBeGreaterThanOrEqual(RECORDS);
	// n8n runs again what a killed process had in hand; nothing else runs twice.
	expect(repeated.length).toBeLessThanOrEqual(4 * WORKER_CONCURRENCY);
}, 900_000);

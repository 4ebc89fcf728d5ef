import { until } from '../../../demo/host/deadline.ts';
import { chain } from '../../../demo/host/workflowBuilder.ts';
import { startCollector, type Collector } from './collector.ts';
import { openQueueMode, WORKER_CONCURRENCY, type QueueMode } from './queueMode.ts';

const RECORDS = 5_000;
/** Requests to the service at once. */
const WRITERS = 8;

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

/** Creates records in the service, several at once; calls back after each. */
async function createRecords(cardId: string, fieldId: string, onCreated: (count: number) => void) {
	const ids: string[] = [];
	let next = 0;
	const writer = async () => {
		while (next < RECORDS) {
			const body = { data: { [fieldId]: next++ } };
			const { id } = await mode.api.call<{ id: string }>('POST', `/cards/${cardId}/records`, body);
			ids.push(id);
			onCreated(ids.length);
		}
	};
	await Promise.all(Array.from({ length: WRITERS }, writer));
	return ids;
}

/** What goes wrong on the way, by the number of records that have been created. */
function disasters(): { at(count: number): void; over(): Promise<void> } {
	const running: Array<Promise<void>> = [];
	const plan = new Map<number, () => Promise<void>>([
		[
			1_000,
			async () => {
				await mode.workers[0]?.kill();
				await mode.workers[0]?.start();
			},
		],
		[
			2_000,
			async () => {
				await mode.webhooks[0]?.kill();
				await mode.webhooks[0]?.start();
			},
		],
		[
			3_500,
			async () => {
				await mode.redis.stop();
				await mode.redis.start();
			},
		],
	]);
	return {
		at(count) {
			const disaster = plan.get(count);
			if (disaster) running.push(disaster());
		},
		async over() {
			await Promise.all(running);
		},
	};
}

test('5,000 deliveries through queue mode: a worker, a webhook processor and Redis fail, no event is lost', async () => {
	const card = await mode.api.createCard('Queue', [['Number', 'number']]);
	const workflow = await mode.client.createWorkflow(
		chain('Queue mode', [
			{
				name: 'Trigger',
				type: 'n8n-nodes-workspace-data.workspaceDataTrigger',
				webhookId: crypto.randomUUID(),
				parameters: {
					authentication: 'apiKey',
					events: ['record.created'],
					watch: 'oneCard',
					cardId: { __rl: true, mode: 'id', value: card.id },
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

	const trouble = disasters();
	const started = Date.now();
	const ids = await createRecords(card.id, card.fields.Number ?? '', (count) => trouble.at(count));
	await trouble.over();

	const deliveries = async () => {
		const [subscription] = await mode.control.subscriptions();
		// The service pauses after four failures, and would otherwise hold the rest back for ever.
		if (subscription?.state === 'paused') {
			await mode.control.resumeSubscription({ id: subscription.id });
		}
		return subscription;
	};
	await until(
		'every record to be reported',
		async () => {
			await deliveries();
			return ids.every((id) => collector.counts.has(id)) || undefined;
		},
		600_000,
		1_000,
	);
	const seconds = Math.round((Date.now() - started) / 1000);
	const repeated = ids.filter((id) => (collector.counts.get(id) ?? 0) > 1);
	process.stdout.write(
		`queue mode: ${RECORDS} deliveries in ${seconds} s, ${repeated.length} ran more than once\n`,
	);

	// What was answered 200 is visible in n8n: an execution for every record.
	const executions = await mode.client.executions(workflow.id);
	const succeeded = executions.filter(({ status }) => status === 'success');
	expect(succeeded.length).toBeGreaterThanOrEqual(RECORDS);
	// n8n runs again what a killed process had in hand; nothing else runs twice.
	expect(repeated.length).toBeLessThanOrEqual(4 * WORKER_CONCURRENCY);
}, 900_000);

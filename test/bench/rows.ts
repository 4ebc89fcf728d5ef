/** The time that our nodes take in n8n, next to the nodes that a user would pick instead. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../host/deadline.ts';
import { outputOf, type SavedWorkflow } from '../host/n8nClient.ts';
import { byId, chain } from '../host/workflowBuilder.ts';
import { savedSecret } from '../e2e/support/savedSecret.ts';
import { localRows } from './localRows.ts';
import { median, type Row } from './row.ts';
import { growthOf, jsonLength, ours, peerTypes, type Bench } from './workbench.ts';
import { writeRows } from './writeRows.ts';

const list20: Row = {
	name: 'list-20ms',
	what: '20,000 records at 20 ms / undici walking the same pages',
	unit: 's',
	goal: 1.3,
	async prepare(bench) {
		await bench.control.setLatency({ ms: 20 });
		const { id } = await bench.card('Listed at 20 ms', 20_000);
		const get = { operation: 'getAll', cardId: byId(id), returnAll: true };
		const mine = await bench.save('Ours, list', 1, [ours(bench, get)]);
		return async () => {
			const { seconds, execution } = await bench.time(mine, 'Ours');
			if (outputOf(execution, 'Ours').length !== 20_000) throw new Error('Records are missing');
			const started = performance.now();
			const records = await bench.undici.list(id, 1_000);
			if (records.length !== 20_000) throw new Error('Records are missing');
			return { ours: seconds, peer: (performance.now() - started) / 1000 };
		};
	},
};

const listMemory: Row = {
	name: 'list-memory',
	what: 'growth of n8n during Get Many of 100,000, less its growth for the same items from memory / the output as JSON',
	unit: 'MB',
	goal: 1.5,
	mostRounds: 3,
	async prepare(bench) {
		const { id } = await bench.card('In memory', 100_000);
		const get = { operation: 'getAll', cardId: byId(id), returnAll: true };
		const records = { count: 100_000, records: true };
		const small = await bench.save('Warm', 1, [ours(bench, { ...get, returnAll: false })]);
		const mine = await bench.save('Ours, memory', 1, [ours(bench, get)]);
		const other = await bench.save('From memory', 1, [
			{ name: 'Peer', type: peerTypes.source, parameters: records },
		]);
		return async () => {
			const own = await growthOf(bench, small, mine, 'Ours');
			const plain = await growthOf(bench, small, other, 'Peer');
			return {
				ours: Math.max(0, own.bytes - plain.bytes) / 1e6,
				peer: jsonLength(own.execution, 'Ours') / 1e6,
			};
		};
	},
};

/** Sends a delivery over a separate connection. @returns ms until the answer is there */
async function deliver(
	address: string,
	body: Buffer,
	headers: Record<string, string>,
	wanted: number,
) {
	const agent = new Agent();
	const started = performance.now();
	const request = httpRequest(address, {
		agent,
		method: 'POST',
		headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
	});
	request.end(body);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	response.resume();
	await once(response, 'end');
	const taken = performance.now() - started;
	agent.destroy();
	if (response.statusCode !== wanted) throw new Error(`A delivery got ${response.statusCode}`);
	return taken;
}

/** Our trigger, for the records that are created in a card. */
const watching = ({ trigger }: Bench, cardId: string, webhookId: string) =>
	trigger(
		'On change',
		{ events: ['record.created'], watch: 'oneCard', cardId: byId(cardId) },
		{ webhookId },
	);

const deliveryRow = (name: string, isForged: boolean, goal: number): Row => ({
	name,
	what: `one ${isForged ? 'forged ' : ''}delivery / one to an empty community trigger, the same body`,
	unit: 'ms',
	goal,
	async prepare(bench) {
		const { client, control, host, service } = bench;
		const card = await bench.card(`Watched, ${name}`);
		const trigger = watching(bench, card.id, `ours-${name}`);
		const empty = {
			name: 'Empty',
			type: peerTypes.trigger,
			parameters: {},
			webhookId: `empty-${name}`,
		};
		const mine = await client.createWorkflow(chain(`Ours, ${name}`, [trigger]));
		const other = await client.createWorkflow(chain(`Empty, ${name}`, [empty]));
		await client.publish(mine);
		await client.publish(other);
		const subscription = (await control.subscriptions()).find(({ cardId }) => cardId === card.id);
		const secret = await savedSecret(client, mine.id, service.apiKey);
		const emptyAddress = `${host.baseUrl}/webhook/empty-${name}/webhook`;
		/** Waits for the executions of a workflow: they would slow down the next delivery. */
		const rest = async ({ id }: SavedWorkflow): Promise<void> => {
			const isDone = ({ status }: { status: string }) => !['new', 'running'].includes(status);
			await until('the executions to end', async () =>
				(await client.executions(id)).every(isDone) ? true : undefined,
			);
		};
		let events = 0;
		return async () => {
			const taken = { ours: [] as number[], peer: [] as number[] };
			for (let pair = 0; pair < 25; pair += 1) {
				const event = {
					event: 'record.created',
					timestamp: new Date().toISOString(),
					workspace_id: service.workspaceId,
					card_id: card.id,
					record_id: `rec_${(events += 1)}`,
					data: { [card.fields.Key ?? '']: `Key ${pair}`, [card.fields.Amount ?? '']: pair },
				};
				const body = Buffer.from(JSON.stringify(event));
				const signature = createHmac('sha256', isForged ? 'forged' : secret).update(body);
				const headers = { 'x-service-signature': signature.digest('hex') };
				const target = subscription?.targetUrl ?? '';
				taken.ours.push(await deliver(target, body, headers, isForged ? 401 : 200));
				await rest(mine);
				taken.peer.push(await deliver(emptyAddress, body, headers, 200));
				await rest(other);
			}
			return { ours: median(taken.ours), peer: median(taken.peer) };
		};
	},
});

const IDLE = { triggers: 100, minutes: 3 };

/** The CPU time of a process and its threads so far, in ms. */
async function cpuOf(processId: number): Promise<number> {
	const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
	// After the name, which may have spaces, user and system time are the 12th and 13th, in hundredths of a second.
	const [user, system] = stat.split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
	return ((user ?? NaN) + (system ?? NaN)) * 10;
}

const idle: Row = {
	name: 'idle',
	what: `CPU of ${IDLE.triggers} published triggers while nothing happens, less that of n8n alone / 5 ms for each in a minute`,
	unit: 'ms',
	goal: 1,
	mostRounds: 1,
	async prepare(bench) {
		const { client, host } = bench;
		await bench.restart();
		const minutesOfCpu = async () => {
			// What follows a start or a publication is over after this.
			await sleep(120_000);
			const before = await cpuOf(host.processId ?? 0);
			await sleep(IDLE.minutes * 60_000);
			return (await cpuOf(host.processId ?? 0)) - before;
		};
		return async () => {
			const alone = await minutesOfCpu();
			const { id } = await bench.card('Idle');
			for (let n = 0; n < IDLE.triggers; n += 1) {
				const trigger = watching(bench, id, `idle-${n}`);
				await client.publish(await client.createWorkflow(chain(`Idle ${n}`, [trigger])));
			}
			const withTriggers = await minutesOfCpu();
			return { ours: withTriggers - alone, peer: 5 * IDLE.triggers * IDLE.minutes };
		};
	},
};

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [
	...writeRows,
	list20,
	listMemory,
	deliveryRow('delivery', false, 1.1),
	deliveryRow('refusal', true, 0.6),
	idle,
	...localRows,
];

/** What the trigger takes, next to an empty community trigger, and while nothing happens. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { savedSecret } from '../e2e/support/savedSecret.ts';
import { until } from '../host/deadline.ts';
import type { SavedWorkflow } from '../host/n8nClient.ts';
import { byId, chain } from '../host/workflowBuilder.ts';
import { median, type Row } from './row.ts';
import { peerTypes, type Bench } from './workbench.ts';

/** Sends a delivery over a separate connection. @returns ms until the response has come */
async function deliver(address: string, body: Buffer, signature: string, wanted: number) {
	const agent = new Agent();
	const started = performance.now();
	const request = httpRequest(address, {
		agent,
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-service-signature': signature },
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

/** Publishes our trigger, for the records that are created in a card. */
async function watch({ client, trigger }: Bench, cardId: string, name: string) {
	const parameters = { events: ['record.created'], watch: 'oneCard', cardId: byId(cardId) };
	const node = trigger('On change', parameters, { webhookId: `ours-${name}` });
	const saved = await client.createWorkflow(chain(`Ours, ${name}`, [node]));
	await client.publish(saved);
	return saved;
}

/** Waits for the executions of a workflow: they would slow down the next delivery. */
async function rest({ client }: Bench, { id }: SavedWorkflow): Promise<void> {
	const isDone = ({ status }: { status: string }) => !['new', 'running'].includes(status);
	await until('the executions to end', async () =>
		(await client.executions(id)).every(isDone) ? true : undefined,
	);
}

const PAIRS = 25;

const deliveryRow = (name: string, isForged: boolean, goal: number): Row => ({
	name,
	what: `a ${isForged ? 'forged ' : ''}delivery / one to an empty trigger`,
	unit: 'ms',
	goal,
	async prepare(bench) {
		const { client, control, host, service } = bench;
		const card = await bench.card(`Watched, ${name}`);
		const mine = await watch(bench, card.id, name);
		const webhookId = `empty-${name}`;
		const empty = { name: 'Empty', type: peerTypes.trigger, parameters: {}, webhookId };
		const other = await client.createWorkflow(chain(`Empty, ${name}`, [empty]));
		await client.publish(other);
		const subscription = (await control.subscriptions()).find(({ cardId }) => cardId === card.id);
		const target = subscription?.targetUrl ?? '';
		const secret = await savedSecret(client, mine.id);
		const emptyAddress = `${host.baseUrl}/webhook/${webhookId}/webhook`;
		let events = 0;
		return async () => {
			await control.resetRequests();
			const taken = { ours: [] as number[], peer: [] as number[] };
			for (let pair = 0; pair < PAIRS; pair += 1) {
				const event = {
					event: 'record.created',
					timestamp: new Date().toISOString(),
					workspace_id: service.workspaceId,
					card_id: card.id,
					record_id: `rec_${(events += 1)}`,
					data: { [card.fields.Key ?? '']: `Key ${pair}`, [card.fields.Amount ?? '']: pair },
				};
				const body = Buffer.from(JSON.stringify(event));
				const signed = createHmac('sha256', isForged ? 'forged' : secret).update(body);
				const signature = signed.digest('hex');
				taken.ours.push(await deliver(target, body, signature, isForged ? 401 : 200));
				await rest(bench, mine);
				taken.peer.push(await deliver(emptyAddress, body, signature, 200));
				await rest(bench, other);
			}
			// The names of fields and cards, once a minute.
			const asked = (await control.requests()).length;
			if (asked > (isForged ? 0 : 4)) throw new Error(`${asked} requests for ${PAIRS} deliveries`);
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
	what: `CPU of ${IDLE.triggers} published triggers while nothing happens / 5 ms a minute for each`,
	unit: 'ms',
	goal: 1,
	mostRounds: 1,
	async prepare(bench) {
		await bench.restart();
		const minutesOfCpu = async () => {
			// What follows a start or a publication is over after this.
			await sleep(120_000);
			await bench.control.resetRequests();
			const before = await cpuOf(bench.host.processId ?? 0);
			await sleep(IDLE.minutes * 60_000);
			const asked = (await bench.control.requests()).length;
			if (asked > 0) throw new Error(`${asked} requests while nothing happens`);
			return (await cpuOf(bench.host.processId ?? 0)) - before;
		};
		return async () => {
			const alone = await minutesOfCpu();
			const { id } = await bench.card('Idle');
			for (let n = 0; n < IDLE.triggers; n += 1) await watch(bench, id, `idle-${n}`);
			const ours = (await minutesOfCpu()) - alone;
			return { ours, peer: 5 * IDLE.triggers * IDLE.minutes };
		};
	},
};

export const triggerRows: readonly Row[] = [
	deliveryRow('delivery', false, 1.1),
	deliveryRow('refusal', true, 0.6),
	idle,
];

/** The time that our nodes take in n8n, next to the nodes that a user would pick instead. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { until } from '../host/deadline.ts';
import { outputOf, type JsonObject, type SavedWorkflow } from '../host/n8nClient.ts';
import { byId, chain, mapAutomatically, type NodeDraft } from '../host/workflowBuilder.ts';
import { withOpenSecrets } from '../support/sealed.ts';
import { undiciClient } from './clients.ts';
import { localRows } from './localRows.ts';
import { median, type Row } from './row.ts';
import { peerTypes, type Bench } from './workbench.ts';

const UNLIMITED = { rate: { limit: 1_000_000_000 } };

const ours = ({ types, credentials }: Bench, parameters: JsonObject): NodeDraft => ({
	name: 'Ours',
	type: types.action,
	parameters: { resource: 'record', ...parameters },
	credentials: { workspaceDataApi: credentials.workspaceDataApi },
});

const creating = (bench: Bench, cardId: string): NodeDraft =>
	ours(bench, { operation: 'create', cardId: byId(cardId), columns: mapAutomatically() });

/** n8n's own HTTP Request node, with our credential. */
const httpNode = ({ credentials }: Bench, parameters: JsonObject): NodeDraft => ({
	name: 'HTTP Request',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'workspaceDataApi',
		options: {},
		...parameters,
	},
	credentials: { workspaceDataApi: credentials.workspaceDataApi },
});

const recordsUrl = ({ service }: Bench, cardId: string): string =>
	`${service.baseUrl}/workspaces/${service.workspaceId}/cards/${cardId}/records`;

const createRow = (ms: number, goal: number): Row => ({
	name: `create-${ms}ms`,
	what: `1,000 creates at a latency of ${ms} ms / HTTP Request, all at once`,
	unit: 's',
	goal,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		await bench.control.setLatency({ ms });
		const { id, fieldIds } = await bench.card(`Created at ${ms} ms`);
		const entries = ['Key', 'Amount', 'Day', 'Open'].map(
			(name, place) => `"${fieldIds[place]}": $json.${name}`,
		);
		const http = httpNode(bench, {
			method: 'POST',
			url: recordsUrl(bench, id),
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ JSON.stringify({ data: { ${entries.join(', ')} } }) }}`,
		});
		const mine = await bench.save(`Ours, ${ms} ms`, 1_000, [creating(bench, id)]);
		const other = await bench.save(`HTTP Request, ${ms} ms`, 1_000, [http]);
		return async () => ({
			ours: (await bench.run(mine, 'Ours')).seconds,
			peer: (await bench.run(other, 'HTTP Request')).seconds,
		});
	},
});

const capacity: Row = {
	name: 'create-capacity',
	what: '500 creates, a service that serves 10 at a time (50 ms each) and has no rate headers / undici with the best of 8, 10, 16 and 32 at once',
	unit: 's',
	goal: 1.15,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		await bench.control.setRateAnswer({ headers: false });
		await bench.control.setLatency({ ms: 50, atOnce: 10 });
		const { id, fieldIds } = await bench.card('Capacity');
		const mine = await bench.save('Ours, capacity', 500, [creating(bench, id)]);
		const fixed = async (connections: number): Promise<number> => {
			const client = undiciClient(bench.service, connections);
			const rows = Array.from({ length: 500 }, (_, n) => n).values();
			const started = performance.now();
			const lane = async () => {
				for (const n of rows) {
					const data = { [fieldIds[0] ?? '']: `Key ${n}`, [fieldIds[1] ?? '']: n };
					await client.send('POST', `/cards/${id}/records`, { data });
				}
			};
			await Promise.all(Array.from({ length: connections }, lane));
			await client.close();
			return (performance.now() - started) / 1000;
		};
		return async () => {
			const { seconds } = await bench.run(mine, 'Ours');
			const others: number[] = [];
			for (const connections of [8, 10, 16, 32]) others.push(await fixed(connections));
			return { ours: seconds, peer: Math.min(...others) };
		};
	},
};

const limited: Row = {
	name: 'create-limited',
	what: '500 creates, 100 requests per 10 s / the least that so many requests can take',
	unit: 's',
	goal: 1.1,
	mostRounds: 1,
	async prepare(bench) {
		const { id } = await bench.card('Limited');
		const mine = await bench.save('Ours, limited', 500, [creating(bench, id)]);
		return async () => {
			await bench.control.setRate({ rate: { limit: 100, windowSeconds: 10 } });
			await bench.control.resetRequests();
			const { seconds, execution } = await bench.run(mine, 'Ours');
			const statuses = (await bench.control.requests()).map(({ status }) => status);
			const refused = statuses.filter((status) => status === 429).length;
			const windows = Math.ceil((statuses.length - refused) / 100);
			if (outputOf(execution, 'Ours').length !== 500) throw new Error('Creates failed');
			if (refused > windows - 1) throw new Error(`${refused} requests were refused`);
			return { ours: seconds, peer: (windows - 1) * 10 };
		};
	},
};

const list20: Row = {
	name: 'list-20ms',
	what: "20,000 records at 20 ms, pages of at most 1,000 / HTTP Request's pagination with pages of 100",
	unit: 's',
	goal: 0.2,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		await bench.control.setLatency({ ms: 20 });
		const { id } = await bench.card('Listed at 20 ms', 20_000);
		const http = httpNode(bench, {
			url: recordsUrl(bench, id),
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'limit', value: '100' }] },
			options: {
				pagination: {
					pagination: {
						paginationMode: 'responseContainsNextURL',
						nextURL: `={{ $response.body.next_cursor ? '${recordsUrl(bench, id)}?cursor=' + $response.body.next_cursor : '' }}`,
						paginationCompleteWhen: 'other',
						completeExpression: '={{ !$response.body.next_cursor }}',
					},
				},
			},
		});
		const get = { operation: 'getAll', cardId: byId(id), returnAll: true };
		const mine = await bench.save('Ours, list', 1, [ours(bench, get)]);
		const other = await bench.save('HTTP Request, list', 1, [http]);
		return async () => {
			const own = await bench.run(mine, 'Ours');
			if (outputOf(own.execution, 'Ours').length !== 20_000) throw new Error('Records are missing');
			const { seconds, execution } = await bench.run(other, 'HTTP Request');
			if (outputOf(execution, 'HTTP Request').length !== 200) throw new Error('Pages are missing');
			return { ours: own.seconds, peer: seconds };
		};
	},
};

const listRaw: Row = {
	name: 'list-raw',
	what: '100,000 records / undici walking the same pages',
	unit: 's',
	goal: 1.6,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		const { id } = await bench.card('Listed', 100_000);
		const get = { operation: 'getAll', cardId: byId(id), returnAll: true };
		const mine = await bench.save('Ours, raw list', 1, [ours(bench, get)]);
		return async () => {
			const { seconds } = await bench.run(mine, 'Ours');
			const started = performance.now();
			const records = await bench.undici.list(id, 1_000);
			if (records.length !== 100_000) throw new Error('Records are missing');
			return { ours: seconds, peer: (performance.now() - started) / 1000 };
		};
	},
};

/** Resident memory of a process, in bytes: now, and the most since `resetPeak`. */
async function memoryOf(processId: number): Promise<{ now: number; peak: number }> {
	const status = await readFile(`/proc/${processId}/status`, 'utf8');
	const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
	return { now: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
}
const resetPeak = async (processId: number) =>
	await writeFile(`/proc/${processId}/clear_refs`, '5');

const listMemory: Row = {
	name: 'list-memory',
	what: 'growth of n8n during Get Many of 100,000, less its growth for the same items from memory / the output as JSON',
	unit: 'MB',
	goal: 1.5,
	mostRounds: 3,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		const { id } = await bench.card('In memory', 100_000);
		const get = { operation: 'getAll', cardId: byId(id), returnAll: true };
		const records = { count: 100_000, records: true };
		const small = await bench.save('Warm', 1, [ours(bench, { ...get, returnAll: false })]);
		const mine = await bench.save('Ours, memory', 1, [ours(bench, get)]);
		const other = await bench.save('From memory', 1, [
			{ name: 'Peer', type: peerTypes.source, parameters: records },
		]);
		/** The growth in a fresh n8n: what was once taken is seldom given back. */
		const growth = async (saved: typeof mine, node: string) => {
			await bench.host.stop();
			await bench.host.start();
			await bench.client.signIn();
			await bench.run(small, 'Ours');
			const processId = bench.host.processId ?? 0;
			await resetPeak(processId);
			const before = await memoryOf(processId);
			const { execution } = await bench.run(saved, node);
			const { peak } = await memoryOf(processId);
			const items = outputOf(execution, node).map(({ json }) => json);
			return { bytes: peak - before.now, output: JSON.stringify(items).length };
		};
		return async () => {
			const own = await growth(mine, 'Ours');
			const plain = await growth(other, 'Peer');
			return { ours: Math.max(0, own.bytes - plain.bytes) / 1e6, peer: own.output / 1e6 };
		};
	},
};

const upsert: Row = {
	name: 'upsert-10k',
	what: '1,000 upserts into 10,000 records: requests beyond 10 pages, the fields and 1,000 changes',
	unit: 'requests',
	goal: 0,
	mostRounds: 1,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		const { id } = await bench.card('Upserted', 10_000);
		const columns = mapAutomatically(['Key']);
		const mine = await bench.save('Ours, upsert', 1_000, [
			// Else the second round would find everything unchanged, and send nothing.
			ours(bench, {
				operation: 'upsert',
				cardId: byId(id),
				columns,
				options: { unchanged: 'send' },
			}),
		]);
		return async () => {
			await bench.control.resetRequests();
			await bench.run(mine, 'Ours');
			const { length } = await bench.control.requests();
			return { ours: length - (10 + 1 + 1_000), peer: 1 };
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

const deliveryRow = (name: string, isForged: boolean, goal: number): Row => ({
	name,
	what: `one ${isForged ? 'forged ' : ''}delivery / one to an empty community trigger, the same body`,
	unit: 'ms',
	goal,
	async prepare(bench) {
		await bench.control.setRate(UNLIMITED);
		const { client, control, credentials, host, service, types } = bench;
		const card = await bench.card(`Watched, ${name}`);
		const trigger = {
			name: 'On change',
			type: types.trigger,
			parameters: { events: ['record.created'], watch: 'oneCard', cardId: byId(card.id) },
			credentials: { workspaceDataApi: credentials.workspaceDataApi },
			webhookId: `ours-${name}`,
		};
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
		const secret = await until('the secret to be saved', async () => {
			const { staticData } = (await client.workflow(mine.id)) as unknown as {
				staticData: Record<string, { subscriptions?: string }> | null;
			};
			const text = staticData?.['node:On change']?.subscriptions ?? '{}';
			const kept: { current?: { secret: string } } = withOpenSecrets(text, service.apiKey);
			return kept.current?.secret;
		});
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
					data: { [card.fieldIds[0] ?? '']: `Key ${pair}`, [card.fieldIds[1] ?? '']: pair },
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

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [
	createRow(50, 0.35),
	createRow(0, 0.25),
	capacity,
	limited,
	list20,
	listRaw,
	listMemory,
	upsert,
	deliveryRow('delivery', false, 1.1),
	deliveryRow('refusal', true, 0.6),
	...localRows,
];

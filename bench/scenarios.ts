import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RemoteControl, ServiceAddresses } from '../service/index.ts';
import type { TestCredentials } from '../test/support/n8n.ts';
import type { Client } from './clients.ts';
import type { Nodes } from './compiledNodes.ts';

/** The same work, done with a bare client and by our node. */
export interface Scenario {
	name: string;
	/** How many records or deliveries one run takes. */
	count: number;
	bare(client: Client): Promise<void>;
	node(): Promise<void>;
	/** Whether the work has nothing to do with requests. */
	isLocal?: true;
}

/** As many requests as our node sends at once by default, and as large pages. */
export const PARALLEL = 10;
const PAGE_SIZE = 100;

const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Amount', type: 'number' },
	{ name: 'Day', type: 'date' },
	{ name: 'Open', type: 'boolean' },
];

type Row = Record<'Key' | 'Amount' | 'Day' | 'Open', string | number | boolean>;

const rowsOf = (count: number): Row[] =>
	Array.from({ length: count }, (_, n) => ({
		Key: `Record ${n}`,
		Amount: n,
		Day: '2028-02-29',
		Open: n % 2 === 0,
	}));

/** Runs the tasks, as many at once as our node does. */
async function inLanes<T>(inputs: readonly T[], task: (input: T) => Promise<unknown>) {
	const left = inputs.values();
	const lane = async () => {
		for (const input of left) await task(input);
	};
	await Promise.all(Array.from({ length: PARALLEL }, lane));
}

/** The things that a scenario needs. */
export interface Bench {
	nodes: Nodes;
	service: ServiceAddresses;
	control: RemoteControl;
	client: Client;
}

/** A card with these records, made by the bench's client. */
async function filledCard({ client }: Bench, name: string, rows: readonly Row[]) {
	const { id, fieldIds } = await client.createCard(name, FIELDS);
	const toData = (row: Row) =>
		Object.fromEntries(Object.values(row).map((value, n) => [fieldIds[n] ?? '', value]));
	await inLanes(
		rows,
		async (row) => await client.send('POST', `/cards/${id}/records`, { data: toData(row) }),
	);
	return { id, keyField: fieldIds[0] ?? '', toData };
}

/** Runs an operation of the action node for records. @throws Error where items are missing */
function recordOperation(
	{ nodes, service }: Bench,
	authentication: 'apiKey' | 'serviceAccount' = 'apiKey',
) {
	const { baseUrl, workspaceId, apiKey, authUrl, realm, clientId, clientSecret } = service;
	const place = { baseUrl, workspaceId };
	const credentials: TestCredentials =
		authentication === 'apiKey'
			? { workspaceDataApi: { ...place, apiKey } }
			: {
					workspaceDataServiceAccountApi: { ...place, authUrl, realm, clientId, clientSecret },
				};
	return async (
		operation: string,
		cardId: string,
		parameters: Record<string, string | number | boolean | object>,
		rows: readonly Row[],
		wanted: number,
	) => {
		const { items, error } = await nodes.runAction({
			credentials,
			parameters: { resource: 'record', operation, cardId, ...parameters },
			items: [...rows],
		});
		if (error) throw error;
		if (items.length !== wanted) {
			throw new Error(`${operation} put out ${items.length} items, not ${wanted}`);
		}
	};
}

const mapAutomatically = (matchingColumns: string[] = []) => ({
	columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns, schema: [] },
});

async function creating(
	bench: Bench,
	authentication: 'apiKey' | 'serviceAccount',
): Promise<Scenario> {
	const rows = rowsOf(1_000);
	const { id, toData } = await filledCard(bench, `Created by ${authentication}`, []);
	const run = recordOperation(bench, authentication);
	return {
		name: `Create (${authentication})`,
		count: rows.length,
		bare: async (client) =>
			await inLanes(rows, async (row) => {
				await client.send('POST', `/cards/${id}/records`, { data: toData(row) });
			}),
		node: async () => await run('create', id, mapAutomatically(), rows, rows.length),
	};
}

async function upserting(bench: Bench): Promise<Scenario> {
	const rows = rowsOf(1_000);
	const { id, keyField, toData } = await filledCard(bench, 'Upserted', rowsOf(5_000));
	const run = recordOperation(bench);
	return {
		name: 'Create or Update, 1,000 of 5,000 records',
		count: rows.length,
		async bare(client) {
			const records = await client.list(id, PAGE_SIZE);
			const byKey = new Map(records.map((record) => [record.data[keyField], record.id]));
			await inLanes(rows, async (row) => {
				const known = byKey.get(row.Key);
				await client.send('PATCH', `/cards/${id}/records/${known}`, { data: toData(row) });
			});
		},
		node: async () => await run('upsert', id, mapAutomatically(['Key']), rows, rows.length),
	};
}

async function listing(bench: Bench): Promise<Scenario> {
	const count = 20_000;
	const { id } = await filledCard(bench, 'Listed', []);
	await bench.control.fillCard({ cardId: id, count });
	const run = recordOperation(bench);
	return {
		name: 'Get Many',
		count,
		async bare(client) {
			const { fields } = await client.send('GET', `/cards/${id}/fields`);
			const names = new Map(fields.map((field) => [field.id, field.name]));
			const records = await client.list(id, PAGE_SIZE);
			const named = records.map(({ data }) =>
				Object.fromEntries(Object.entries(data).map(([key, value]) => [names.get(key), value])),
			);
			if (named.length !== count) throw new Error(`${named.length} records, not ${count}`);
		},
		node: async () => await run('getAll', id, { returnAll: true }, rowsOf(1), count),
	};
}

async function receiving(bench: Bench): Promise<Scenario> {
	const { nodes, service, client } = bench;
	const { baseUrl, workspaceId, apiKey } = service;
	const { id, toData } = await filledCard(bench, 'Watched', []);
	const trigger = nodes.triggerNode(
		{ workspaceDataApi: { baseUrl, workspaceId, apiKey } },
		{ events: ['record.created'], watch: 'oneCard', cardId: { mode: 'id', value: id } },
	);
	await trigger.activate();
	const kept = trigger.saved()[`node:${trigger.node.name}`] as { subscriptions: string };
	const { secret } = (JSON.parse(kept.subscriptions) as { current: { secret: string } }).current;
	const { fields } = await client.send('GET', `/cards/${id}/fields`);
	const names = new Map(fields.map((field) => [field.id, field.name]));
	const count = 1_000;
	let number = 0;
	const deliveries = () =>
		rowsOf(count).map((row) => {
			const body = Buffer.from(
				JSON.stringify({
					event: 'record.created',
					timestamp: new Date().toISOString(),
					workspace_id: workspaceId,
					card_id: id,
					record_id: `rec_${(number += 1)}`,
					data: toData(row),
				}),
			);
			const signature = createHmac('sha256', secret).update(body).digest('hex');
			return { body, headers: { 'x-service-signature': signature } };
		});
	return {
		name: 'Trigger: deliveries',
		isLocal: true,
		count,
		async bare() {
			for (const { body, headers } of deliveries()) {
				const expected = createHmac('sha256', secret).update(body).digest();
				const given = Buffer.from(headers['x-service-signature'], 'hex');
				if (!timingSafeEqual(expected, given)) throw new Error('Not signed');
				const { data } = JSON.parse(body.toString()) as { data: Record<string, unknown> };
				Object.fromEntries(Object.entries(data).map(([key, value]) => [names.get(key), value]));
			}
		},
		async node() {
			for (const delivery of deliveries()) {
				const { items } = await trigger.deliver(delivery);
				if (items?.length !== 1) throw new Error('A delivery started no execution');
			}
		},
	};
}

/** All scenarios, with their cards filled. */
export async function prepareScenarios(bench: Bench): Promise<Scenario[]> {
	return [
		await creating(bench, 'apiKey'),
		await creating(bench, 'serviceAccount'),
		await upserting(bench),
		await listing(bench),
		await receiving(bench),
	];
}

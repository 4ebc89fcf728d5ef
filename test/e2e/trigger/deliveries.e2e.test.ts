/** Deliveries to a published trigger over HTTP: what n8n does with bodies before the node sees them. */
import { createHmac } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';

import { until } from '../../host/deadline.ts';
import { type JsonObject, outputOf, type SavedWorkflow } from '../../host/n8nClient.ts';
import { useSharedBench } from '../support/bench.ts';
import { savedSecret } from '../support/savedSecret.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { major } from '../support/settings.ts';
import { watchCard } from '../support/watch.ts';

type Headers = Record<string, string | string[]>;

describe(`deliveries to the trigger in n8n ${major}`, () => {
	const bench = useSharedBench(major);
	let card: TestCard;
	let saved: SavedWorkflow;
	let address: URL;
	let secret: string;

	beforeAll(async () => {
		const watch = await watchCard(bench(), 'Attacked');
		({ card, saved } = watch);
		address = new URL(watch.subscription.targetUrl);
		secret = await savedSecret(bench().client, saved.id);
	}, 300_000);
	afterAll(async () => await bench().client.unpublish(saved.id));

	const signature = (bytes: Uint8Array) => ({
		'x-service-signature': createHmac('sha256', secret).update(bytes).digest('hex'),
	});

	/** Sends exactly these bytes and headers. @returns the status */
	async function send(body: Uint8Array, headers: Headers = signature(body), method = 'POST') {
		// A separate connection: n8n closes idle ones after 5 s, perhaps with the next request under way.
		// It is kept alive, as n8n answers to 17 MB before it has them, and then must not hang up.
		const agent = new Agent({ keepAlive: true });
		const status = await new Promise<number>((resolve, reject) => {
			const request = httpRequest(address, {
				agent,
				method,
				headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
			});
			request.once('response', (response) => {
				response.resume();
				response.once('end', () => resolve(response.statusCode ?? 0));
			});
			request.once('error', reject);
			request.end(body);
		});
		agent.destroy();
		return status;
	}

	let events = 0;
	const eventOf = (changes: JsonObject = {}): JsonObject => ({
		event: 'record.created',
		timestamp: new Date().toISOString(),
		workspace_id: bench().service.workspaceId,
		card_id: card.id,
		record_id: `rec_${(events += 1)}`,
		data: { [card.fields.Title ?? '']: 'Emma' },
		...changes,
	});
	const bytesOf = (value: JsonObject): Buffer => Buffer.from(JSON.stringify(value));

	const executionIds = async () => (await bench().client.executions(saved.id)).map(({ id }) => id);

	/** Sends deliveries, then a true one. @returns the records of all executions that were started in between */
	async function started(deliver: () => Promise<void>): Promise<unknown[]> {
		const before = new Set(await executionIds());
		await deliver();
		const end = eventOf();
		expect(await send(bytesOf(end))).toBe(200);
		const records = await until('the execution of the true delivery', async () => {
			const ids = (await executionIds()).filter((id) => !before.has(id)).map(Number);
			const all = [];
			for (const id of ids.sort((a, b) => a - b)) {
				all.push(await bench().client.finished(String(id)));
			}
			const items = all.flatMap((one) => outputOf(one, 'On change').map(({ json }) => json));
			// An execution without an item would be one that should not be there.
			expect(items).toHaveLength(all.length);
			const found = items.map(({ record_id }) => record_id);
			return found.includes(end.record_id) ? found : undefined;
		});
		return records.filter((id) => id !== end.record_id);
	}

	const plain = { 'content-type': 'text/plain' };

	it('runs signed events of every type and encoding, once each', async () => {
		const sent: JsonObject[] = [];
		const next = (changes?: JsonObject) => {
			sent.push(eventOf(changes));
			return bytesOf(sent.at(-1) ?? {});
		};
		const title = card.fields.Title ?? '';
		const records = await started(async () => {
			const statuses = [];
			for (const type of ['text/plain', 'application/octet-stream', '']) {
				const body = next();
				statuses.push(await send(body, { ...signature(body), 'content-type': type }));
			}
			statuses.push(await send(next({ data: { [title]: 'é 🌍' } })));
			statuses.push(await send(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), next()])));
			const packed = next();
			const gzip = { ...signature(packed), 'content-encoding': 'gzip' };
			statuses.push(await send(gzipSync(packed), gzip));
			statuses.push(await send(next({ data: { [title]: 'x'.repeat(10 * 1024 * 1024) } })));
			const repeated = next();
			statuses.push(...(await Promise.all([repeated, repeated].map((body) => send(body)))));
			expect(statuses).toEqual(statuses.map(() => 200));
		});
		expect(records.sort()).toEqual(sent.map(({ record_id }) => record_id).sort());
	});

	it('starts nothing for forgeries, other methods, too large bodies, and signed nonsense', async () => {
		const body = bytesOf(eventOf());
		const [right, packed] = [signature(body), gzipSync(body)];
		const form = Buffer.from(
			'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
		);
		const formType = { 'content-type': 'multipart/form-data; boundary=x' };
		const large = bytesOf(eventOf({ data: { a: 'x'.repeat(17 * 1024 * 1024) } }));
		const attacks: Array<[name: string, status: number, ...Parameters<typeof send>]> = [
			['no signature', 401, body, {}],
			['two signatures', 401, body, { 'x-service-signature': Object.values(right).concat('0') }],
			['a form', 401, form, { ...signature(form), ...formType }],
			['packed bytes signed', 401, packed, { ...signature(packed), 'content-encoding': 'gzip' }],
			['17 MB', 500, large, signature(large)],
			...['', '[]', 'null', '{}'].map((text): [string, number, Uint8Array, Headers] => {
				const nonsense = Buffer.from(text);
				return [`signed ${text}`, 200, nonsense, { ...signature(nonsense), ...plain }];
			}),
			...['GET', 'PUT'].map((method): [string, number, Uint8Array, Headers, string] => [
				...([method, 404, body, right, method] as const),
			]),
		];
		const records = await started(async () => {
			for (const [name, status, ...attack] of attacks) {
				expect([name, await send(...attack)]).toEqual([name, status]);
			}
		});
		expect(records).toEqual([]);
	});
});

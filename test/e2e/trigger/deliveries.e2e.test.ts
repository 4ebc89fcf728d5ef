/** Deliveries to a published trigger over HTTP, as attackers and odd senders make them. */
import { createHmac } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';

import { until } from '../../host/deadline.ts';
import { type JsonObject, outputOf, type SavedWorkflow } from '../../host/n8nClient.ts';
import { BARE_N8N, useBench } from '../support/bench.ts';
import { savedSecret } from '../support/savedSecret.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { major } from '../support/settings.ts';
import { watchCard } from '../support/watch.ts';

jest.setTimeout(600_000);

describe(`deliveries to the trigger in n8n ${major}`, () => {
	const bench = useBench(major, BARE_N8N);
	let card: TestCard;
	let saved: SavedWorkflow;
	let address: URL;
	let secret: string;

	beforeAll(async () => {
		const watch = await watchCard(bench(), 'Attacked');
		({ card, saved } = watch);
		address = new URL(watch.subscription.targetUrl);
		secret = await readSecret();
	}, 300_000);

	const readSecret = async (previous?: string) =>
		await savedSecret(bench().client, saved.id, bench().service.apiKey, previous);

	const sign = (body: Uint8Array, key = secret) =>
		createHmac('sha256', key).update(body).digest('hex');

	interface Sent {
		method?: string;
		headers?: Record<string, string | string[]>;
		body?: Uint8Array;
	}

	/** Sends exactly these bytes and headers. @returns the status */
	async function send({ method = 'POST', headers = {}, body = new Uint8Array() }: Sent) {
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
	const bytesOf = (value: JsonObject | string): Buffer =>
		Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
	const signed = (body: Uint8Array, headers: Sent['headers'] = {}): Sent => ({
		body,
		headers: { 'x-service-signature': sign(body), ...headers },
	});

	const executionIds = async () => (await bench().client.executions(saved.id)).map(({ id }) => id);

	/**
	 * Runs some attacks, then one true delivery.
	 *
	 * @returns what came out of all executions that were started in between, in their order
	 */
	async function started(attack: () => Promise<void>): Promise<JsonObject[]> {
		const before = new Set(await executionIds());
		await attack();
		const end = eventOf();
		expect(await send(signed(bytesOf(end)))).toBe(200);
		const outputs = await until('the execution of the true delivery', async () => {
			const ids = (await executionIds()).filter((id) => !before.has(id)).map(Number);
			const all = [];
			for (const id of ids.sort((a, b) => a - b)) {
				all.push(await bench().client.finished(String(id)));
			}
			const items = all.flatMap((one) => outputOf(one, 'On change').map(({ json }) => json));
			// An execution without an item would be one that should not be there.
			expect(items).toHaveLength(all.length);
			return items.some(({ record_id }) => record_id === end.record_id) ? items : undefined;
		});
		return outputs.filter(({ record_id }) => record_id !== end.record_id);
	}

	/** Expects an answer, and no execution. */
	async function expectRefusal(status: number, attack: () => Promise<number>): Promise<void> {
		let answer = 0;
		const outputs = await started(async () => {
			answer = await attack();
		});
		expect({ answer, outputs }).toEqual({ answer: status, outputs: [] });
	}

	const forgeries: Array<[string, (right: string) => Sent['headers']]> = [
		['without a signature', () => ({})],
		['with an empty one', () => ({ 'x-service-signature': '' })],
		['with 63 digits', (right) => ({ 'x-service-signature': right.slice(1) })],
		['with 65 digits', (right) => ({ 'x-service-signature': `${right}0` })],
		['with 128 digits', (right) => ({ 'x-service-signature': right + right })],
		['with é 64 times', () => ({ 'x-service-signature': 'é'.repeat(64) })],
		['with no digits', () => ({ 'x-service-signature': 'z'.repeat(64) })],
		['with a prefix', (right) => ({ 'x-service-signature': `sha256=${right}` })],
		['with two', (right) => ({ 'x-service-signature': [right, right] })],
		['signed with an empty secret', () => ({ 'x-service-signature': sign(bytesOf(''), 'x') })],
	];
	it('refuses forgeries', async () => {
		const outputs = await started(async () => {
			for (const [name, headers] of forgeries) {
				const body = bytesOf(eventOf());
				expect({ name, status: await send({ body, headers: headers(sign(body)) }) }).toEqual({
					name,
					status: 401,
				});
			}
		});
		expect(outputs).toEqual([]);
	});

	it("isn't reached by a signature with NUL: the server of n8n refuses it", async () => {
		await expectRefusal(400, async () => {
			const body = bytesOf(eventOf());
			const socket = connect(Number(address.port), address.hostname);
			const head =
				`POST ${address.pathname} HTTP/1.1\r\nhost: ${address.host}\r\nconnection: close\r\n` +
				`content-length: ${body.length}\r\nx-service-signature: ${sign(body).slice(1)}\0\r\n\r\n`;
			// In one: it answers before it has read the body, and may reset the connection.
			socket.write(Buffer.concat([Buffer.from(head), body]));
			const answer = await new Promise<string>((resolve, reject) => {
				socket.once('data', (data) => resolve(data.toString()));
				socket.once('error', reject);
			});
			socket.destroy();
			return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
		});
	});

	it('takes upper case, accents and emoji', async () => {
		const title = card.fields.Title ?? '';
		const plain = bytesOf(eventOf({ data: { [title]: 'é 🌍' } }));
		const escaped = bytesOf(
			JSON.stringify(eventOf({ data: { [title]: 'X' } })).replace('X', '\\u00e9'),
		);
		const outputs = await started(async () => {
			const upper = { 'x-service-signature': sign(plain).toUpperCase() };
			expect(await send({ body: plain, headers: upper })).toBe(200);
			expect(await send(signed(escaped))).toBe(200);
		});
		expect(outputs.map(({ Title }) => Title)).toEqual(['é 🌍', 'é']);
	});

	it('refuses a changed body and JSON serialized again', async () => {
		const event = eventOf();
		const body = bytesOf(event);
		const headers = { 'x-service-signature': sign(body) };
		for (const other of [
			bytesOf(JSON.stringify(event).replace('Emma', 'Emmy')),
			bytesOf(JSON.stringify(event, null, 1)),
		]) {
			await expectRefusal(401, async () => await send({ body: other, headers }));
		}
	});

	it('refuses a multipart body with a copied signature', async () => {
		const body = bytesOf('--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n');
		const type = { 'content-type': 'multipart/form-data; boundary=x' };
		await expectRefusal(401, async () => await send(signed(body, type)));
	});

	it.each(['text/plain', 'application/octet-stream', ''])(
		"takes a body of type '%s'",
		async (type) => {
			const event = eventOf();
			const outputs = await started(async () => {
				expect(await send(signed(bytesOf(event), { 'content-type': type }))).toBe(200);
			});
			expect(outputs).toMatchObject([{ record_id: event.record_id }]);
		},
	);

	it('takes gzip with a signature over the plain bytes, and no other', async () => {
		const event = eventOf();
		const plain = bytesOf(event);
		const body = gzipSync(plain);
		const encoding = { 'content-encoding': 'gzip' };
		const over = (bytes: Uint8Array) => ({ ...encoding, 'x-service-signature': sign(bytes) });
		await expectRefusal(401, async () => await send({ body, headers: over(body) }));
		const outputs = await started(async () => {
			expect(await send({ body, headers: over(plain) })).toBe(200);
		});
		expect(outputs).toMatchObject([{ record_id: event.record_id }]);
	});

	it('takes a body with a byte order mark in front', async () => {
		const event = eventOf();
		const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytesOf(event)]);
		// n8n 1 cannot read such JSON and answers itself; it leaves other types to the node.
		if (major === 1) await expectRefusal(422, async () => await send(signed(body)));
		const type = major === 1 ? 'text/plain' : 'application/json';
		const outputs = await started(async () => {
			expect(await send(signed(body, { 'content-type': type }))).toBe(200);
		});
		expect(outputs).toMatchObject([{ record_id: event.record_id }]);
	});

	it.each(['', '[]', '5', 'null', '{}'])('starts nothing with a signed %j', async (text) => {
		const plainText = { 'content-type': 'text/plain' };
		await expectRefusal(200, async () => await send(signed(bytesOf(text), plainText)));
		// As JSON n8n parses it first, and may answer by itself.
		await started(async () => {
			expect([200, 422]).toContain(await send(signed(bytesOf(text))));
		}).then((outputs) => expect(outputs).toEqual([]));
	});

	it('runs the same delivery once', async () => {
		const event = eventOf();
		const outputs = await started(async () => {
			const delivery = signed(bytesOf(event));
			const statuses = await Promise.all([delivery, delivery, delivery].map(send));
			expect([...statuses, await send(delivery)]).toEqual([200, 200, 200, 200]);
		});
		expect(outputs).toMatchObject([{ record_id: event.record_id }]);
	});

	it("starts nothing with a signed event that isn't for it", async () => {
		for (const changes of [
			{ workspace_id: 'wsp_other' },
			{ card_id: 'crd_other' },
			{ event: 'record.deleted' },
		]) {
			await expectRefusal(200, async () => await send(signed(bytesOf(eventOf(changes)))));
		}
	});

	it('answers other methods with 404', async () => {
		for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
			await expectRefusal(404, async () => await send({ method }));
		}
	});

	it('stands a flood of forgeries: no execution, at most a line a minute', async () => {
		const lines = async () =>
			(await bench().host.log())
				.split('\n')
				.filter((line) => line.includes('A delivery was refused')).length;
		const before = await lines();
		const begun = Date.now();
		const outputs = await started(async () => {
			const headers = { 'x-service-signature': 'a'.repeat(64) };
			for (let round = 0; round < 30; round += 1) {
				const statuses = await Promise.all(
					Array.from({ length: 10 }, async () => await send({ body: bytesOf('{}'), headers })),
				);
				expect(new Set(statuses)).toEqual(new Set([401]));
			}
		});
		expect(outputs).toEqual([]);
		const minutes = Math.ceil((Date.now() - begun) / 60_000);
		expect((await lines()) - before).toBeLessThanOrEqual(minutes);
		expect(await bench().host.log()).not.toContain(secret);
	});

	it('takes 10 MB; n8n itself refuses 17 MB', async () => {
		const big = (megabytes: number) =>
			eventOf({ data: { [card.fields.Title ?? '']: 'x'.repeat(megabytes * 1024 * 1024) } });
		const event = big(10);
		const outputs = await started(async () => {
			expect(await send(signed(bytesOf(event)))).toBe(200);
		});
		expect(outputs.map(({ record_id }) => record_id)).toEqual([event.record_id]);
		await expectRefusal(500, async () => await send(signed(bytesOf(big(17)))));
	});

	it('runs what the old subscription signed when the workflow is changed and published again', async () => {
		const { client } = bench();
		const [old, forged] = [eventOf(), eventOf()];
		const [late, foreign] = [signed(bytesOf(old)), signed(bytesOf(forged))];
		foreign.headers = { 'x-service-signature': sign(bytesOf(forged), `${secret}x`) };
		const current = await client.workflow(saved.id);
		const nodes = current.nodes.map((node) =>
			node.webhookId === undefined
				? node
				: { ...node, parameters: { ...node.parameters, options: { maxEventAge: 60 } } },
		);
		await client.publish(await client.updateWorkflow(current, { nodes }));
		secret = await readSecret(secret);
		const outputs = await started(async () => {
			expect([await send(late), await send(foreign)]).toEqual([200, 401]);
		});
		expect(outputs).toMatchObject([{ record_id: old.record_id }]);
	});

	it('runs a delivery again after a restart, with the same key', async () => {
		const { host, client } = bench();
		const delivery = signed(bytesOf(eventOf()));
		const [first] = await started(async () => {
			expect(await send(delivery)).toBe(200);
		});
		await host.kill();
		await host.start();
		await client.signIn();
		secret = await readSecret(secret);
		const [second] = await started(async () => {
			expect(await send(delivery)).toBe(200);
		});
		expect(second).toEqual(first);
	});
});

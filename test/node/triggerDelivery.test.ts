/** Deliveries to the trigger in n8n's real webhook context: forged, repeated, misdirected, odd ones. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { retainedBytes } from '../support/heap';
import { startStopwatch } from '../support/stopwatch';
import { triggerNode, watchWarnings, type TestTrigger } from '../support/trigger';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string; fieldIds: Record<string, string> };
let warnings: ReturnType<typeof watchWarnings>;

beforeAll(async () => {
	workspace = await startWorkspace();
	card = await workspace.card('Books', [
		{ name: 'Title', type: 'text' },
		{ name: 'Pages', type: 'number' },
	]);
});
afterAll(async () => await workspace.close());
beforeEach(() => {
	warnings = watchWarnings();
});
afterEach(() => {
	warnings.stop();
	workspace.service.control.reset();
	jest.restoreAllMocks();
});

/** Signs as the service does, not with the code under test. */
const sign = (body: Uint8Array, secret: string): string =>
	createHmac('sha256', secret).update(body).digest('hex');

interface StoredSubscription {
	id: string;
	secret: string;
}

/** The subscriptions as n8n saved them. */
const stored = (trigger: TestTrigger) =>
	JSON.parse(
		(trigger.saved() as Record<string, { subscriptions: string }>)[`node:${trigger.node.name}`]
			?.subscriptions ?? '{}',
	) as { current?: StoredSubscription; retired: StoredSubscription[] };

const secretOf = (trigger: TestTrigger): string => {
	const secret = stored(trigger).current?.secret;
	if (secret === undefined) throw new Error('No secret was saved');
	return secret;
};

/** An activated trigger, loaded again as for a delivery. */
async function activated(parameters: IDataObject = {}): Promise<TestTrigger> {
	const trigger = triggerNode(workspace.apiKey, {
		events: ['record.created', 'record.updated'],
		...parameters,
	});
	await trigger.activate();
	trigger.reload();
	return trigger;
}

let bodies = 0;
const eventBody = (changes: IDataObject = {}): IDataObject => ({
	event: 'record.created',
	timestamp: new Date().toISOString(),
	workspace_id: workspace.service.workspaceId,
	card_id: card.id,
	record_id: `rec_${(bodies += 1)}`,
	data: { [String(card.fieldIds.Title)]: 'Emma' },
	...changes,
});

const bytes = (value: unknown): Buffer =>
	Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** A delivery signed with the subscription's secret, unless told otherwise. */
function signed(trigger: TestTrigger, value: unknown, headers: Record<string, string> = {}) {
	const body = Buffer.isBuffer(value) ? value : bytes(value);
	return {
		body,
		headers: {
			'content-type': 'application/json',
			'x-service-signature': sign(body, secretOf(trigger)),
			...headers,
		},
	};
}

describe('A1–A18: what is verified', () => {
	it('A1 takes a valid delivery and gives names', async () => {
		const trigger = await activated();
		const body = eventBody();
		const { status, items } = await trigger.deliver(signed(trigger, body));
		expect(status).toBe(200);
		expect(items).toEqual([
			{
				event: 'record.created',
				timestamp: body.timestamp,
				workspace_id: body.workspace_id,
				card_id: body.card_id,
				record_id: body.record_id,
				fields: { Title: 'Emma' },
				delivery_key: expect.stringMatching(/^[0-9a-f]{64}$/),
			},
		]);
	});

	const wrongSignatures: Array<[string, (right: string) => string | undefined]> = [
		['A2 missing', () => undefined],
		['A2 empty', () => ''],
		['A3 63 digits', (right) => right.slice(1)],
		['A3 65 digits', (right) => `${right}0`],
		['A3 128 digits', (right) => right + right],
		['A4 not hexadecimal', () => 'g'.repeat(64)],
		['A4 é 64 times', () => 'é'.repeat(64)],
		['A4 NUL', (right) => `${right.slice(0, 63)}\0`],
		['A4 a line end behind it', (right) => `${right}\n`],
		['A6 with a prefix', (right) => `sha256=${right}`],
		['A7 sent twice, as Node.js joins it', (right) => `${right}, ${right}`],
	];
	it.each(wrongSignatures)('refuses a signature: %s', async (_name, change) => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		const { 'x-service-signature': right, ...others } = delivery.headers;
		const wrong = change(right);
		const headers = { ...others, ...(wrong !== undefined && { 'x-service-signature': wrong }) };
		const result = await trigger.deliver({ ...delivery, headers });
		expect(result).toEqual({ status: 401, items: undefined });
	});

	it('A5 takes the right value in upper case', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		delivery.headers['x-service-signature'] = delivery.headers['x-service-signature'].toUpperCase();
		expect(await trigger.deliver(delivery)).toMatchObject({ status: 200, items: [{}] });
	});

	it('A8 refuses a body of which one byte was changed', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		for (const position of [0, 20, delivery.body.length - 1]) {
			const body = Buffer.from(delivery.body);
			body[position] = (body[position] ?? 0) ^ 1;
			expect(await trigger.deliver({ ...delivery, body })).toMatchObject({ status: 401 });
		}
	});

	it('A9 refuses the same JSON written anew', async () => {
		const trigger = await activated();
		const body = eventBody();
		const delivery = signed(trigger, body);
		const spaced = bytes(JSON.stringify(body, null, 1));
		const turned = bytes(JSON.stringify(Object.fromEntries(Object.entries(body).reverse())));
		for (const other of [spaced, turned]) {
			expect(await trigger.deliver({ ...delivery, body: other })).toMatchObject({ status: 401 });
		}
	});

	it('A10 keeps accents and emoji, however they are written', async () => {
		const trigger = await activated();
		const field = String(card.fieldIds.Title);
		const plain = JSON.stringify(eventBody({ data: { [field]: 'é 🌍' } }));
		const escaped = JSON.stringify(eventBody({ data: { [field]: 'é 🌍' } }))
			.replace('é', '\\u00e9')
			.replace('🌍', '\\ud83c\\udf0d');
		for (const body of [plain, escaped]) {
			const { items } = await trigger.deliver(signed(trigger, body));
			expect(items?.[0]?.fields).toEqual({ Title: 'é 🌍' });
		}
	});

	it("A11 refuses what is signed with '', 'undefined' or another node's secret", async () => {
		const trigger = await activated();
		const other = await activated();
		const body = bytes(eventBody());
		for (const secret of ['', 'undefined', 'null', secretOf(other)]) {
			const headers = { 'x-service-signature': sign(body, secret) };
			expect(await trigger.deliver({ body, headers })).toEqual({
				status: 401,
				items: undefined,
			});
		}
	});

	it('A12 refuses everything as long as there is no secret, and says so once a minute', async () => {
		const trigger = triggerNode(workspace.apiKey, { events: ['record.created'] });
		const body = bytes(eventBody());
		for (const secret of ['', 'undefined', 'x']) {
			const headers = { 'x-service-signature': sign(body, secret) };
			expect(await trigger.deliver({ body, headers })).toMatchObject({ status: 401 });
		}
		expect(warnings.lines).toEqual([expect.stringContaining('this node has no subscription')]);
		expect(trigger.changed()).toBe(false);
	});

	it('A13 refuses a multipart body with a copied signature', async () => {
		const trigger = await activated();
		const type = 'multipart/form-data; boundary=x';
		const delivery = signed(trigger, eventBody(), { 'content-type': type });
		expect(await trigger.deliver(delivery)).toEqual({ status: 401, items: undefined });
	});

	it.each([['text/plain'], ['application/octet-stream'], ['application/xml'], ['']])(
		"A14 takes a body of type '%s'",
		async (type) => {
			const trigger = await activated();
			const delivery = signed(trigger, eventBody(), { 'content-type': type });
			expect(await trigger.deliver({ ...delivery, unread: true })).toMatchObject({
				status: 200,
				items: [{ event: 'record.created' }],
			});
		},
	);

	it('A16 takes a body with a byte order mark in front', async () => {
		const trigger = await activated();
		const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(eventBody())]);
		expect(await trigger.deliver(signed(trigger, body))).toMatchObject({
			status: 200,
			items: [{}],
		});
	});

	it.each(['', '[]', '[{}]', '5', 'null', '"text"', '{}', '{"event":5}', 'not json', '{"event":'])(
		'A17, A18 answers a signed body %j with 200 and starts nothing',
		async (body) => {
			const trigger = await activated();
			const result = await trigger.deliver(signed(trigger, Buffer.from(body)));
			expect(result).toEqual({ status: 200, items: undefined });
		},
	);

	it('takes every signature of the vectors, and of no other body', async () => {
		const file = join(__dirname, '..', 'vectors', 'signature.json');
		const { cases } = JSON.parse(readFileSync(file, 'utf8')) as {
			cases: Array<{ secret: string; bodyBase64: string; signature: string }>;
		};
		expect(cases.length).toBeGreaterThan(5);
		const trigger = await activated();
		const data = trigger.saved() as Record<string, { subscriptions: string }>;
		const key = `node:${trigger.node.name}`;
		for (const { secret, bodyBase64, signature } of cases) {
			const kept = JSON.parse(String(data[key]?.subscriptions)) as { current: StoredSubscription };
			// A subscription that is newer than what the process remembers, with the vector's secret.
			kept.current = {
				...kept.current,
				id: `vector ${secret}`,
				secret,
				since: Date.now(),
			} as never;
			trigger.reload({ [key]: { subscriptions: JSON.stringify(kept) } });
			const body = Buffer.from(bodyBase64, 'base64');
			const headers = { 'x-service-signature': signature };
			expect(await trigger.deliver({ body, headers })).toMatchObject({ status: 200 });
			const longer = Buffer.concat([body, Buffer.from(' ')]);
			expect(await trigger.deliver({ body: longer, headers })).toMatchObject({ status: 401 });
		}
	});
});

describe('A19–A24: what is taken, and how often', () => {
	it('A19 runs a delivery once, and gives a key that tells', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		const first = await trigger.deliver(delivery);
		expect(first.items).toHaveLength(1);
		trigger.reload();
		expect(await trigger.deliver(delivery)).toEqual({ status: 200, items: undefined });
	});

	it('runs the retry of a delivery that n8n could not save', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		const failed = await trigger.deliver({ ...delivery, n8nStatus: 500 });
		expect(failed.status).toBe(500);
		expect((await trigger.deliver(delivery)).items).toHaveLength(1);
		expect((await trigger.deliver(delivery)).items).toBeUndefined();
	});

	it('runs it once when the sender gave up waiting and comes again', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		expect((await trigger.deliver({ ...delivery, hungUp: true })).items).toHaveLength(1);
		expect((await trigger.deliver(delivery)).items).toBeUndefined();
	});

	it('C16 takes changes within one second whose bytes are the same for one event', async () => {
		const trigger = await activated();
		const change = (value: string) =>
			signed(
				trigger,
				eventBody({
					event: 'record.updated',
					record_id: 'rec_same',
					timestamp: '2026-01-31T12:00:00Z',
					data: { [String(card.fieldIds.Title)]: value },
				}),
			);
		const counts = [];
		for (const value of ['open', 'closed', 'open']) {
			counts.push((await trigger.deliver(change(value))).items?.length ?? 0);
		}
		expect(counts).toEqual([1, 1, 0]);
	});

	it('runs every delivery when duplicates are not to be ignored', async () => {
		const trigger = await activated({ options: { ignoreDuplicates: false } });
		const delivery = signed(trigger, eventBody());
		const first = await trigger.deliver(delivery);
		const second = await trigger.deliver(delivery);
		expect(second.items).toEqual(first.items);
	});

	it.each([
		['another workspace', { workspace_id: 'wsp_other' }],
		['another workspace, a number', { workspace_id: 999 }],
		['another card', { card_id: 'crd_other' }],
		['another card, a number', { card_id: 8 }],
		['an event not asked for', { event: 'record.deleted' }],
		['an unknown event', { event: 'record.exploded' }],
	] as Array<[string, IDataObject]>)(
		'A21 leaves out a signed event of %s',
		async (_name, changes) => {
			const cardId = { __rl: true, mode: 'id', value: card.id };
			const trigger = await activated({ watch: 'oneCard', cardId });
			for (let n = 0; n < 3; n += 1) {
				const result = await trigger.deliver(signed(trigger, eventBody(changes)));
				expect(result).toEqual({ status: 200, items: undefined });
			}
			expect(warnings.lines).toEqual([expect.stringContaining('A signed delivery was ignored')]);
		},
	);

	it('A22 refuses what the test subscription signed, at the production address', async () => {
		const trigger = await activated();
		const production = stored(trigger);
		const test = triggerNode(workspace.apiKey, { events: ['record.created'] }, { sameAs: trigger });
		await test.activate('manual');
		const body = bytes(eventBody());
		const headers = { 'x-service-signature': sign(body, secretOf(test)) };
		expect(await trigger.deliver({ body, headers })).toMatchObject({ status: 401 });
		expect(await test.deliver({ body, headers }, true)).toMatchObject({ items: [{}] });
		await test.endTest();
		expect(workspace.service.control.subscriptions().map(({ id }) => id)).toContain(
			production.current?.id,
		);
		expect(await trigger.deliver(signed(trigger, eventBody()))).toMatchObject({ items: [{}] });
	});

	it('A24 writes one line for a flood of forged deliveries, saves nothing and keeps nothing', async () => {
		const trigger = await activated();
		trigger.reload();
		const flood = async (from: number, to: number) => {
			for (let n = from; n < to; n += 1) {
				const body = bytes(eventBody({ record_id: `rec_${n}` }));
				const headers = { 'x-service-signature': sign(body, `guess ${n}`) };
				const { status } = await trigger.deliver({ body, headers });
				if (status !== 401) throw new Error(`forgery ${n} was answered ${status}`);
			}
		};
		await flood(0, 2_000);
		const before = retainedBytes();
		await flood(2_000, 10_000);
		// Less than a signature (64 bytes) for each of them.
		expect(retainedBytes() - before).toBeLessThan(8_000 * 64);
		expect(warnings.lines).toHaveLength(1);
		expect(trigger.changed()).toBe(false);
		expect(warnings.lines.join()).not.toContain(secretOf(trigger));
	}, 120_000);

	it('C8 runs an event once whose retries come before n8n has answered', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		// n8n answers after all have come, as behind a concurrency limit.
		const answers = await Promise.all([
			trigger.deliver({ ...delivery, answerAfterMs: 400 }),
			trigger.deliver(delivery),
			trigger.deliver(delivery),
			trigger.deliver(delivery),
		]);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		expect(answers.flatMap(({ items }) => items ?? [])).toHaveLength(1);
	});

	it('C10 keeps no request of senders that hang up, and forgets a node that is unpublished', async () => {
		const trigger = await activated();
		const hangUp = async (count: number) => {
			for (let n = 0; n < count; n += 1) {
				const body = eventBody({ padding: 'x'.repeat(200_000) });
				await trigger.deliver({ ...signed(trigger, body), hungUp: true });
			}
			// The target of a weak reference is kept until the turn ends.
			await new Promise(setImmediate);
		};
		await hangUp(20);
		const before = retainedBytes();
		const buffersBefore = process.memoryUsage().arrayBuffers;
		await hangUp(300);
		expect(retainedBytes() - before).toBeLessThan(200_000);
		expect(process.memoryUsage().arrayBuffers - buffersBefore).toBeLessThan(200_000);
		const last = signed(trigger, eventBody());
		await trigger.deliver({ ...last, hungUp: true });
		expect((await trigger.deliver(last)).items).toBeUndefined();
		await trigger.deactivate();
		expect((await trigger.deliver(last)).status).toBe(401);
	});

	it('C12 tries at most six secrets, and none that has expired', async () => {
		const trigger = await activated();
		const secrets = [secretOf(trigger)];
		for (let starts = 0; starts < 8; starts += 1) {
			await trigger.activate('init');
			secrets.push(secretOf(trigger));
		}
		trigger.reload();
		const statuses = [];
		for (const secret of secrets) {
			const body = bytes(eventBody());
			const headers = { 'x-service-signature': sign(body, secret) };
			statuses.push((await trigger.deliver({ body, headers })).status);
		}
		expect(statuses).toEqual([401, 401, 401, 200, 200, 200, 200, 200, 200]);
		await trigger.deactivate();
	});

	it('C13 refuses what a replaced subscription signs once its time is over, deleted or not', async () => {
		const trigger = await activated({ options: { overlap: 10 } });
		const old = secretOf(trigger);
		await trigger.activate('init');
		trigger.reload();
		const statusOf = async () => {
			const body = bytes(eventBody());
			const headers = { 'x-service-signature': sign(body, old) };
			return (await trigger.deliver({ body, headers })).status;
		};
		expect(await statusOf()).toBe(200);
		const now = Date.now();
		jest.spyOn(Date, 'now').mockReturnValue(now + 11 * 60_000);
		expect(await statusOf()).toBe(401);
		jest.restoreAllMocks();
		await trigger.deactivate();
	});

	it.each(['[]', '"text"', 'not JSON', '{"event":""}'])(
		'C18 takes the signed body %s for no event, and says so once a minute',
		async (text) => {
			const trigger = await activated();
			for (let n = 0; n < 3; n += 1) {
				const { status, items } = await trigger.deliver(signed(trigger, Buffer.from(text)));
				expect({ status, items }).toEqual({ status: 200, items: undefined });
			}
			expect(warnings.lines).toEqual([expect.stringContaining('its body is not an event')]);
		},
	);

	it('writes nothing into static data, whatever arrives', async () => {
		const trigger = await activated();
		await trigger.deliver(signed(trigger, eventBody()));
		await trigger.deliver(signed(trigger, eventBody({ card_id: 'crd_other' })));
		await trigger.deliver({ body: bytes('{}'), headers: {} });
		expect(trigger.changed()).toBe(false);
	});
});

describe('output', () => {
	it('gives the body as delivered when it is not to be simplified', async () => {
		const trigger = await activated({ simple: false });
		const body = eventBody({ more: { nested: true } });
		expect((await trigger.deliver(signed(trigger, body))).items).toEqual([body]);
	});

	it('passes on what the interface does not show, but nothing that steers n8n', async () => {
		const trigger = await activated({ events: ['collaborator.added'] });
		const collaborator = { email: 'ada@example.com', role: 'editor' };
		const common = {
			event: 'collaborator.added',
			timestamp: new Date().toISOString(),
			workspace_id: workspace.service.workspaceId,
			card_id: card.id,
		};
		const delivery = signed(trigger, { ...common, collaborator, error: 'x' });
		expect((await trigger.deliver(delivery)).items).toEqual([
			{ ...common, collaborator, delivery_key: expect.any(String) },
		]);
	});

	it('keeps field names that would change an object', async () => {
		const trigger = await activated();
		const body = JSON.stringify(eventBody()).replace(
			/"data":\{/,
			'"data":{"__proto__":"p","constructor":1,"error":"e",',
		);
		const { items } = await trigger.deliver(signed(trigger, body));
		const fields = items?.[0]?.fields as IDataObject;
		expect(Object.keys(fields).sort()).toEqual(['Title', '__proto__', 'constructor', 'error']);
		expect(Object.getOwnPropertyDescriptor(fields, '__proto__')?.value).toBe('p');
		expect(({} as IDataObject).p).toBeUndefined();
	});

	it('gives ids where they are wanted, without asking for the fields', async () => {
		const trigger = await activated({ options: { fieldKeys: 'id' } });
		workspace.service.control.resetRequests();
		const { items } = await trigger.deliver(signed(trigger, eventBody()));
		expect(items?.[0]?.fields).toEqual({ [String(card.fieldIds.Title)]: 'Emma' });
		expect(workspace.requests()).toEqual([]);
	});

	it('asks for the fields of a card once a minute, not once a delivery', async () => {
		const own = await workspace.card('Names', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		workspace.service.control.resetRequests();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const answers = await Promise.all(
			Array.from(
				{ length: 20 },
				async () => await trigger.deliver(signed(trigger, eventBody({ card_id: own.id, data }))),
			),
		);
		expect(answers.map(({ items }) => items?.[0]?.fields)).toEqual(
			Array.from({ length: 20 }, () => ({ Title: 'x' })),
		);
		expect(workspace.requests()).toEqual([`GET /cards/${own.id}/fields`]);
	});

	it('gives the name of a field that was added a moment ago, and asks for it once', async () => {
		const own = await workspace.card('Growing', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		const deliver = async (data: IDataObject) =>
			(await trigger.deliver(signed(trigger, eventBody({ card_id: own.id, data })))).items?.[0]
				?.fields;
		expect(await deliver({ [String(own.fieldIds.Title)]: 'x' })).toEqual({ Title: 'x' });
		const path = `/cards/${own.id}/fields`;
		const added = (await workspace.send('POST', path, { name: 'Year', type: 'text' })) as {
			id: string;
		};
		workspace.service.control.resetRequests();
		expect(await deliver({ [added.id]: '1815' })).toEqual({ Year: '1815' });
		for (let n = 0; n < 5; n += 1) {
			expect(await deliver({ fld_nobody_knows: n })).toEqual({ fld_nobody_knows: n });
		}
		expect(workspace.requests()).toEqual([`GET ${path}`]);
	});

	it('does not wait for a listing that only renews the one before', async () => {
		const own = await workspace.card('Renewed', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const deliver = async () =>
			(await trigger.deliver(signed(trigger, eventBody({ card_id: own.id, data })))).items;
		await deliver();
		workspace.service.control.fail({ method: 'GET', path: '/fields$', mode: 'hang' });
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + 61_000);
		const elapsed = startStopwatch();
		expect((await deliver())?.[0]?.fields).toEqual({ Title: 'x' });
		expect(elapsed()).toBeLessThan(1_000);
	});

	it('goes on with ids when the fields cannot be had', async () => {
		const own = await workspace.card('Nameless', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const delivery = signed(trigger, eventBody({ card_id: own.id, data }));
		expect((await trigger.deliver(delivery)).items?.[0]?.fields).toEqual(data);
	});

	it('C15 asks again a second after a listing that failed, and not more than once at a time', async () => {
		const trigger = await activated();
		const fresh = await workspace.card('Fresh', [{ name: 'Title', type: 'text' }]);
		const id = String(fresh.fieldIds.Title);
		const changes = () => ({ card_id: fresh.id, data: { [id]: 'Emma' } });
		workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 503, times: 1 });
		const next = async () =>
			(await trigger.deliver(signed(trigger, eventBody(changes())))).items?.[0]?.fields;
		const start = Date.now();
		const at = (ms: number) => jest.spyOn(Date, 'now').mockReturnValue(start + ms);
		at(0);
		expect(await next()).toEqual({ [id]: 'Emma' });
		at(900);
		expect(await next()).toEqual({ [id]: 'Emma' });
		workspace.service.control.resetRequests();
		at(1_100);
		const both = await Promise.all([next(), next()]);
		expect(both).toEqual([{ Title: 'Emma' }, { Title: 'Emma' }]);
		const asked = workspace.requests().filter((line) => line.endsWith('/fields'));
		expect(asked).toHaveLength(1);
	});

	it('goes on with ids within seconds when the listing hangs', async () => {
		const own = await workspace.card('Hanging', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated();
		workspace.service.control.fail({ method: 'GET', path: '/fields$', mode: 'hang' });
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const delivery = signed(trigger, eventBody({ card_id: own.id, data }));
		const elapsed = startStopwatch();
		expect((await trigger.deliver(delivery)).items?.[0]?.fields).toEqual(data);
		expect(elapsed()).toBeLessThan(4_000);
	});
});

describe('what starts the workflow', () => {
	const updated = (data: IDataObject) => eventBody({ event: 'record.updated', data });

	it('starts only when a watched field changed, by name or id', async () => {
		const { Title, Pages } = card.fieldIds;
		for (const field of ['Pages', Pages, 'pages']) {
			const trigger = await activated({ options: { watchFields: [field] } });
			const title = await trigger.deliver(signed(trigger, updated({ [String(Title)]: 'x' })));
			expect(title).toEqual({ status: 200, items: undefined });
			const pages = await trigger.deliver(signed(trigger, updated({ [String(Pages)]: null })));
			expect(pages.items?.[0]?.fields).toEqual({ Pages: null });
			// Other events have no changed fields.
			const created = await trigger.deliver(signed(trigger, eventBody()));
			expect(created.items).toHaveLength(1);
		}
	});

	it('starts when nobody can say which field a watched name means', async () => {
		const own = await workspace.card('Watched', [{ name: 'Title', type: 'text' }]);
		const trigger = await activated({ options: { watchFields: ['Title'] } });
		workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
		const data = { [String(own.fieldIds.Title)]: 'x' };
		const body = eventBody({ event: 'record.updated', card_id: own.id, data });
		expect((await trigger.deliver(signed(trigger, body))).items).toHaveLength(1);
	});

	describe('names of watched fields', () => {
		async function watching(fields: string[], watchFields: string[], watch = 'oneCard') {
			const own = await workspace.card(
				'Watched',
				fields.map((name) => ({ name, type: 'text' })),
			);
			const cardId = { __rl: true, mode: 'id', value: own.id };
			const trigger = await activated({ watch, cardId, options: { watchFields } });
			const change = async (fieldId: unknown) => {
				const body = { ...updated({ [String(fieldId)]: 'x' }), card_id: own.id };
				return (await trigger.deliver(signed(trigger, body))).items;
			};
			return { ...own, change };
		}

		it('that were changed at the service: every update starts, and the log says why', async () => {
			const { fieldIds, change } = await watching(['New name', 'Other'], ['Old name']);
			expect(await change(fieldIds['New name'])).toHaveLength(1);
			expect(await change(fieldIds.Other)).toHaveLength(1);
			expect(warnings.lines).toEqual([expect.stringContaining("no field 'Old name' to watch")]);
		});

		it('that were added a moment ago', async () => {
			const { id, fieldIds, change } = await watching(['Other', 'A'], ['A', 'B']);
			expect(await change(fieldIds.A)).toHaveLength(1);
			const { id: added } = (await workspace.send('POST', `/cards/${id}/fields`, {
				name: 'B',
				type: 'text',
			})) as { id: string };
			expect(await change(added)).toHaveLength(1);
			expect(await change(fieldIds.Other)).toBeUndefined();
			expect(warnings.lines).toEqual([]);
		});

		it('that two fields have', async () => {
			const { id, fieldIds, change } = await watching(['A', 'Other'], ['A']);
			workspace.service.control.fail({
				method: 'GET',
				path: '/fields$',
				status: 200,
				body: 'json',
				json: {
					fields: [
						{ field_id: fieldIds.A, name: 'A', type: 'text', card_id: id },
						{ field_id: 'fld_second', name: 'A', type: 'text', card_id: id },
						{ field_id: fieldIds.Other, name: 'Other', type: 'text', card_id: id },
					],
				},
			});
			expect(await change('fld_second')).toHaveLength(1);
			expect(await change(fieldIds.A)).toHaveLength(1);
			expect(await change(fieldIds.Other)).toBeUndefined();
		});

		it('that other cards have', async () => {
			const { fieldIds, change } = await watching(['Other'], ['Title'], 'allCards');
			expect(await change(fieldIds.Other)).toBeUndefined();
			expect(warnings.lines).toEqual([]);
		});
	});

	describe('filters', () => {
		let own: { id: string; fieldIds: Record<string, string> };
		beforeEach(async () => {
			own = await workspace.card('Filtered', [
				{ name: 'Title', type: 'text' },
				{ name: 'Pages', type: 'number' },
				{ name: 'Due', type: 'datetime' },
				{ name: 'Code', type: 'text' },
			]);
		});

		interface Case {
			conditions: IDataObject[];
			watch?: 'allCards' | 'oneCard';
			matchType?: string;
		}
		/** The output of a node with these conditions for an event with these values. */
		async function filtered({ conditions, watch = 'oneCard', matchType }: Case) {
			const trigger = await activated({
				events: ['record.created', 'record.updated', 'record.deleted', 'card.updated'],
				watch,
				cardId: { __rl: true, mode: 'id', value: own.id },
				options: { filters: { conditions }, ...(matchType && { matchType }) },
			});
			return async (event: string, values: IDataObject | undefined, more: IDataObject = {}) => {
				const data =
					values &&
					Object.fromEntries(
						Object.entries(values).map(([name, value]) => [own.fieldIds[name] ?? name, value]),
					);
				const body = eventBody({ event, card_id: own.id, data, ...more } as IDataObject);
				const { status, items } = await trigger.deliver(signed(trigger, body));
				expect(status).toBe(200);
				return items !== undefined;
			};
		}
		const pages = (condition: string, value: unknown = '') =>
			({ field: 'Pages', condition, value }) as IDataObject;
		const title = (condition: string, value = '') => ({ field: 'Title', condition, value });

		it.each<[string, Case, string, IDataObject | undefined, boolean]>([
			['met', { conditions: [pages('greaterThan', '9')] }, 'record.created', { Pages: 10 }, true],
			[
				'not met',
				{ conditions: [pages('greaterThan', '9')] },
				'record.created',
				{ Pages: 9 },
				false,
			],
			[
				'one of two is not enough',
				{ conditions: [pages('equals', 1), title('equals', 'a')] },
				'record.created',
				{ Pages: 1, Title: 'b' },
				false,
			],
			[
				'one of two is enough',
				{ conditions: [pages('equals', 1), title('equals', 'a')], matchType: 'anyCondition' },
				'record.created',
				{ Pages: 1, Title: 'b' },
				true,
			],
			[
				'an update that does not carry the field',
				{ conditions: [pages('equals', 1)] },
				'record.updated',
				{ Title: 'b' },
				false,
			],
			[
				'what is not carried is empty',
				{ conditions: [pages('isEmpty')] },
				'record.updated',
				{ Title: 'b' },
				true,
			],
			[
				'a deletion without values',
				{ conditions: [pages('equals', 1)] },
				'record.deleted',
				undefined,
				false,
			],
			['an event of a card', { conditions: [pages('equals', 1)] }, 'card.updated', undefined, true],
		])('%s', async (_, filters, event, values, starts) => {
			const deliver = await filtered(filters);
			expect(await deliver(event, values)).toBe(starts);
			expect(warnings.lines).toEqual([]);
		});

		it('compares with the record’s own id, and times in the time zone of the workflow', async () => {
			const deliver = await filtered({
				conditions: [{ field: 'id', condition: 'equals', value: 'rec_x' }],
			});
			expect(await deliver('record.created', {}, { record_id: 'rec_x' })).toBe(true);
			expect(await deliver('record.created', {}, { record_id: 'rec_y' })).toBe(false);
			const due = await filtered({
				conditions: [{ field: 'Due', condition: 'lessThan', value: '2026-01-01T12:00:00Z' }],
			});
			expect(await due('record.created', { Due: '2026-01-01T12:30:00+01:00' })).toBe(true);
			expect(await due('record.created', { Due: '2026-01-01T12:30:00Z' })).toBe(false);
		});

		const changeField = async (method: string, body?: IDataObject) =>
			await workspace.send(method, `/cards/${own.id}/fields/${own.fieldIds.Code ?? ''}`, body);

		it('a field that the card no longer has: every event starts, and the log says so', async () => {
			const deliver = await filtered({
				conditions: [{ field: 'Code', condition: 'equals', value: 1 }],
			});
			await changeField('DELETE');
			expect(await deliver('record.created', { Title: 'a' })).toBe(true);
			expect(warnings.lines).toEqual([expect.stringContaining("no field 'Code' to filter by")]);
		});

		it('a value that the field can no longer hold: every event starts, and the log says so', async () => {
			const deliver = await filtered({
				conditions: [{ field: 'Code', condition: 'equals', value: 'many' }],
			});
			await changeField('PATCH', { type: 'number' });
			expect(await deliver('record.created', { Code: 1 })).toBe(true);
			expect(warnings.lines).toEqual([expect.stringContaining('cannot hold "many"')]);
		});

		it.each([
			['an unknown field', { field: 'Nope', condition: 'equals', value: 1 }, "no field 'Nope'"],
			['a value of no use', { field: 'Pages', condition: 'equals', value: 'x' }, 'cannot hold "x"'],
			['an unknown condition', { field: 'Pages', condition: 'isLike' }, "'Condition' cannot be"],
		])(
			'%s is told to whoever publishes, and nothing is subscribed',
			async (_, condition, message) => {
				const before = workspace.service.control.subscriptions().length;
				await expect(filtered({ conditions: [condition] })).rejects.toThrow(message);
				expect(workspace.service.control.subscriptions()).toHaveLength(before);
			},
		);

		it('n8n starts: conditions that fit no longer do not end a published trigger', async () => {
			const trigger = triggerNode(workspace.apiKey, {
				events: ['record.created'],
				watch: 'oneCard',
				cardId: { __rl: true, mode: 'id', value: own.id },
				options: { filters: { conditions: [{ field: 'Nope', condition: 'isEmpty' }] } },
			});
			await trigger.activate('init');
			trigger.reload();
			const { items } = await trigger.deliver(signed(trigger, eventBody({ card_id: own.id })));
			expect(items).toHaveLength(1);
		});

		it('where the fields cannot be read, publishing goes on', async () => {
			workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
			const deliver = await filtered({ conditions: [{ field: 'Pages', condition: 'isEmpty' }] });
			workspace.service.control.reset();
			expect(await deliver('record.created', { Pages: 2 })).toBe(false);
		});

		it('a field that other cards have: with all cards, the condition is not met', async () => {
			const conditions = [{ field: 'Gone', condition: 'isEmpty', value: '' }, title('equals', 'a')];
			const all = await filtered({ conditions, watch: 'allCards' });
			expect(await all('record.created', { Title: 'a' })).toBe(false);
			const any = await filtered({ conditions, watch: 'allCards', matchType: 'anyCondition' });
			expect(await any('record.created', { Title: 'a' })).toBe(true);
			expect(await any('record.created', { Title: 'b' })).toBe(false);
			expect(warnings.lines).toEqual([]);
		});

		it('starts when the fields cannot be read, and the log says so', async () => {
			const deliver = await filtered({ conditions: [pages('equals', 1)] });
			workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
			expect(await deliver('record.created', { Pages: 2 })).toBe(true);
			expect(warnings.lines).toEqual([expect.stringContaining('could not be read')]);
		});

		it.each([
			[
				{ filters: { conditions: [{ field: '', condition: 'equals' }] } },
				"'Field Name or ID' is empty in a condition of 'Filters'",
			],
			[{ matchType: 'some' }, "'Match' cannot be 'some'"],
		])('%j is refused when the workflow is published', async (options, message) => {
			workspace.service.control.resetRequests();
			await expect(activated({ options })).rejects.toThrow(message);
			expect(workspace.requests()).toEqual([]);
		});
	});

	it('leaves out events that are too old', async () => {
		const trigger = await activated({ options: { maxEventAge: 5 } });
		const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
		const deliver = async (timestamp: unknown) =>
			(await trigger.deliver(signed(trigger, eventBody({ timestamp } as IDataObject)))).items;
		expect(await deliver(ago(6))).toBeUndefined();
		expect(await deliver(ago(4))).toHaveLength(1);
		expect(await deliver('not a time')).toHaveLength(1);
	});

	describe('C9 when the local clock was wrong at the start and is put right', () => {
		const skewed = async (minutes: number) => {
			const now = Date.now.bind(Date);
			jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
			const trigger = await activated({ options: { maxEventAge: 5 } });
			jest.restoreAllMocks();
			warnings = watchWarnings();
			return trigger;
		};

		it.each([-20, 20])('by %d minutes, takes fresh events', async (minutes) => {
			const trigger = await skewed(minutes);
			expect((await trigger.deliver(signed(trigger, eventBody()))).items).toHaveLength(1);
		});

		it.each([-20, 20])('by %d minutes, ignores old ones and says so', async (minutes) => {
			const trigger = await skewed(minutes);
			// Learns the time from the first event that seems to come from another time.
			await trigger.deliver(signed(trigger, eventBody()));
			const timestamp = new Date(Date.now() - 6 * 60_000).toISOString();
			const old = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
			expect(old.items).toBeUndefined();
			expect(warnings.lines).toEqual([expect.stringMatching(/it is 6 minutes old/)]);
		});

		it('asks the service at most once a minute, and takes events whose age nobody can tell', async () => {
			const trigger = await skewed(-20);
			workspace.service.control.resetRequests();
			for (let n = 0; n < 5; n += 1) await trigger.deliver(signed(trigger, eventBody()));
			const asked = () => workspace.requests().filter((line) => line.includes('/records')).length;
			expect(asked()).toBe(1);
			const away = await skewed(-20);
			workspace.service.control.fail({ path: '/records$', status: 503 });
			expect((await away.deliver(signed(away, eventBody()))).items).toHaveLength(1);
		});
	});

	it('takes a timestamp without an offset for UTC', async () => {
		const trigger = await activated({ options: { maxEventAge: 5 } });
		const minutesAgo = (minutes: number) =>
			new Date(Date.now() - minutes * 60_000).toISOString().replace('Z', '');
		const deliver = async (timestamp: string) =>
			(await trigger.deliver(signed(trigger, eventBody({ timestamp })))).items;
		expect(await deliver(minutesAgo(4))).toHaveLength(1);
		expect(await deliver(minutesAgo(6))).toBeUndefined();
	});

	it("measures the age by the service's clock", async () => {
		workspace.service.control.setClockOffset({ seconds: -3_600 });
		const trigger = await activated({ options: { maxEventAge: 5 } });
		const timestamp = new Date(Date.now() - 3_601_000).toISOString();
		expect((await trigger.deliver(signed(trigger, eventBody({ timestamp })))).items).toHaveLength(
			1,
		);
	});
});

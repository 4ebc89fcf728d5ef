/** Deliveries to the trigger in n8n's real webhook context: forged, repeated and misdirected ones. */
import type { IDataObject } from 'n8n-workflow';
import { leastOf } from '../support/cpuTime.mts';
import { bytes, secretOf, sign, signed, useDeliveries, valuesOf } from '../support/deliveries';
import { retainedBytes } from '../support/heap';
import { keptBy } from '../support/lifecycle';
import { triggerNode, type watchWarnings, type TestTrigger } from '../support/trigger';
import type { TestCard, TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let warnings: ReturnType<typeof watchWarnings>;
const { activated, eventBody } = useDeliveries((made) => ({ workspace, card, warnings } = made));

/** Delivers an event that is signed with a secret. @param body of an event that no other test has, unless told otherwise */
const deliverBy = async (trigger: TestTrigger, secret: string, body = bytes(eventBody())) =>
	await trigger.deliver({ body, headers: { 'x-service-signature': sign(body, secret) } });

describe('verifying a delivery', () => {
	const wrongSignatures: Array<[string, (right: string) => string | undefined]> = [
		['missing', () => undefined],
		['empty', () => ''],
		['A3 63 digits', (right) => right.slice(1)],
		['A3 65 digits', (right) => `${right}0`],
		['A3 128 digits', (right) => right + right],
		['not hexadecimal', () => 'g'.repeat(64)],
		['A4 é 64 times', () => 'é'.repeat(64)],
		['NUL', (right) => `${right.slice(0, 63)}\0`],
		['a line end behind it', (right) => `${right}\n`],
		['with a prefix', (right) => `sha256=${right}`],
		['sent twice, as Node.js joins it', (right) => `${right}, ${right}`],
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

	it('takes the right value in upper case', async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		delivery.headers['x-service-signature'] = delivery.headers['x-service-signature'].toUpperCase();
		expect(await trigger.deliver(delivery)).toMatchObject({ status: 200, items: [{}] });
	});

	it('refuses a body of which one byte was changed, and the same JSON serialized again', async () => {
		const trigger = await activated();
		const body = eventBody();
		const delivery = signed(trigger, body);
		const spaced = bytes(JSON.stringify(body, null, 1));
		expect(await trigger.deliver({ ...delivery, body: spaced })).toMatchObject({ status: 401 });
		for (const position of [0, 20, delivery.body.length - 1]) {
			const body = Buffer.from(delivery.body);
			body[position] = (body[position] ?? 0) ^ 1;
			expect(await trigger.deliver({ ...delivery, body })).toMatchObject({ status: 401 });
		}
	});

	it('keeps accents and emoji, however they are written', async () => {
		const trigger = await activated();
		const field = String(card.fieldIds.Title);
		const plain = JSON.stringify(eventBody({ data: { [field]: 'é 🌍' } }));
		const escaped = JSON.stringify(eventBody({ data: { [field]: 'é 🌍' } }))
			.replace('é', '\\u00e9')
			.replace('🌍', '\\ud83c\\udf0d');
		for (const body of [plain, escaped]) {
			const { items } = await trigger.deliver(signed(trigger, body));
			expect(valuesOf(items)).toEqual({ Title: 'é 🌍' });
		}
	});

	it("refuses what is signed with '', 'undefined' or another node's secret", async () => {
		const trigger = await activated();
		const other = await activated();
		for (const secret of ['', 'undefined', 'null', secretOf(other)]) {
			expect(await deliverBy(trigger, secret)).toEqual({ status: 401, items: undefined });
		}
	});

	it('refuses everything as long as there is no secret, and says so once a minute', async () => {
		const trigger = triggerNode(workspace.apiKey, { events: ['record.created'] });
		for (const secret of ['', 'undefined', 'x']) {
			expect(await deliverBy(trigger, secret)).toMatchObject({ status: 401 });
		}
		expect(warnings.lines).toEqual([expect.stringContaining('this node has no subscription')]);
		expect(trigger.changed()).toBe(false);
	});

	it('refuses a multipart body with a copied signature', async () => {
		const trigger = await activated();
		const type = 'multipart/form-data; boundary=x';
		const delivery = signed(trigger, eventBody(), { 'content-type': type });
		expect(await trigger.deliver(delivery)).toEqual({ status: 401, items: undefined });
	});

	it.each(['text/plain', 'application/octet-stream', 'application/xml', ''])(
		"takes a body of type '%s', with a byte order mark in front",
		async (type) => {
			const trigger = await activated();
			const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(eventBody())]);
			const delivery = signed(trigger, body, { 'content-type': type });
			expect(await trigger.deliver({ ...delivery, unread: true })).toMatchObject({
				status: 200,
				items: [{ event: 'record.created' }],
			});
		},
	);

	const noEvents = ['', '[]', '[{}]', '5', 'null', '"text"', '{}', '{"event":5}', 'not json'];
	/** As n8n couldn't store it. */
	const tooDeep = `{"event":"record.created","data":{"f":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
	it.each<[string, string | number[]]>([
		...[...noEvents, '{"event":', '{"event":""}'].map((text): [string, string] => [text, text]),
		['of bytes that are no text', [0xff, 0xfe, 0x00, 0xd8]],
		['of 20,000 levels', tooDeep],
	])(
		'responds with 200 to a signed body %s, starts nothing, and says so once a minute',
		async (_, body) => {
			const trigger = await activated();
			for (let n = 0; n < 3; n += 1) {
				const result = await trigger.deliver(signed(trigger, Buffer.from(body as string)));
				expect(result).toEqual({ status: 200, items: undefined });
			}
			expect(warnings.lines).toEqual([expect.stringContaining("its body isn't an event")]);
		},
	);
});

describe('which deliveries run, and how often', () => {
	it("runs the retry of a delivery that n8n couldn't save", async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		const failed = await trigger.deliver({ ...delivery, n8nStatus: 500 });
		expect(failed.status).toBe(500);
		expect((await trigger.deliver(delivery)).items).toHaveLength(1);
		expect((await trigger.deliver(delivery)).items).toBeUndefined();
	});

	it('takes changes within one second whose bytes are the same for one event', async () => {
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

	it("runs every delivery when duplicates aren't to be ignored", async () => {
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
	] as Array<[string, IDataObject]>)('leaves out a signed event of %s', async (_name, changes) => {
		const cardId = { __rl: true, mode: 'id', value: card.id };
		const trigger = await activated({ watch: 'oneCard', cardId });
		for (let n = 0; n < 3; n += 1) {
			const result = await trigger.deliver(signed(trigger, eventBody(changes)));
			expect(result).toEqual({ status: 200, items: undefined });
		}
		expect(warnings.lines).toEqual([expect.stringContaining('A signed delivery was ignored')]);
	});

	it('a test and the published workflow get the same event, and none that is signed for the other', async () => {
		const trigger = await activated();
		const production = keptBy(trigger);
		const test = triggerNode(workspace.apiKey, { events: ['record.created'] }, { sameAs: trigger });
		await test.activate('manual');
		const body = bytes(eventBody());
		const headersOf = (one: TestTrigger) => ({ 'x-service-signature': sign(body, secretOf(one)) });
		const forTest = { body, headers: headersOf(test) };
		const forProduction = { body, headers: headersOf(trigger) };
		expect(await trigger.deliver(forTest)).toMatchObject({ status: 401 });
		expect(await trigger.deliver(forProduction)).toMatchObject({ items: [{}] });
		expect(await test.deliver(forProduction, true)).toMatchObject({ status: 401 });
		expect(await test.deliver(forTest, true)).toMatchObject({ items: [{}] });
		await test.endTest();
		expect(workspace.service.control.subscriptions().map(({ id }) => id)).toContain(
			production.current?.id,
		);
		expect(await trigger.deliver(signed(trigger, eventBody()))).toMatchObject({ items: [{}] });
	});

	it('writes a line a minute for a flood of forged deliveries, saves nothing and keeps nothing', async () => {
		const trigger = await activated();
		trigger.reload();
		const flood = async (from: number, to: number) => {
			for (let n = from; n < to; n += 1) {
				const { status } = await deliverBy(trigger, `guess ${n}`);
				if (status !== 401) throw new Error(`forgery ${n} was answered ${status}`);
			}
		};
		const begun = Date.now();
		await flood(0, 200);
		// Less than a signature (64 bytes) for each of them.
		const limit = 1_500 * 64;
		const growth = await leastOf(limit, async () => {
			const before = retainedBytes();
			await flood(200, 1_700);
			return retainedBytes() - before;
		});
		expect(growth).toBeLessThan(limit);
		expect(warnings.lines.length).toBeGreaterThanOrEqual(1);
		expect(warnings.lines.length).toBeLessThanOrEqual(1 + (Date.now() - begun) / 60_000);
		expect(trigger.changed()).toBe(false);
		expect(warnings.lines.join()).not.toContain(secretOf(trigger));
	}, 240_000);

	it('runs an event once whose retries come before n8n has answered', async () => {
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

	it('keeps no request of senders that hang up', async () => {
		const trigger = await activated();
		const hangUp = async (count: number) => {
			for (let n = 0; n < count; n += 1) {
				const body = eventBody({ padding: 'x'.repeat(200_000) });
				await trigger.deliver({ ...signed(trigger, body), hungUp: true });
			}
			// The target of a weak reference is kept until the turn ends.
			await new Promise(setImmediate);
		};
		await hangUp(5);
		// Less than one of the requests, in the heap and outside it.
		const limit = 200_000;
		const growth = await leastOf(limit, async () => {
			const heap = retainedBytes();
			const { arrayBuffers } = process.memoryUsage();
			await hangUp(15);
			return Math.max(retainedBytes() - heap, process.memoryUsage().arrayBuffers - arrayBuffers);
		});
		expect(growth).toBeLessThan(limit);
		const last = signed(trigger, eventBody());
		await trigger.deliver({ ...last, hungUp: true });
		expect((await trigger.deliver(last)).items).toBeUndefined();
	});

	it('tries at most six secrets, and none that has expired', async () => {
		const trigger = await activated();
		const secrets = [secretOf(trigger)];
		for (let starts = 0; starts < 8; starts += 1) {
			await trigger.activate('init');
			secrets.push(secretOf(trigger));
		}
		trigger.reload();
		const statuses = [];
		for (const secret of secrets) {
			statuses.push((await deliverBy(trigger, secret)).status);
		}
		expect(statuses).toEqual([401, 401, 401, 200, 200, 200, 200, 200, 200]);
	});

	it('writes nothing into static data, whatever arrives', async () => {
		const trigger = await activated();
		await trigger.deliver(signed(trigger, eventBody()));
		await trigger.deliver(signed(trigger, eventBody({ card_id: 'crd_other' })));
		await trigger.deliver({ body: bytes('{}'), headers: {} });
		expect(trigger.changed()).toBe(false);
	});
});

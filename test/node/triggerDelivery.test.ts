/** Deliveries to the trigger in n8n's real webhook context: forged, repeated and misdirected ones. */
import { leastOf } from '../support/cpuTime.mts';
import { bytes, secretOf, signed, useDeliveries } from '../support/deliveries';
import { retainedBytes } from '../support/heap';
import { keptBy, signed as signedBy } from '../support/lifecycle';
import { triggerNode, type TestTrigger } from '../support/trigger';
import type { TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let warnings: { readonly lines: string[] };
const { activated, eventBody } = useDeliveries((made) => ({ workspace, warnings } = made));

/** Delivers an event that is signed with a secret. @param body of an event that no other test has, unless told otherwise */
const deliverBy = async (trigger: TestTrigger, secret: string, body = bytes(eventBody())) =>
	await trigger.deliver(signedBy({ id: 'any', secret }, body));

describe('verifying a delivery', () => {
	const wrongSignatures: Array<[string, (right: string) => string | undefined]> = [
		['missing', () => undefined],
		['63 digits', (right) => right.slice(1)],
		['65 digits', (right) => `${right}0`],
		['not hexadecimal', () => 'g'.repeat(64)],
		['a line end behind it', (right) => `${right}\n`],
		['with a prefix', (right) => `sha256=${right}`],
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
		const changed = Buffer.from(delivery.body);
		changed[20] = (changed[20] ?? 0) ^ 1;
		expect(await trigger.deliver({ ...delivery, body: changed })).toMatchObject({ status: 401 });
	});

	it("refuses what is signed with '', 'undefined' or another node's secret; without a subscription, it says so once a minute", async () => {
		const other = await activated();
		const none = triggerNode(workspace.apiKey, { events: ['record.created'] });
		for (const trigger of [await activated(), none]) {
			for (const secret of ['', 'undefined', 'null', secretOf(other)]) {
				expect(await deliverBy(trigger, secret)).toEqual({ status: 401, items: undefined });
			}
			expect(trigger.changed()).toBe(false);
		}
		expect(warnings.lines).toEqual([
			expect.stringContaining("isn't signed by a subscription of this node"),
			expect.stringContaining('this node has no subscription'),
		]);
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
	it('takes changes within one second whose bytes are the same for one event', async () => {
		const trigger = await activated();
		const same = eventBody({ event: 'record.updated', timestamp: '2026-01-31T12:00:00Z' });
		const counts = [];
		for (const Title of ['open', 'closed', 'open']) {
			const { items } = await trigger.deliver(signed(trigger, { ...same, data: { Title } }));
			counts.push(items?.length ?? 0);
		}
		expect(counts).toEqual([1, 1, 0]);
	});

	it("runs the retry of a delivery that n8n couldn't save", async () => {
		const trigger = await activated();
		const delivery = signed(trigger, eventBody());
		const failed = await trigger.deliver({ ...delivery, n8nStatus: 500 });
		expect(failed.status).toBe(500);
		expect((await trigger.deliver(delivery)).items).toHaveLength(1);
		expect((await trigger.deliver(delivery)).items).toBeUndefined();
	});

	it("runs every delivery when duplicates aren't to be ignored", async () => {
		const trigger = await activated({ options: { ignoreDuplicates: false } });
		const delivery = signed(trigger, eventBody());
		const first = await trigger.deliver(delivery);
		const second = await trigger.deliver(delivery);
		expect(second.items).toEqual(first.items);
	});

	it('a test and the published workflow get the same event, and none that is signed for the other', async () => {
		const trigger = await activated();
		const production = keptBy(trigger);
		const test = triggerNode(workspace.apiKey, { events: ['record.created'] }, { sameAs: trigger });
		await test.activate('manual');
		const body = bytes(eventBody());
		const [forTest, forProduction] = [signed(test, body), signed(trigger, body)];
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

	it('tries at most six secrets', async () => {
		const trigger = await activated();
		const secrets = [secretOf(trigger)];
		for (let starts = 0; starts < 7; starts += 1) {
			await trigger.activate('init');
			secrets.push(secretOf(trigger));
		}
		trigger.reload();
		const statuses = [];
		for (const secret of secrets) statuses.push((await deliverBy(trigger, secret)).status);
		expect(statuses).toEqual([401, 401, ...Array<number>(6).fill(200)]);
	});

	it('writes nothing into static data, whatever arrives', async () => {
		const trigger = await activated();
		await trigger.deliver(signed(trigger, eventBody()));
		await trigger.deliver(signed(trigger, eventBody({ card_id: 'crd_other' })));
		await trigger.deliver({ body: bytes('{}'), headers: {} });
		expect(trigger.changed()).toBe(false);
	});
});

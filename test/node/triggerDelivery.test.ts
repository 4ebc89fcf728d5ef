/** Deliveries to the trigger in n8n's real webhook context: forged, repeated and misdirected ones. */
import { WebhookContext } from 'n8n-core';
import { collectGarbage } from '../support/heap';
import {
	afterRestart,
	books,
	bytes,
	current,
	eventBody,
	live,
	oneCard,
	pass,
	published,
	runs,
	signed,
	signedBy,
	useTriggers,
	warnings,
	watchAll,
} from '../support/lifecycle';

useTriggers();

const REFUSED = { status: 401, items: undefined };
const IGNORED = { status: 200, items: undefined };

describe('verifying a delivery', () => {
	const wrongSignatures: Array<[string, (right: string) => string | undefined]> = [
		['missing', () => undefined],
		['63 digits', (right) => right.slice(1)],
		['65 digits', (right) => `${right}0`],
		['not hexadecimal', () => 'g'.repeat(64)],
		['in upper case', (right) => right.toUpperCase()],
		['a line end behind it', (right) => `${right}\n`],
		['with a prefix', (right) => `sha256=${right}`],
	];
	it.each(wrongSignatures)('refuses a signature: %s', async (_name, change) => {
		const trigger = await published();
		const delivery = signed(trigger, eventBody());
		const { 'x-service-signature': right = '', ...others } = delivery.headers;
		const wrong = change(right);
		const headers = { ...others, ...(wrong !== undefined && { 'x-service-signature': wrong }) };
		expect(await trigger.deliver({ ...delivery, headers })).toEqual(REFUSED);
	});

	it('refuses a body of which one byte was changed, and the same JSON serialized again', async () => {
		const trigger = await published();
		const body = eventBody();
		const delivery = signed(trigger, body);
		const spaced = bytes(JSON.stringify(body, null, 1));
		expect(await trigger.deliver({ ...delivery, body: spaced })).toEqual(REFUSED);
		const changed = Buffer.from(delivery.body);
		changed[20] = (changed[20] ?? 0) ^ 1;
		expect(await trigger.deliver({ ...delivery, body: changed })).toEqual(REFUSED);
	});

	it("refuses what is signed with '', 'undefined' or another node's secret, without a read of the credential; without a subscription, it says so once a minute", async () => {
		const other = await published();
		const none = watchAll();
		const read = jest.spyOn(WebhookContext.prototype, 'getCredentials');
		for (const trigger of [await published(), none]) {
			const before = trigger.saved();
			for (const secret of ['', 'undefined', 'null', current(other).secret]) {
				expect(await trigger.deliver(signedBy(secret, eventBody()))).toEqual(REFUSED);
			}
			expect(trigger.saved()).toEqual(before);
		}
		expect(read).not.toHaveBeenCalled();
		expect(warnings).toEqual([
			expect.stringContaining("isn't signed by a subscription of this node"),
			expect.stringContaining('no subscription is saved for this node'),
		]);
	});

	it('refuses a multipart body with a copied signature', async () => {
		const trigger = await published();
		const type = 'multipart/form-data; boundary=x';
		const delivery = signed(trigger, eventBody(), { 'content-type': type });
		expect(await trigger.deliver(delivery)).toEqual(REFUSED);
	});

	it.each(['text/plain', 'application/octet-stream', 'application/xml', ''])(
		"takes a body of type '%s', with a byte order mark in front",
		async (type) => {
			const trigger = await published();
			const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(eventBody())]);
			const delivery = signed(trigger, body, { 'content-type': type });
			expect(await trigger.deliver({ ...delivery, unread: true })).toMatchObject({
				status: 200,
				items: [{ event: 'record.created' }],
			});
		},
	);

	const noEvents = ['', '[]', '[{}]', '5', 'null', '"text"', '{}', '{"event":5}', 'not json'];
	it.each<[string, string | number[]]>([
		...[...noEvents, '{"event":', '{"event":""}'].map((text): [string, string] => [text, text]),
		['of bytes that are no text', [0xff, 0xfe, 0x00, 0xd8]],
	])(
		'responds with 200 to a signed body %s, starts nothing, and says so once a minute',
		async (_, body) => {
			const trigger = await published();
			for (let n = 0; n < 3; n += 1) {
				const delivery = signed(trigger, Buffer.from(body as string));
				expect(await trigger.deliver(delivery)).toEqual(IGNORED);
			}
			expect(warnings).toEqual([expect.stringContaining("its body isn't an event")]);
		},
	);

	it('ignores a signed event of another kind, workspace or card, each with a line in the log; takes one that names none', async () => {
		const trigger = await published(oneCard(books.id));
		for (const wrong of [
			{ event: 'record.deleted' },
			{ event: 'record.deleted' },
			{ event: 'ping' },
			{ workspace_id: 'wsp_other' },
			{ card_id: 'crd_other' },
		]) {
			expect(await trigger.deliver(signed(trigger, eventBody(wrong)))).toEqual(IGNORED);
		}
		expect(warnings).toEqual([
			expect.stringContaining("doesn't include the event 'Record Deleted'"),
			expect.stringContaining("doesn't include the event 'ping'"),
			expect.stringContaining('from another workspace'),
			expect.stringContaining('from another card'),
		]);
		const ofNoPlace = eventBody({ workspace_id: undefined, card_id: undefined });
		expect((await trigger.deliver(signed(trigger, ofNoPlace))).items).toHaveLength(1);
	});

	it('writes nothing into static data, whatever arrives', async () => {
		const trigger = await published();
		const before = trigger.saved();
		await runs(trigger, current(trigger));
		await trigger.deliver(signed(trigger, eventBody({ card_id: 'crd_other' })));
		await trigger.deliver({ body: bytes('{}'), headers: {} });
		expect(trigger.saved()).toEqual(before);
	});
});

describe('how often a delivery runs', () => {
	it('takes changes within one second whose bytes are the same for one event', async () => {
		const trigger = await published({ events: ['record.updated'] });
		const same = eventBody({ event: 'record.updated', timestamp: '2026-01-31T12:00:00Z' });
		const counts = [];
		for (const Title of ['open', 'closed', 'open']) {
			const { items } = await trigger.deliver(signed(trigger, { ...same, data: { Title } }));
			counts.push(items?.length ?? 0);
		}
		expect(counts).toEqual([1, 1, 0]);
	});

	it("runs the retry of a delivery that n8n couldn't save", async () => {
		const trigger = await published();
		const delivery = signed(trigger, eventBody());
		expect(await trigger.deliver({ ...delivery, n8nStatus: 500 })).toMatchObject({ status: 500 });
		expect((await trigger.deliver(delivery)).items).toHaveLength(1);
		expect(await trigger.deliver(delivery)).toEqual(IGNORED);
	});

	it("runs every delivery when duplicates aren't to be ignored", async () => {
		const trigger = await published({ options: { ignoreDuplicates: false } });
		const delivery = signed(trigger, eventBody());
		const first = await trigger.deliver(delivery);
		expect((await trigger.deliver(delivery)).items).toEqual(first.items);
	});

	it('runs an event again to which n8n has not responded for ten minutes', async () => {
		const trigger = await published();
		const delivery = signed(trigger, eventBody());
		let respond = (): void => {};
		const respondAfter = new Promise<void>((resolve) => (respond = resolve));
		const first = trigger.deliver({ ...delivery, respondAfter });
		await trigger.idle();
		pass({ minutes: 9 });
		expect(await trigger.deliver(delivery)).toEqual(IGNORED);
		pass({ minutes: 1 });
		expect((await trigger.deliver(delivery)).items).toHaveLength(1);
		respond();
		await first;
	});

	it.each([
		[200, 0],
		[500, 1],
	])(
		'of a sender that hung up: after n8n ended with %d, a retry runs %d times',
		async (n8nStatus, runs) => {
			const trigger = await published();
			const delivery = signed(trigger, eventBody());
			await trigger.deliver({ ...delivery, hungUp: true, n8nStatus });
			expect((await trigger.deliver(delivery)).items ?? []).toHaveLength(runs);
		},
	);

	it('keeps no request of senders that hang up', async () => {
		const trigger = await published();
		const hangUp = async () => {
			const delivery = signed(trigger, eventBody());
			await trigger.deliver({ ...delivery, hungUp: true });
			return new WeakRef(delivery.body);
		};
		const body = await hangUp();
		// No event tells that n8n has responded: the next delivery finds that out.
		await runs(trigger, current(trigger));
		// What is kept at the end of a turn is collected in a later one; jest's own time-out is the deadline.
		for (; body.deref(); collectGarbage()) await new Promise(setImmediate);
	});

	it('runs an event once that the old and the new subscription deliver, in one process and in another', async () => {
		const trigger = await published();
		const old = current(trigger);
		pass({ minutes: 3 });
		const next = afterRestart(trigger);
		await next.activate('init');
		const processor = afterRestart(next);
		const fromBefore = { timestamp: new Date(Date.now() - 10_000).toISOString() };
		const later = { timestamp: new Date(Date.now() + 10_000).toISOString() };
		// What happened before, the new one doesn't deliver.
		expect(await runs(next, old, fromBefore)).toBe(1);
		expect(await runs(next, old, { timestamp: 'soon' })).toBe(1);
		expect(await runs(next, old, later)).toBe(0);
		const body = eventBody(later);
		const [byOld, byNew] = [old, current(next)].map(({ secret }) => signedBy(secret, body));
		if (!byOld || !byNew) throw new Error('There are two');
		expect(await next.deliver(byNew)).toMatchObject({ items: [{}] });
		expect(await processor.deliver(byOld)).toEqual(IGNORED);
		expect(await next.deliver(byOld)).toEqual(IGNORED);
	});

	it('a test and the published workflow get the same event, and none that is signed for the other', async () => {
		const trigger = await published();
		await trigger.beginTest();
		expect(live(trigger)).toHaveLength(2);
		const body = eventBody();
		const byProduction = signed(trigger, body);
		const byTest = signedBy(current(trigger, trigger.testData()).secret, body);
		expect(await trigger.deliver(byTest)).toEqual(REFUSED);
		expect(await trigger.deliver(byProduction)).toMatchObject({ items: [{}] });
		expect(await trigger.deliver(byProduction, true)).toEqual(REFUSED);
		expect(await trigger.deliver(byTest, true)).toMatchObject({ items: [{}] });
		await trigger.endTest();
		expect(live(trigger)).toEqual([current(trigger).id]);
		expect(await runs(trigger, current(trigger))).toBe(1);
	});
});

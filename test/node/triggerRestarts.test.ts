/** n8n starts again or nothing comes for long: the subscription is renewed, and the old one delivers what was missed. */
import { hurry } from '../support/quickTime';
import { TriggerContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import {
	current,
	keptBy,
	lifecycleSuite,
	pass,
	SAVING,
	signed,
	tickAt,
	until,
	untilTicked,
} from '../support/lifecycle';
import type { TestTrigger } from '../support/trigger';

const suite = lifecycleSuite();

describe('over restarts', () => {
	it('runs an event once that both deliver', async () => {
		const trigger = await suite.published();
		const old = current(trigger);
		await trigger.activate('init');
		trigger.reload();
		const { body } = suite.delivery(old);
		const both = [old, current(trigger)].map((subscription) => signed(subscription, body));
		const answers = await Promise.all(both.map(async (one) => await trigger.deliver(one)));
		expect(answers.map(({ status }) => status)).toEqual([200, 200]);
		expect(answers.flatMap(({ items }) => items ?? [])).toHaveLength(1);
	});

	it("knows the service's clock when the service is away at the start", async () => {
		suite.workspace.service.control.setClockOffset({ seconds: -3_600 });
		const settings = { options: { maxEventAge: 5 } };
		const { old, next } = await suite.refusedAtStart({ status: 503 }, settings);
		const timestamp = new Date(Date.now() - 3_601_000).toISOString();
		expect((await next.deliver(suite.delivery(old, { timestamp }))).items).toHaveLength(1);
	});

	it('still verifies deliveries after an execution brings back old static data', async () => {
		const trigger = await suite.published();
		const before = trigger.saved();
		await trigger.activate('init');
		const newest = current(trigger);
		trigger.overwrite(before);
		await suite.runsFor(trigger, newest);
		// The delivery saves it again. The next start finds it, too, if n8n loses it once more.
		expect(trigger.changed()).toBe(true);
		expect(current(trigger).id).toBe(newest.id);
		trigger.reload(before);
		await trigger.activate('init');
		expect(keptBy(trigger).previous.map(({ id }) => id)).toContain(newest.id);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('keeps nothing of a late renewal that is under way when the workflow is unpublished, and published with other events', async () => {
		const { next: trigger } = await suite.refusedAtStart({ status: 503 });
		suite.refuseNext({ mode: 'slowBody', byteMs: 5 });
		await trigger.start();
		pass(0.03);
		await untilTicked(trigger, 'the renewal', () => suite.live(trigger).length === 2);
		expect(await trigger.deactivate()).toBe(true);
		trigger.node.parameters = { ...trigger.node.parameters, events: ['record.deleted'] };
		trigger.reload();
		await trigger.activate();
		await until('the end of the late one', () => suite.live(trigger).length === 1);
		expect(trigger.emitted).toEqual([]);
		expect(suite.live(trigger)).toMatchObject([
			{ id: current(trigger).id, events: ['record.deleted'] },
		]);
		const timestamp = new Date(Date.now() + 60_000).toISOString();
		const event = suite.delivery(current(trigger), { event: 'record.deleted', timestamp });
		trigger.reload();
		expect((await trigger.deliver(event)).items).toHaveLength(1);
	});

	describe('at a service that takes one subscription for an address', () => {
		const invalid = (status: number, detail: string) => ({
			status,
			json: { type: 'https://service.example/problems/validation', title: 'Invalid', detail },
		});
		it.each([
			['replaces its own', { status: 409 }, false],
			['replaces its own', { status: 409 }, true],
			['replaces its own', invalid(400, 'A webhook with this target_url already exists'), false],
			['replaces its own', invalid(422, 'target_url has already been taken'), false],
			['keeps its own', invalid(422, 'events is invalid'), false],
		])('%s after %j (catching up: %s)', async (what, refusal, catchUp) => {
			const isReplaced = what === 'replaces its own';
			const trigger = await suite.published({ options: { catchUp } });
			const old = current(trigger);
			const next = suite.afterRestart(trigger);
			suite.refuseNext({ ...refusal, times: 2 });
			await next.activate('init');
			await next.start();
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
			// A search needs a new subscription, even if the old one still delivers.
			if (catchUp) await next.deliver(suite.delivery(old));
			await tickAt(next, 1.1 / 60);
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(next).id]);
			expect(current(next).id === old.id).toBe(!isReplaced);
			const line = 'replaces it once it knows that it is';
			expect(suite.warnings.join().includes(line)).toBe(isReplaced);
			await next.deactivate();
		});

		it('makes room when it returns the existing subscription without its secret', async () => {
			const trigger = await suite.published();
			const { id } = current(trigger);
			suite.answerNext({ webhook_id: id, secret: '********' });
			await trigger.activate('init');
			expect(current(trigger).id).not.toBe(id);
			expect(suite.live(trigger).map((one) => one.id)).toEqual([current(trigger).id]);
			expect((await trigger.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
		});

		it("keeps the existing subscription if it can't be deleted", async () => {
			const trigger = await suite.published();
			const { id, secret } = current(trigger);
			suite.answerNext({ webhook_id: id });
			suite.workspace.fail('DELETE', '/webhooks/', { status: 500 });
			suite.answerNext({ webhook_id: id });
			await trigger.activate('init');
			expect(current(trigger)).toMatchObject({ id, secret });
			expect((await trigger.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
			expect(suite.live(trigger).map((one) => one.id)).toEqual([id]);
		});
	});

	it('starts again although the card, chosen by name, was renamed', async () => {
		const card = await suite.workspace.card('Old name', []);
		const cardId = { __rl: true, mode: 'name', value: 'Old name' };
		const trigger = await suite.published({ watch: 'oneCard', cardId });
		await suite.workspace.send('PATCH', `/cards/${card.id}`, { name: 'New name' });
		await trigger.activate('init');
		expect(suite.live(trigger)).toMatchObject([{ cardId: card.id }, { cardId: card.id }]);
		await trigger.deactivate();
		// Publishing is another matter: there somebody can correct it.
		await expect(trigger.activate()).rejects.toThrow(/no card called 'Old name'/);
	});

	const responses = [
		['404', { status: 404 }],
		['401', { status: 401 }],
		['302', { status: 302, headers: { location: 'https://login.example.com/' } }],
		['200 with a web page', { status: 200, body: 'html' }],
		['200 without a secret', { status: 200, body: 'json', json: { webhook_id: 'whk_x' } }],
		['no response', { mode: 'dropAfter' }],
		['429', { status: 429, headers: { 'retry-after': '3000' } }],
	] as const;
	it.each(responses)('outlives %s at the start, with its subscription', async (_, answer) => {
		hurry();
		const { old, next } = await suite.refusedAtStart(answer);
		expect(suite.warnings.join()).toContain("couldn't be renewed yet");
		expect(suite.workspace.requests()).not.toContain(`DELETE /webhooks/${old.id}`);
		await suite.runsFor(next, old);
	});

	describe('something that is wrong while n8n starts', () => {
		const wrong: Array<[string, Record<string, string>]> = [
			['a Base URL without /api/v1', { baseUrl: 'https://example.com' }],
			['an empty workspace', { workspaceId: '' }],
		];
		it.each(wrong)('%s: the trigger renews once it is mended', async (_name, credential) => {
			const trigger = await suite.published();
			const old = current(trigger);
			const { workspaceDataApi: own } = suite.workspace.apiKey;
			const credentials = { workspaceDataApi: { ...own, ...credential } };
			const next = suite.afterRestart(trigger, { credentials });
			await next.activate('init');
			await next.start('init');
			expect(
				suite.warnings.filter((line) => line.includes("couldn't be renewed yet")),
			).toHaveLength(1);
			expect(current(next).id).toBe(old.id);
			await suite.runsFor(next, old);
			// Somebody corrects the credential; n8n is not started again.
			Object.assign(credentials.workspaceDataApi, own);
			pass(0.05);
			await untilTicked(next, 'n8n to save it', () => current(next).id !== old.id);
			expect(suite.live(next)).toHaveLength(2);
			await next.deactivate();
			expect(suite.live(next)).toEqual([]);
		});

		it.each<[string, { webhookBase?: string }, Record<string, unknown>]>([
			['a webhook address without a scheme', { webhookBase: 'n8n.example.com' }, {}],
			['events by an expression without a value', {}, { events: '={{ $vars.none }}' }],
		])('%s: after the next start', async (_name, options, parameters) => {
			const trigger = await suite.published();
			const old = current(trigger);
			const events = trigger.node.parameters.events;
			Object.assign(trigger.node.parameters, parameters);
			const broken = suite.afterRestart(trigger, options);
			await broken.activate('init');
			await broken.start('init');
			expect(suite.warnings.join()).toContain("couldn't be renewed yet");
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
			trigger.node.parameters.events = events as never;
			const mended = suite.afterRestart(trigger, { staticData: broken.saved() });
			await mended.activate('init');
			expect(current(mended).id).not.toBe(old.id);
			await suite.runsFor(mended, old);
			await mended.deactivate();
			expect(suite.live(trigger)).toEqual([]);
		});
	});

	it('takes what an old address delivers during the overlap, and never deletes its subscription', async () => {
		const trigger = await suite.published({ options: { overlap: 60 } });
		const old = current(trigger);
		const moved = suite.afterRestart(trigger, { webhookBase: 'http://127.0.0.1:5999' });
		await moved.activate('init');
		await moved.start();
		await suite.runsFor(moved, old, current(moved));
		pass(1.1);
		await untilTicked(moved, 'the line in the log', () =>
			suite.warnings.find((line) => line.includes(`Subscription ${old.id} still exists`)),
		);
		expect((await moved.deliver(suite.delivery(old))).status).toBe(401);
		await moved.deactivate();
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
	});

	describe('while somebody listens for a test event', () => {
		it.each(['before', 'after'])(
			'a workflow published %s it began keeps its own',
			async (order) => {
				const trigger = suite.watchAll();
				if (order === 'after') await trigger.beginTest();
				await trigger.activate();
				await trigger.start('activate');
				if (order === 'before') await trigger.beginTest();
				expect(suite.live(trigger)).toHaveLength(2);
				await trigger.endTest();
				expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
				await suite.runsFor(trigger, current(trigger));
				await trigger.deactivate();
				expect(suite.live(trigger)).toEqual([]);
			},
		);

		it('also when n8n was killed during the test, and ends the test after its start', async () => {
			const trigger = await suite.published();
			await trigger.beginTest();
			const next = suite.afterRestart(trigger);
			await next.activate('init');
			await next.endTest();
			await suite.runsFor(next, current(next), current(trigger));
		});

		it('and the test its own when the workflow is unpublished', async () => {
			const trigger = await suite.published();
			await trigger.beginTest();
			await trigger.deactivate();
			expect(suite.live(trigger)).toMatchObject([
				{ targetUrl: expect.stringContaining('/webhook-test/') },
			]);
			expect(await trigger.execute([{ any: 'thing' }], 'manual')).toEqual([{ any: 'thing' }]);
			await trigger.endTest();
			expect(suite.live(trigger)).toEqual([]);
		});
	});
});

describe('when nothing comes for long', () => {
	const published = async (options: IDataObject = {}) => await suite.running({ options });

	it('subscribes again, in an execution without items, and lets the old one deliver until the overlap ends', async () => {
		const trigger = await published();
		const old = current(trigger);
		pass(26.5);
		await untilTicked(trigger, 'n8n to save it', () => current(trigger).id !== old.id);
		expect(trigger.emitted).toEqual([[SAVING]]);
		await suite.runsFor(trigger, current(trigger), old);

		pass(27);
		await untilTicked(trigger, 'the old one to be deleted', () => suite.live(trigger).length === 1);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
	});

	it("keeps a subscription that delivers, even events that aren't wanted", async () => {
		const trigger = await published();
		const before = suite.subscribed();
		pass(23);
		await trigger.deliver(suite.delivery(current(trigger), { event: 'record.deleted' }));
		pass(46);
		trigger.tick();
		await trigger.deactivate();
		expect(suite.subscribed()).toBe(before);
		expect(trigger.emitted).toEqual([]);
	});

	it("doesn't, if 'Renew After Silence' is 0", async () => {
		const trigger = await published({ renewAfterSilence: 0 });
		await tickAt(trigger, 10_000);
		expect(trigger.emitted).toEqual([]);
	});

	it('does so and catches up by expressions, too, which n8n 2 evaluates only while it activates the trigger', async () => {
		const trigger = await published({ catchUp: '={{ true }}', renewAfterSilence: '={{ 1 }}' });
		const old = current(trigger);
		jest.spyOn(TriggerContext.prototype, 'getNodeParameter').mockImplementation(() => {
			throw new Error('No bridge acquired for this context. Call acquire() first.');
		});
		pass(1.2);
		await untilTicked(trigger, 'n8n to save it', () => current(trigger).id !== old.id);
		pass(1.6);
		await untilTicked(trigger, 'catching up', () => trigger.emitted.length > 1);
		expect(trigger.emitted[1]).toMatchObject([{ json: { event: 'catch_up' } }]);
		await untilTicked(trigger, 'the old one to be deleted', () => suite.live(trigger).length === 1);
		expect(suite.warnings.filter((line) => line.includes("couldn't be checked"))).toEqual([]);
	});

	it('is saved in queue mode, too, where another process runs the execution', async () => {
		const trigger = await suite.running({}, suite.workspace.apiKey, { queueMode: true });
		const old = current(trigger);
		pass(26.5);
		trigger.tick();
		trigger.saveElsewhere({ global: { lastSeen: 7 } });
		await until('n8n to save it', () => current(trigger).id !== old.id);
		expect(trigger.emitted).toEqual([[SAVING]]);
		expect(trigger.saved()).toMatchObject({ global: { lastSeen: 7 } });
		expect(
			(await suite.afterRestart(trigger).deliver(suite.delivery(current(trigger)))).items,
		).toHaveLength(1);
	});

	it('takes back nothing when that execution is run once more', async () => {
		const trigger = await published();
		pass(26.5);
		await untilTicked(trigger, 'the first', () => trigger.emitted.length === 1);
		const early = current(trigger);
		pass(55);
		suite.workspace.service.control.setClockOffset({ seconds: 55 * 3_600 });
		await untilTicked(trigger, 'the second', () => current(trigger).id !== early.id);
		const latest = current(trigger);
		const order = trigger.emitted[0]?.[0]?.json as IDataObject;
		for (const mode of ['retry', 'trigger'] as const) {
			trigger.reload();
			expect(await trigger.execute([order], mode)).toEqual([]);
			trigger.changed();
			expect(current(trigger)).toEqual(latest);
		}
	});

	// Otherwise nobody knows that it saved: for a minute, the service may have paused it, so it is renewed once more.
	it.each<[string, Parameters<TestTrigger['endNext']>[0], number]>([
		['once if only a later node fails', { status: 'error', lastNodeExecuted: 'Other' }, 1],
		['once more if the execution fails in the trigger', { status: 'error' }, 3],
		["once more if n8n can't start the execution", { throws: new Error('No place') }, 3],
	])('saves %s', async (_name, ending, executions) => {
		const trigger = await published();
		const old = current(trigger);
		trigger.endNext(ending);
		for (let minutes = 0; minutes <= 40; minutes += 1) {
			await tickAt(trigger, 26.5 + minutes / 60);
		}
		expect(trigger.emitted).toEqual(new Array(executions).fill([SAVING]));
		const warned = suite.warnings.filter((line) => line.includes("couldn't be saved yet"));
		expect(warned).toHaveLength(ending.throws ? 1 : 0);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		expect(current(trigger).id).not.toBe(old.id);
	});
});

/** The trigger is published: one subscription, or a clear message. It is unpublished: its subscriptions end, and nothing else. */
import type { IDataObject } from 'n8n-workflow';
import { hurry } from '../support/quickTime';
import type { TestTrigger } from '../support/trigger';
import {
	afterRestart,
	current,
	keptBy,
	live,
	oneCard,
	pass,
	published,
	refuseNext,
	runs,
	subscribed,
	useTriggers,
	warnings,
	watchAll,
} from '../support/lifecycle';
import { credentialWith, startWorkspace, workspace } from '../support/workspace';

useTriggers();

/** An address at which nothing listens. */
const NOBODY = 'http://127.0.0.1:9/api/v1';

/** The previous subscriptions that n8n saved: their IDs, null for deleted ones. */
const previousOf = (trigger: TestTrigger) => keptBy(trigger).previous.map(({ id }) => id ?? null);

describe('publishing', () => {
	it.each([
		['an API key', () => workspace.apiKey],
		['a service account', () => workspace.serviceAccount],
	])('subscribes with %s and unsubscribes', async (_name, credentials) => {
		const events = ['record.created', 'card.updated'];
		const trigger = await published({ events }, credentials());
		const targetUrl = `http://127.0.0.1:5678/webhook/${trigger.node.webhookId}/webhook`;
		const { id } = current(trigger);
		expect(workspace.service.control.subscriptions()).toContainEqual(
			expect.objectContaining({ id, events, cardId: null, targetUrl }),
		);
		expect(await trigger.deactivate()).toBe(true);
		expect(live(trigger)).toEqual([]);
		expect(keptBy(trigger)).not.toHaveProperty('current');
		expect(previousOf(trigger)).toEqual([null]);
	});

	it.each(['id', 'name', 'list'])('subscribes to one card, chosen by %s', async (mode) => {
		const card = await workspace.card(`Chosen by ${mode}`, []);
		const value = mode === 'name' ? `chosen by ${mode}` : card.id;
		const trigger = await published(oneCard(value, mode));
		expect(workspace.service.control.subscriptions()).toContainEqual(
			expect.objectContaining({ id: current(trigger).id, cardId: card.id }),
		);
	});

	it('again with another card and other events: what is under way of those before still runs for 15 minutes', async () => {
		const [before, after] = await Promise.all(
			['Before', 'After'].map(async (name) => (await workspace.card(name, [])).id),
		);
		const trigger = await published(oneCard(before ?? ''));
		const old = current(trigger);
		await trigger.deactivate();
		Object.assign(trigger.node.parameters, oneCard(after ?? ''), { events: ['record.updated'] });
		trigger.reload();
		await trigger.activate();
		const event = { card_id: before, timestamp: new Date(Date.now() - 1_000).toISOString() };
		expect(await runs(trigger, old, event as IDataObject)).toBe(1);
		expect(await runs(trigger, current(trigger), event as IDataObject)).toBe(0);
		pass({ minutes: 15 });
		expect(await runs(trigger, old, event as IDataObject)).toBe(401);
	});

	const page =
		/^The subscription may have been created: The service's response doesn't .* 'body' is .*Check 'Base URL'/s;
	const json = (body: object, status = 200) => ({ status, body: 'json', json: body }) as const;
	it.each<[string, Parameters<typeof refuseNext>[0], RegExp]>([
		['a web page', { status: 200, body: 'html' }, page],
		['status 204', { status: 204, body: 'empty' }, /'webhook' is missing/],
		['no secret', json({ webhook_id: 'whk_no_secret' }, 201), /'secret' is missing/],
		['an empty secret', json({ webhook_id: 'whk', secret: '' }, 201), /'secret' is ""/],
		['no identifier', json({ secret: 'x' }), /'webhook_id' is missing/],
	])("isn't active after a response with %s, and says so", async (_what, response, message) => {
		refuseNext(response);
		const trigger = watchAll();
		await expect(trigger.activate()).rejects.toThrow(message);
		expect(keptBy(trigger).current).toBeUndefined();
	});

	it('leaves one subscription when the response is lost, as n8n tries five times within 18 seconds', async () => {
		const trigger = watchAll();
		refuseNext({ mode: 'dropAfter', times: 5 });
		const message =
			/^The subscription may have been created: .* Look for it in the settings of the service/;
		await expect(trigger.activate()).rejects.toThrow(message);
		for (const seconds of [1, 3, 5, 9]) {
			await trigger.deactivate();
			pass({ seconds });
			await expect(trigger.activate()).rejects.toThrow(message);
		}
		expect(live(trigger)).toHaveLength(1);
		workspace.service.control.clearFailures();
		pass({ seconds: 13 });
		await trigger.activate();
		expect(live(trigger)).toHaveLength(2);
		expect(await runs(trigger, current(trigger))).toBe(1);
	});

	describe('messages of a failed publication', () => {
		it.each<[string, IDataObject, Record<string, string>, RegExp]>([
			["a key that isn't accepted", {}, { apiKey: 'x' }, /Check 'API Key' in the credential/],
			["a service that isn't there", {}, { baseUrl: NOBODY }, /Check 'Base URL' in the credential/],
			['no API root', {}, { baseUrl: 'http://x' }, /'Base URL' must end in \/api\/v1/],
			['no event', { events: [] }, {}, /'Trigger On' is empty/],
			['no card', oneCard('', 'list'), {}, /'Card' is empty/],
			['an unknown card', oneCard('crd_x'), {}, /Card "crd_x" does not exist/],
			['an unknown card name', oneCard('None', 'name'), {}, /no card called 'None'/],
			['an unknown value of Watch', { watch: 'some' }, {}, /'Watch' can't be 'some'/],
		])('%s', async (_name, parameters, changes, message) => {
			const trigger = watchAll(parameters, credentialWith(changes));
			await expect(trigger.activate()).rejects.toThrow(message);
			expect(live(trigger)).toEqual([]);
			expect(await trigger.deactivate()).toBe(true);
		});

		it("an address that the service refuses, in the service's words", async () => {
			const problem = { detail: 'target_url must be public', title: 'Invalid webhook' };
			refuseNext({ status: 422, json: problem });
			await expect(published()).rejects.toThrow(
				/^(?!.*may have been created)Invalid webhook\. target_url must be public/s,
			);
			expect(warnings).toEqual([]);
		});

		it('no credential', async () => {
			const trigger = watchAll();
			delete trigger.node.credentials;
			trigger.reload();
			await expect(trigger.activate()).rejects.toThrow(/credential/i);
		});
	});

	it.each(['n8n.example.com', 'n8n.example.com:5678', ''])(
		"sends nothing when n8n's own address is '%s'",
		async (webhookBase) => {
			const trigger = watchAll({}, workspace.apiKey, { webhookBase });
			await expect(trigger.activate()).rejects.toThrow(
				/which isn't a valid address\. Set N8N_WEBHOOK_URL/,
			);
			expect(workspace.requests()).toEqual([]);
		},
	);

	it.each<[string, string, boolean]>([
		['Workspace Data Trigger', 'publishing says so', true],
		['Trigger', 'is found by n8n', false],
	])('without a webhook ID, a node called %s: %s', async (name, _what, isRefused) => {
		const trigger = watchAll();
		trigger.node.name = name;
		delete trigger.node.webhookId;
		trigger.reload();
		if (!isRefused) return await trigger.activate();
		await expect(trigger.activate()).rejects.toThrow(
			/the node has no webhook ID\. Add the trigger/,
		);
		expect(subscribed()).toBe(0);
	});
});

describe('unpublishing', () => {
	it('counts a subscription that is gone as deleted', async () => {
		const trigger = await published();
		await workspace.send('DELETE', `/webhooks/${current(trigger).id}`);
		expect(await trigger.deactivate()).toBe(true);
		expect(previousOf(trigger)).toEqual([null]);
		expect(warnings).toEqual([]);
	});

	it('ends the replaced subscriptions as well', async () => {
		const trigger = await published();
		pass({ minutes: 3 });
		const next = afterRestart(trigger);
		await next.activate('init');
		expect(live(next)).toHaveLength(2);
		expect(await next.deactivate()).toBe(true);
		expect(live(next)).toEqual([]);
	});

	it.each(['published again', 'started with n8n, which is published by then'])(
		"names what couldn't be deleted in the log, and deletes it when %s",
		async (how) => {
			const trigger = await published();
			const { id } = current(trigger);
			workspace.fail('DELETE', '/webhooks/', { status: 500, times: 3 });
			expect(await trigger.deactivate()).toBe(false);
			expect(warnings).toEqual([expect.stringContaining(id)]);
			expect(previousOf(trigger)).toEqual([id]);
			const next = how === 'published again' ? trigger : afterRestart(trigger);
			await next.activate(how === 'published again' ? 'activate' : 'init');
			expect(live(next)).toEqual([current(next).id]);
			expect(previousOf(next)).toEqual([null]);
		},
	);

	it('gives up on a deletion that hangs', async () => {
		const apart = await startWorkspace();
		const trigger = await published({}, apart.apiKey);
		const { id } = current(trigger);
		apart.service.control.fail({ method: 'DELETE', path: '/webhooks/', mode: 'hang', times: 9 });
		hurry();
		expect(await trigger.deactivate()).toBe(false);
		expect(previousOf(trigger)).toEqual([id]);
		expect(warnings).toEqual([expect.stringContaining(`${id} couldn't be deleted yet`)]);
		await apart.close();
	});

	it('deletes all of 12 under a limit', async () => {
		const limited = await startWorkspace();
		const triggers = Array.from({ length: 12 }, () => watchAll({}, limited.apiKey));
		for (const trigger of triggers) await trigger.activate();
		limited.service.control.setRate({ rate: { limit: 5, windowSeconds: 2 } });
		await Promise.all(triggers.map(async (trigger) => await trigger.deactivate()));
		expect(limited.service.control.subscriptions()).toEqual([]);
		await limited.close();
	});

	it("deletes nothing at another address, Base URL or workspace than the credential's; after a week it is given up, named in the log", async () => {
		const other = await startWorkspace();
		const place = { webhookBase: 'http://127.0.0.1:5678' };
		const credential = { ...workspace.apiKey.workspaceDataApi };
		const { baseUrl } = credential;
		const trigger = watchAll({}, { workspaceDataApi: credential }, place);
		await trigger.activate();
		const [elsewhere] = live(trigger);
		place.webhookBase = 'http://127.0.0.1:5999';
		pass({ minutes: 3 });
		await trigger.activate('init');
		const { id } = current(trigger);
		Object.assign(credential, other.apiKey.workspaceDataApi);
		workspace.service.control.resetRequests();
		expect(await trigger.deactivate()).toBe(false);
		expect(warnings).toEqual([
			expect.stringContaining(`${elsewhere} couldn't be deleted yet: it is in`),
			expect.stringContaining(`${id} couldn't be deleted yet: it is in`),
		]);
		await trigger.activate();
		expect(previousOf(trigger)).toEqual([elsewhere, id]);
		pass({ hours: 7 * 24 });
		await trigger.activate('init');
		expect(previousOf(trigger)).toEqual([]);
		for (const left of [elsewhere, id]) {
			expect(warnings.join()).toContain(`Subscription ${left} still exists`);
		}
		expect(workspace.requests()).toEqual([]);
		expect(String(baseUrl)).not.toBe(String(other.service.baseUrl));
		await other.close();
	});

	it('without a credential, the log names the subscription; with one again, it is deleted', async () => {
		const credentials = { ...workspace.apiKey };
		const trigger = await published({}, credentials);
		const { id } = current(trigger);
		delete credentials.workspaceDataApi;
		expect(await trigger.deactivate()).toBe(false);
		expect(warnings.join('\n')).toContain(`Subscription ${id} couldn't be deleted`);
		Object.assign(credentials, workspace.apiKey);
		await trigger.activate();
		expect(live(trigger)).toEqual([current(trigger).id]);
	});

	it('of one of two triggers with one node ID leaves the subscription of the other', async () => {
		const first = await published();
		const second = await published({}, workspace.apiKey, { sameAs: first, name: 'Second' });
		expect(second.node.id).toBe(first.node.id);
		await first.deactivate();
		expect(live(first)).toEqual([]);
		expect(live(second)).toEqual([current(second).id]);
		expect(await runs(second, current(second))).toBe(1);
	});
});

describe('while somebody listens for a test event', () => {
	it('a workflow that is published meanwhile keeps its own', async () => {
		const trigger = watchAll();
		await trigger.beginTest();
		await trigger.activate();
		expect(live(trigger)).toHaveLength(2);
		await trigger.endTest();
		expect(live(trigger)).toEqual([current(trigger).id]);
		expect(await runs(trigger, current(trigger))).toBe(1);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('n8n is killed, and ends the test after its start', async () => {
		const trigger = await published();
		await trigger.beginTest();
		const next = afterRestart(trigger);
		await next.activate('init');
		await next.endTest();
		expect(await runs(next, current(next))).toBe(1);
	});

	it('the workflow is unpublished: the test keeps its own, and ends', async () => {
		const trigger = await published();
		await trigger.beginTest();
		await trigger.deactivate();
		expect(live(trigger)).toHaveLength(1);
		expect(await trigger.execute([{ any: 'thing' }])).toEqual([{ any: 'thing' }]);
		await trigger.endTest();
		expect(live(trigger)).toEqual([]);
	});
});

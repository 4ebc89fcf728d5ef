/** The trigger is published: one subscription, or a clear message. It is unpublished: its subscriptions end, and nothing else. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import { current, keptBy, lifecycleSuite, pass, until, untilTicked } from '../support/lifecycle';
import { startWorkspace } from '../support/workspace';

const suite = lifecycleSuite();

/** An address at which nothing listens. */
const NOBODY = 'http://127.0.0.1:9/api/v1';

const credentialsWith = (changes: Record<string, string>) => ({
	workspaceDataApi: { ...suite.workspace.apiKey.workspaceDataApi, ...changes },
});

describe('publishing', () => {
	it.each([
		['an API key', () => suite.workspace.apiKey],
		['a service account', () => suite.workspace.serviceAccount],
	])('subscribes with %s and unsubscribes', async (_name, credentials) => {
		const events = ['record.created', 'card.updated'];
		const trigger = await suite.published({ events }, credentials());
		const targetUrl = `http://127.0.0.1:5678/webhook/${trigger.node.webhookId}/webhook`;
		const { id } = current(trigger);
		expect(suite.live(trigger)).toMatchObject([{ id, events, cardId: null, targetUrl }]);
		expect(await trigger.deactivate()).toBe(true);
		expect(suite.live(trigger)).toEqual([]);
		// Its late deliveries count if the workflow is published again soon.
		expect(keptBy(trigger)).toMatchObject({ previous: [{ fate: 'deleted' }] });
		expect(keptBy(trigger)).not.toHaveProperty('current');
	});

	it.each(['id', 'name', 'list'])('subscribes to one card, chosen by %s', async (mode) => {
		const card = await suite.workspace.card(`Chosen by ${mode}`, []);
		const value = mode === 'name' ? `chosen by ${mode}` : card.id;
		const cardId = { __rl: true, mode, value };
		const trigger = await suite.published({ watch: 'oneCard', cardId });
		expect(suite.live(trigger)).toMatchObject([{ cardId: card.id }]);
	});

	it('takes a late delivery of the card that was watched before', async () => {
		const [before, after] = await Promise.all(
			['Before', 'After'].map(async (name) => {
				const { id } = await suite.workspace.card(name, []);
				return { __rl: true, mode: 'id', value: id };
			}),
		);
		const trigger = await suite.published({ watch: 'oneCard', cardId: before });
		const old = current(trigger);
		await trigger.deactivate();
		trigger.node.parameters.cardId = after as never;
		trigger.reload();
		await trigger.activate();
		trigger.reload();
		const event = { card_id: before?.value };
		expect((await trigger.deliver(suite.delivery(old, event))).items).toHaveLength(1);
		const wrong = await trigger.deliver(suite.delivery(current(trigger), event));
		expect([wrong.status, wrong.items]).toEqual([200, undefined]);
	});

	it("follows n8n's address, which changed while it runs", async () => {
		const place = { webhookBase: 'http://127.0.0.1:5678' };
		const trigger = await suite.published({}, suite.workspace.apiKey, place);
		place.webhookBase = 'http://127.0.0.1:5999';
		await trigger.activate();
		await trigger.start('activate');
		const { id } = current(trigger);
		pass(26.5);
		await untilTicked(trigger, 'the renewal', () => current(trigger).id !== id);
		const renewed = suite.live(trigger).find((one) => one.id === current(trigger).id);
		expect(renewed?.targetUrl).toContain(':5999/');
	});

	it('understands a response in another shape', async () => {
		const shape = { webhookSecret: 'wrapped', objects: 'data', webhookIdKey: 'id' } as const;
		const statuses = { createStatus: 200, deleteStatus: 200, extraProperties: true } as const;
		suite.workspace.service.control.setVariants({ ...shape, ...statuses });
		const trigger = await suite.published();
		expect(suite.live(trigger)).toMatchObject([{ id: current(trigger).id }]);
		await suite.runsFor(trigger, current(trigger));
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('finds the identifier in Location', async () => {
		const headers = { location: '/api/v1/workspaces/w1/webhooks/sub%2F9' };
		const json = { secret: 'of the subscription' };
		suite.refuseNext({ status: 201, headers, body: 'json', json });
		const trigger = await suite.published();
		expect(current(trigger)).toMatchObject({ id: 'sub/9', secret: 'of the subscription' });
	});

	const page =
		/^The service responded with a web page instead of a subscription\. .*Check 'Base URL'/;
	const nothing = /^The service responded without a subscription: the response is empty\. /;
	const json = (body: object, status = 200) => ({ status, body: 'json', json: body }) as const;

	it.each<[string, Parameters<typeof suite.refuseNext>[0], RegExp]>([
		['a web page', { status: 200, body: 'html' }, page],
		['status 204', { status: 204, body: 'empty' }, nothing],
		['no secret', json({ webhook_id: 'whk_no_secret' }, 201), /but returned no secret/],
		['no identifier', json({ secret: 'x' }), /but returned no identifier/],
	])("isn't active after a response with %s, and says so", async (what, response, message) => {
		suite.refuseNext(response);
		const trigger = suite.watchAll();
		suite.workspace.service.control.resetRequests();
		await expect(trigger.activate()).rejects.toThrow(message);
		const isDeleted = suite.workspace.requests().includes('DELETE /webhooks/whk_no_secret');
		expect(isDeleted).toBe(what === 'no secret');
		expect(keptBy(trigger).current).toBeUndefined();
	});

	it('leaves one subscription when the response is lost, as n8n tries five times within 18 seconds', async () => {
		const trigger = suite.watchAll();
		suite.refuseNext({ mode: 'dropAfter', times: 5 });
		const message =
			/^The subscription may have been created: .*\. It may exist now: look for it in the settings of the service/;
		await expect(trigger.activate()).rejects.toThrow(message);
		for (const seconds of [1, 4, 9, 18]) {
			await trigger.deactivate();
			pass(seconds / 3_600);
			await expect(trigger.activate()).rejects.toThrow(message);
		}
		expect(suite.live(trigger)).toHaveLength(1);
		suite.workspace.service.control.clearFailures();
		pass(31 / 3_600);
		await trigger.activate();
		expect(suite.live(trigger)).toHaveLength(2);
		await suite.runsFor(trigger, current(trigger));
	});

	it("says nothing of a subscription that can't exist", async () => {
		suite.refuseNext({ status: 422 });
		await expect(suite.published()).rejects.toThrow(/^(?!.*may have been created)/s);
		expect(suite.warnings).toEqual([]);
		const elsewhere = suite.published({}, credentialsWith({ baseUrl: NOBODY }));
		await expect(elsewhere).rejects.toThrow(/^The service couldn't be reached/);
	});

	describe('messages of a failed publication', () => {
		const card = (mode: string, value: string) => ({
			watch: 'oneCard',
			cardId: { __rl: true, mode, value },
		});
		const unreachable = /couldn't be reached: the connection was refused.*Check 'Base URL'/;

		it.each<[string, IDataObject, Record<string, string>, RegExp]>([
			["a key that isn't accepted", {}, { apiKey: 'x' }, /Check 'API Key' in the credential/],
			["a service that isn't there", {}, { baseUrl: NOBODY }, unreachable],
			['no API root', {}, { baseUrl: 'http://x' }, /'Base URL' must end in \/api\/v1/],
			['no event', { events: [] }, {}, /'Trigger On' is empty/],
			['no card', card('list', ''), {}, /'Card' is empty/],
			['an unknown card', card('id', 'crd_x'), {}, /Card "crd_x" does not exist/],
			['an unknown card name', card('name', 'None'), {}, /no card called 'None'/],
			['an unknown value of Watch', { watch: 'some' }, {}, /'Watch' can't be 'some'/],
		])('%s', async (_name, parameters, changes, message) => {
			const trigger = suite.watchAll(parameters, credentialsWith(changes));
			await expect(trigger.activate()).rejects.toThrow(message);
			expect(suite.live(trigger)).toEqual([]);
			expect(await trigger.deactivate()).toBe(true);
		});

		it("an address that the service refuses, in the service's words", async () => {
			const problem = { detail: 'target_url must be public', title: 'Invalid webhook' };
			suite.refuseNext({ status: 422, json: problem });
			await expect(suite.published()).rejects.toThrow(
				/Invalid webhook\. target_url must be public/,
			);
		});

		it('no credential', async () => {
			const trigger = suite.watchAll();
			delete trigger.node.credentials;
			trigger.reload();
			await expect(trigger.activate()).rejects.toThrow(/No credential/);
		});
	});

	it.each(['n8n.example.com', 'n8n.example.com:5678', ''])(
		"sends nothing when n8n's own address is '%s'",
		async (webhookBase) => {
			const trigger = suite.watchAll({}, suite.workspace.apiKey, { webhookBase });
			suite.workspace.service.control.resetRequests();
			await expect(trigger.activate()).rejects.toThrow(
				/which isn't a valid address\. Set N8N_WEBHOOK_URL/,
			);
			expect(suite.workspace.requests()).toEqual([]);
		},
	);
});

describe('unpublishing', () => {
	it.each([
		[404, undefined],
		[410, { type: 'https://service.example/problems/webhook-not-found' }],
	])('counts a subscription that is gone as deleted: %d', async (status, json) => {
		const trigger = await suite.published();
		if (json) suite.workspace.fail('DELETE', '/webhooks/', { status, json });
		else await suite.workspace.send('DELETE', `/webhooks/${current(trigger).id}`);
		expect(await trigger.deactivate()).toBe(true);
		expect(keptBy(trigger).previous).toMatchObject([{ fate: 'deleted' }]);
		expect(suite.warnings).toEqual([]);
	});

	it("remembers what couldn't be deleted, and deletes it when published again", async () => {
		const trigger = await suite.published();
		const { id } = current(trigger);
		suite.workspace.fail('DELETE', '/webhooks/', { status: 500, times: 3 });
		expect(await trigger.deactivate()).toBe(false);
		expect(suite.warnings).toEqual([expect.stringContaining(id)]);
		expect(keptBy(trigger).previous).toMatchObject([{ id }]);
		await trigger.activate();
		expect(suite.live(trigger).map((one) => one.id)).toEqual([current(trigger).id]);
		expect(keptBy(trigger).previous).toMatchObject([{ id, fate: 'deleted' }]);
		expect(suite.warnings[1]).toContain(`Subscription ${id} is deleted now`);
	});

	it('gives up on a deletion that hangs', async () => {
		// The deletion continues in the background: at another service, it does not meet other tests.
		const apart = await startWorkspace();
		const trigger = await suite.published({}, apart.apiKey);
		const { control } = apart.service;
		control.fail({ method: 'DELETE', path: '/webhooks/', mode: 'hang', times: 100 });
		hurry();
		const ended = trigger.deactivate();
		// Nine seconds later.
		const now = Date.now.bind(Date);
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 9_000);
		expect(await ended).toBe(false);
		later.mockRestore();
		expect(keptBy(trigger).previous).toHaveLength(1);
		control.clearFailures();
		// A try that began before may hang for another 8 s; each call waits up to 9 s for it.
		if (!(await trigger.deactivate())) expect(await trigger.deactivate()).toBe(true);
		expect(control.subscriptions()).toEqual([]);
		await apart.close();
	});

	it.each([
		["a gateway's JSON", { status: 404, body: 'json', json: { message: 'no Route matched' } }],
		['the workspace', { status: 404, json: { type: 'https://x/problems/workspace-not-found' } }],
		['a refusal with status 200', { status: 200, body: 'json', json: { deleted: false } }],
	] as const)("doesn't take %s for a deletion: the log names it", async (_name, answer) => {
		const trigger = await suite.published();
		const { id } = current(trigger);
		suite.workspace.fail('DELETE', '/webhooks/', { ...answer });
		expect(await trigger.deactivate()).toBe(false);
		expect(keptBy(trigger).previous).toMatchObject([{ id }]);
		expect(suite.warnings.filter((line) => line.includes(id))).toEqual([
			expect.stringContaining("couldn't be deleted yet"),
		]);
	});

	it("deletes all of 12 under a limit that n8n doesn't wait for", async () => {
		const limited = await startWorkspace();
		const triggers = Array.from({ length: 12 }, () => suite.watchAll({}, limited.apiKey));
		for (const trigger of triggers) await trigger.activate();
		const left = () => limited.service.control.subscriptions().length;
		expect(left()).toBe(12);
		limited.service.control.setRate({ rate: { limit: 5, windowSeconds: 3 } });
		hurry();
		await Promise.all(triggers.map(async (trigger) => await trigger.deactivate()));
		await until('the last deletion', () => left() === 0);
		// The last responses are still on their way.
		await Promise.all(triggers.map(async (trigger) => await trigger.idle()));
		await limited.close();
	});

	it('deletes in the workspace in which it subscribed, whatever the credential names now', async () => {
		const credential = { ...suite.workspace.apiKey.workspaceDataApi };
		const trigger = await suite.published({}, { workspaceDataApi: credential });
		credential.workspaceId = 'wsp_other';
		expect(await trigger.deactivate()).toBe(true);
		expect(suite.live(trigger)).toEqual([]);
	});

	it('sends no credential to a service that it no longer belongs to, and names the subscription left there; a day later it is given up', async () => {
		const other = await startWorkspace();
		const credential = { ...suite.workspace.apiKey.workspaceDataApi };
		const trigger = await suite.published({}, { workspaceDataApi: credential });
		const { id } = current(trigger);
		const { baseUrl } = credential;
		Object.assign(credential, other.apiKey.workspaceDataApi);
		suite.workspace.service.control.resetRequests();
		other.service.control.resetRequests();
		expect(await trigger.deactivate()).toBe(false);
		expect(suite.workspace.requests()).toEqual([]);
		expect(other.requests()).toEqual([]);
		expect(suite.warnings.filter((line) => line.includes(id))).toEqual([
			expect.stringContaining(`at ${String(baseUrl)}`),
		]);
		expect(keptBy(trigger).previous).toMatchObject([{ id }]);

		await trigger.activate();
		await trigger.start();
		pass(25);
		await untilTicked(trigger, 'the line in the log', () =>
			suite.warnings.find((line) => line.includes(`Subscription ${id} still exists`)),
		);
		expect(suite.workspace.requests()).toEqual([]);
		await trigger.deactivate();
		await other.close();
	});

	it('leaves nothing behind when a renewal falls due meanwhile', async () => {
		let questions = 0;
		const receive = async () => {
			questions += 1;
			if (questions === 1) {
				trigger.tick();
				await until('the renewal', () => suite.live(trigger).length === 2);
			}
			return { status: 404, items: undefined };
		};
		const own = { ownAddress: { receive } };
		const trigger = await suite.running({}, suite.workspace.apiKey, own);
		pass(26.5);
		suite.refuseNext({ mode: 'slowBody', byteMs: 10 });
		await trigger.deactivate();
		await until('its end', () => suite.live(trigger).length === 0);
		await trigger.idle();
		expect(keptBy(trigger)).not.toHaveProperty('current');
	});
});

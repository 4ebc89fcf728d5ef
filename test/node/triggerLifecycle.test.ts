/** The trigger's subscriptions in n8n's real contexts: created, ended, renewed, never left behind. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TriggerContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { memoryOf } from '../../nodes/WorkspaceData/trigger/memory';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import type * as TriggerSupport from '../support/trigger';
import { startStopwatch } from '../support/stopwatch';
import { triggerNode, watchWarnings, type TestTrigger } from '../support/trigger';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let warnings: ReturnType<typeof watchWarnings>;

beforeAll(async () => {
	workspace = await startWorkspace();
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

interface Stored {
	id: string;
	secret: string;
}

const keptBy = (trigger: TestTrigger) => {
	const data = (trigger.saved() as Record<string, { subscriptions?: string }>)[
		`node:${trigger.node.name}`
	];
	return JSON.parse(data?.subscriptions ?? '{"retired":[]}') as {
		current?: Stored;
		retired: Stored[];
	};
};

const live = (trigger: TestTrigger) =>
	workspace.service.control
		.subscriptions()
		.filter(({ targetUrl }) => targetUrl.includes(String(trigger.node.webhookId)));

const watchAll = (parameters: IDataObject = {}, credentials = workspace.apiKey) =>
	triggerNode(credentials, { events: ['record.created'], ...parameters });

let records = 0;
/** A signed delivery of a record that was created. */
function delivery({ secret }: Stored, changes: IDataObject = {}) {
	const body = Buffer.from(
		JSON.stringify({
			event: 'record.created',
			timestamp: new Date().toISOString(),
			workspace_id: workspace.service.workspaceId,
			card_id: 'crd_1',
			record_id: `rec_${(records += 1)}`,
			...changes,
		}),
	);
	const signature = createHmac('sha256', secret).update(body).digest('hex');
	return { body, headers: { 'x-service-signature': signature } };
}

/** The item of the execution that saves a new subscription. */
const SAVING = { json: { event: 'subscription_renewed', sealed: expect.any(String) } };

const current = (trigger: TestTrigger): Stored => {
	const subscription = keptBy(trigger).current;
	if (!subscription) throw new Error('No subscription was saved');
	return subscription;
};

/** The next subscription is answered with this, and not made. */
const answerNext = (json: object): void =>
	workspace.service.control.fail({
		method: 'POST',
		path: '/webhooks$',
		status: 201,
		body: 'json',
		json,
	});

/** The process ends; n8n starts again with what it saved. */
function afterRestart(trigger: TestTrigger, staticData = trigger.saved()) {
	let next: TestTrigger | undefined;
	jest.isolateModules(() => {
		const support = jest.requireActual<typeof TriggerSupport>('../support/trigger');
		next = support.triggerNode(workspace.apiKey, trigger.node.parameters as IDataObject, {
			sameAs: trigger,
			staticData: JSON.parse(JSON.stringify(staticData)) as IDataObject,
		});
	});
	if (!next) throw new Error('The modules could not be loaded');
	return next;
}

/** Polls until something is there. */
async function until<T>(what: string, ask: () => T | undefined): Promise<T> {
	const end = performance.now() + 50_000;
	for (;;) {
		const answer = ask();
		if (answer !== undefined) return answer;
		if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

describe('publishing', () => {
	it.each([
		['an API key', () => workspace.apiKey],
		['a service account', () => workspace.serviceAccount],
	])('subscribes with %s and unsubscribes', async (_name, credentials) => {
		const trigger = watchAll({ events: ['record.created', 'card.updated'] }, credentials());
		await trigger.activate();
		expect(live(trigger)).toMatchObject([
			{
				id: current(trigger).id,
				events: ['record.created', 'card.updated'],
				cardId: null,
				targetUrl: `http://127.0.0.1:5678/webhook/${trigger.node.webhookId}/webhook`,
			},
		]);
		expect(await trigger.deactivate()).toBe(true);
		expect(live(trigger)).toEqual([]);
		expect(keptBy(trigger)).toEqual({ retired: [] });
	});

	it.each(['id', 'name', 'list'])('subscribes to one card, chosen by %s', async (mode) => {
		const card = await workspace.card(`Chosen by ${mode}`, []);
		const value = mode === 'name' ? `chosen by ${mode}` : card.id;
		const cardId = { __rl: true, mode, value };
		const trigger = watchAll({ watch: 'oneCard', cardId });
		await trigger.activate();
		expect(live(trigger)).toMatchObject([{ cardId: card.id }]);
		await trigger.deactivate();
	});

	const shapes = [
		{ webhookIdKey: 'id' },
		{ webhookSecret: 'wrapped' },
		{ webhookSecret: 'wrapped', objects: 'data', webhookIdKey: 'id' },
		{ objects: 'named' },
		{ objects: 'data', createStatus: 200 },
		{ extraProperties: true, deleteStatus: 200 },
	] as const;
	it.each(shapes)('understands the answer in the shape %j', async (variants) => {
		workspace.service.control.setVariants(variants);
		const trigger = watchAll();
		await trigger.activate();
		const [subscription] = live(trigger);
		expect(subscription?.id).toBe(current(trigger).id);
		trigger.reload();
		const result = await trigger.deliver(delivery(current(trigger)));
		expect(result.items).toHaveLength(1);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('B3 says so when the answer holds no secret, and is not active', async () => {
		const subscription = { webhook_id: 'whk_without_secret', events: [] };
		const answer = { method: 'POST', path: '/webhooks$', status: 200, body: 'json' } as const;
		workspace.service.control.fail({ ...answer, json: subscription });
		const trigger = watchAll();
		workspace.service.control.resetRequests();
		await expect(trigger.activate()).rejects.toThrow(/its answer holds no secret/);
		expect(workspace.requests()).toContain('DELETE /webhooks/whk_without_secret');
		expect(keptBy(trigger).current).toBeUndefined();
	});

	it('B3 says so when the answer holds no identifier', async () => {
		const answer = { method: 'POST', path: '/webhooks$', status: 200, body: 'json' } as const;
		for (const json of [{ secret: 'x' }, [], 'ok', null, { secret: 'x', card: { id: 'crd' } }]) {
			workspace.service.control.fail({ ...answer, json });
			const trigger = watchAll();
			await expect(trigger.activate()).rejects.toThrow(/its answer holds no (identifier|secret)/);
			expect(keptBy(trigger).current).toBeUndefined();
		}
	});

	it('B2 leaves at most one subscription for each lost answer', async () => {
		const trigger = watchAll();
		const lost = { method: 'POST', path: '/webhooks$', mode: 'dropAfter', times: 2 } as const;
		workspace.service.control.fail(lost);
		await expect(trigger.activate()).rejects.toThrow(/could not be reached/);
		await trigger.deactivate();
		await expect(trigger.activate()).rejects.toThrow(/could not be reached/);
		await trigger.deactivate();
		await trigger.activate();
		expect(live(trigger)).toHaveLength(3);
		trigger.reload();
		expect((await trigger.deliver(delivery(current(trigger)))).items).toHaveLength(1);
	});

	describe('what it says when it cannot', () => {
		const failures: Array<[string, () => TestTrigger, RegExp]> = [
			[
				'a key that is not accepted',
				() =>
					watchAll({}, { workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, apiKey: 'x' } }),
				/Check 'API Key' in the credential/,
			],
			[
				'a service that is not there',
				() =>
					watchAll(
						{},
						{
							workspaceDataApi: {
								...workspace.apiKey.workspaceDataApi,
								baseUrl: 'http://127.0.0.1:9/api/v1',
							},
						},
					),
				/could not be reached: the connection was refused.*Check 'Base URL'/,
			],
			[
				'an address without the API root',
				() =>
					watchAll(
						{},
						{ workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl: 'http://x' } },
					),
				/'Base URL' has to end in \/api\/v1/,
			],
			['no event', () => watchAll({ events: [] }), /'Trigger On' is empty/],
			[
				'no card',
				() => watchAll({ watch: 'oneCard', cardId: { __rl: true, mode: 'list', value: '' } }),
				/'Card' is empty/,
			],
			[
				'an unknown card',
				() => watchAll({ watch: 'oneCard', cardId: { __rl: true, mode: 'id', value: 'crd_x' } }),
				/Card "crd_x" does not exist/,
			],
			[
				'an unknown card name',
				() => watchAll({ watch: 'oneCard', cardId: { __rl: true, mode: 'name', value: 'None' } }),
				/no card called 'None'/,
			],
			['an unknown value of Watch', () => watchAll({ watch: 'some' }), /'Watch' cannot be 'some'/],
		];
		it.each(failures)('%s', async (_name, make, message) => {
			const trigger = make();
			await expect(trigger.activate()).rejects.toThrow(message);
			expect(live(trigger)).toEqual([]);
			expect(await trigger.deactivate()).toBe(true);
		});

		it("an address that the service refuses, in the service's words", async () => {
			const problem = { detail: 'target_url must be public', title: 'Invalid webhook' };
			workspace.service.control.fail({
				method: 'POST',
				path: '/webhooks$',
				status: 422,
				json: problem,
			});
			await expect(watchAll().activate()).rejects.toThrow(
				/Invalid webhook\. target_url must be public/,
			);
		});

		it('no credential', async () => {
			const trigger = watchAll();
			delete trigger.node.credentials;
			trigger.reload();
			await expect(trigger.activate()).rejects.toThrow(/No credential/);
		});

		it('nothing about secrets', async () => {
			const key = 'wsd_live_very_secret';
			const credentials = {
				workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, apiKey: key },
			};
			const error: unknown = await watchAll({}, credentials)
				.activate()
				.then(
					() => undefined,
					(thrown: unknown) => thrown,
				);
			expect(error).toBeInstanceOf(Error);
			const { message, description } = error as Error & { description?: string };
			expect(`${message} ${description}`).not.toContain(key);
			expect(warnings.lines.join()).not.toContain(key);
		});
	});

	it.each(['n8n.example.com', 'n8n.example.com:5678', ''])(
		"sends nothing when n8n's own address is '%s'",
		async (webhookBase) => {
			const trigger = triggerNode(
				workspace.apiKey,
				{ events: ['record.created'] },
				{ webhookBase },
			);
			workspace.service.control.resetRequests();
			await expect(trigger.activate()).rejects.toThrow(
				/as the address for deliveries, which is none\. Set n8n's webhook address/,
			);
			expect(workspace.requests()).toEqual([]);
		},
	);

	it('hints at a webhook address that only this machine can reach', async () => {
		const baseUrl = workspace.service.baseUrl;
		const trigger = watchAll();
		await trigger.activate();
		expect(warnings.lines).toEqual([]);
		expect(baseUrl).toContain('127.0.0.1');
		await trigger.deactivate();
	});
});

describe('unpublishing', () => {
	it('B5 counts a subscription that is gone as deleted', async () => {
		const trigger = watchAll();
		await trigger.activate();
		await workspace.send('DELETE', `/webhooks/${current(trigger).id}`);
		expect(await trigger.deactivate()).toBe(true);
		expect(warnings.lines).toEqual([]);
	});

	it('B5 remembers what could not be deleted, and deletes it when published again', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const { id } = current(trigger);
		workspace.service.control.fail({ method: 'DELETE', path: '/webhooks/', status: 500 });
		expect(await trigger.deactivate()).toBe(false);
		expect(warnings.lines).toEqual([expect.stringContaining(id)]);
		expect(keptBy(trigger).retired).toMatchObject([{ id }]);
		await trigger.activate();
		expect(live(trigger).map((one) => one.id)).toEqual([current(trigger).id]);
		expect(keptBy(trigger).retired).toEqual([]);
		await trigger.deactivate();
	});

	it('B5 gives up on a deletion that hangs', async () => {
		const trigger = watchAll();
		await trigger.activate();
		workspace.service.control.fail({ method: 'DELETE', path: '/webhooks/', mode: 'hang' });
		const elapsed = startStopwatch();
		expect(await trigger.deactivate()).toBe(false);
		expect(elapsed()).toBeLessThan(10_000);
		expect(keptBy(trigger).retired).toHaveLength(1);
		workspace.service.control.reset();
		expect(await trigger.deactivate()).toBe(true);
	});

	it.each([404, 410])('counts as deleted what the service answers %d for', async (status) => {
		const trigger = watchAll();
		await trigger.activate();
		workspace.service.control.fail({ method: 'DELETE', path: '/webhooks/', status });
		expect(await trigger.deactivate()).toBe(true);
		expect(keptBy(trigger).retired).toEqual([]);
	});

	it('deletes in the workspace in which it subscribed, whatever the credential names now', async () => {
		const credential = { ...workspace.apiKey.workspaceDataApi };
		const trigger = watchAll({}, { workspaceDataApi: credential });
		await trigger.activate();
		credential.workspaceId = 'wsp_other';
		expect(await trigger.deactivate()).toBe(true);
		expect(live(trigger)).toEqual([]);
	});

	it('sends no credential to a service for which it is no longer, and names what is left', async () => {
		const other = await startWorkspace();
		const credential = { ...workspace.apiKey.workspaceDataApi };
		const trigger = watchAll({}, { workspaceDataApi: credential });
		await trigger.activate();
		const { id } = current(trigger);
		const { baseUrl } = credential;
		Object.assign(credential, other.apiKey.workspaceDataApi);
		workspace.service.control.resetRequests();
		other.service.control.resetRequests();
		expect(await trigger.deactivate()).toBe(false);
		expect(workspace.requests()).toEqual([]);
		expect(other.requests()).toEqual([]);
		expect(warnings.lines).toEqual([expect.stringContaining(`at ${String(baseUrl)}`)]);
		expect(keptBy(trigger).retired).toMatchObject([{ id }]);

		await trigger.activate();
		const week = 7 * 24 * 3_600_000;
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + week + 1_000);
		await trigger.activate();
		expect(keptBy(trigger).retired.map((one) => one.id)).not.toContain(id);
		expect(warnings.lines.join()).toContain(`Subscription ${id} is left behind`);
		await trigger.deactivate();
		await other.close();
	});

	it('does not wait for an auth server that does not answer', async () => {
		const silent = createServer(() => undefined);
		await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
		const account = workspace.serviceAccount.workspaceDataServiceAccountApi;
		const credential = { ...account };
		const trigger = watchAll({}, { workspaceDataServiceAccountApi: credential });
		await trigger.activate();
		const { id } = current(trigger);
		credential.authUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
		const ended = trigger.deactivate();
		// Nine seconds later.
		const now = Date.now.bind(Date);
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 9_000);
		expect(await ended).toBe(false);
		expect(keptBy(trigger)).toMatchObject({ retired: [{ id }] });
		later.mockRestore();
		silent.closeAllConnections();
		silent.close();
		await until('the end of the deletion, which went on', () =>
			warnings.lines.some((line) => line.includes(id)) ? true : undefined,
		);

		Object.assign(credential, account);
		expect(await trigger.deactivate()).toBe(true);
		expect(live(trigger)).toEqual([]);
	});

	it('ends without a credential, too', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const credentials = trigger.node.credentials;
		delete trigger.node.credentials;
		trigger.reload();
		expect(await trigger.deactivate()).toBe(false);
		trigger.node.credentials = credentials;
		trigger.reload();
		expect(await trigger.deactivate()).toBe(true);
		expect(live(trigger)).toEqual([]);
	});

	it('deletes the subscriptions of an overlap as well', async () => {
		const trigger = watchAll();
		await trigger.activate();
		await trigger.activate('init');
		expect(live(trigger)).toHaveLength(2);
		expect(await trigger.deactivate()).toBe(true);
		expect(live(trigger)).toEqual([]);
	});
});

describe('over restarts', () => {
	it('subscribes anew at every start and takes deliveries of both meanwhile', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const old = current(trigger);
		const next = afterRestart(trigger);
		await next.activate('init');
		next.reload();
		expect(live(trigger)).toHaveLength(2);
		expect(current(next).id).not.toBe(old.id);
		expect((await next.deliver(delivery(old))).items).toHaveLength(1);
		expect((await next.deliver(delivery(current(next)))).items).toHaveLength(1);
		await next.deactivate();
	});

	it('runs an event once that both deliver', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const old = current(trigger);
		await trigger.activate('init');
		trigger.reload();
		const { body } = delivery(old);
		const by = ({ secret }: Stored) => ({
			body,
			headers: { 'x-service-signature': createHmac('sha256', secret).update(body).digest('hex') },
		});
		const answers = await Promise.all([
			trigger.deliver(by(old)),
			trigger.deliver(by(current(trigger))),
		]);
		expect(answers.map(({ status }) => status)).toEqual([200, 200]);
		expect(answers.flatMap(({ items }) => items ?? [])).toHaveLength(1);
		await trigger.deactivate();
	});

	it('leaves it to the new one also where duplicates are not ignored', async () => {
		const trigger = watchAll({ options: { ignoreDuplicates: false } });
		await trigger.activate();
		const old = current(trigger);
		await trigger.activate('init');
		trigger.reload();
		const timestamp = new Date(Date.now() + 60_000).toISOString();
		expect((await trigger.deliver(delivery(old, { timestamp }))).items).toBeUndefined();
		const own = await trigger.deliver(delivery(current(trigger), { timestamp }));
		expect(own.items).toHaveLength(1);
		await trigger.deactivate();
	});

	it('leaves to the new subscription what happened long after it was made', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const old = current(trigger);
		// Another process of n8n, which has seen nothing of this.
		await trigger.activate('init');
		const other = afterRestart(trigger);
		const timestamp = new Date(Date.now() + 60_000).toISOString();
		expect(await other.deliver(delivery(old, { timestamp }))).toEqual({
			status: 200,
			items: undefined,
		});
		const own = await other.deliver(delivery(current(trigger), { timestamp }));
		expect(own.items).toHaveLength(1);
		await trigger.deactivate();
	});

	it.each([
		['without an offset', () => new Date().toISOString().replace('Z', '')],
		['of another clock', () => new Date(Date.now() - 9 * 3_600_000).toISOString()],
	])('takes late deliveries of the old one beside a time of creation %s', async (_name, time) => {
		const trigger = watchAll();
		await trigger.activate();
		const old = current(trigger);
		answerNext({ webhook_id: 'whk_odd_time', secret: 's', created_at: time() });
		await trigger.activate('init');
		trigger.reload();
		const timestamp = new Date(Date.now() - 3_600_000).toISOString();
		expect((await trigger.deliver(delivery(old, { timestamp }))).items).toHaveLength(1);
		await trigger.deactivate();
	});

	it('warns of what it cannot renew also while forged deliveries come', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const failing = { method: 'POST', path: '/webhooks$', status: 503, times: 2 } as const;
		workspace.service.control.fail(failing);
		await trigger.activate('init');
		await trigger.deliver({ body: Buffer.from('{}'), headers: {} });
		await trigger.start();
		trigger.tick();
		await until('the warning', () =>
			warnings.lines.some((line) => line.includes('Upkeep of the subscription')) ? true : undefined,
		);
		expect(warnings.lines.filter((line) => line.includes('was refused'))).toHaveLength(1);
		await trigger.deactivate();
	});

	it("knows the service's clock when the service is away at the start", async () => {
		workspace.service.control.setClockOffset({ seconds: -3_600 });
		const trigger = watchAll({ options: { maxEventAge: 5 } });
		await trigger.activate();
		const next = afterRestart(trigger);
		workspace.service.control.fail({ method: 'POST', path: '/webhooks$', status: 503 });
		await next.activate('init');
		const timestamp = new Date(Date.now() - 3_601_000).toISOString();
		expect((await next.deliver(delivery(current(trigger), { timestamp }))).items).toHaveLength(1);
		await next.deactivate();
	});

	it('deletes the old subscription when its time is over', async () => {
		const trigger = watchAll({ options: { overlap: 0 } });
		await trigger.activate();
		await trigger.activate('init');
		expect(live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);

		const slow = watchAll({ options: { overlap: 10 } });
		await slow.activate();
		const old = current(slow);
		await slow.activate('init');
		const response = await slow.start();
		slow.tick();
		expect(live(slow)).toHaveLength(2);
		const later = Date.now() + 11 * 60_000;
		jest.spyOn(Date, 'now').mockReturnValue(later);
		slow.tick();
		await until('the old subscription to be deleted', () =>
			live(slow).some(({ id }) => id === old.id) ? undefined : true,
		);
		await response?.closeFunction?.();
		jest.restoreAllMocks();
		expect(live(slow).map(({ id }) => id)).toEqual([current(slow).id]);
		await slow.deactivate();
		await trigger.deactivate();
	});

	it('leaves a deletion for an hour when the credential is gone', async () => {
		const credentials = { ...workspace.apiKey };
		const trigger = watchAll({ options: { overlap: 10 } }, credentials);
		await trigger.activate();
		await trigger.activate('init');
		const response = await trigger.start();
		delete credentials.workspaceDataApi;
		const upkeep = () => warnings.lines.filter((line) => line.includes('Upkeep'));
		const now = Date.now();
		for (const [minutes, lines] of [
			[11, 1],
			[13, 1],
			[70, 1],
			[72, 2],
		] as const) {
			jest.spyOn(Date, 'now').mockReturnValue(now + minutes * 60_000);
			trigger.tick();
			await until('the warning', () => (upkeep().length >= lines ? true : undefined));
			await new Promise(setImmediate);
			expect([minutes, upkeep().length]).toEqual([minutes, lines]);
		}
		Object.assign(credentials, workspace.apiKey);
		jest.spyOn(Date, 'now').mockReturnValue(now + 140 * 60_000);
		trigger.tick();
		await until('the deletion', () => (live(trigger).length === 1 ? true : undefined));
		await response?.closeFunction?.();
		jest.restoreAllMocks();
		await trigger.deactivate();
	});

	it('B11 goes on verifying when an execution brings back old static data', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const before = trigger.saved();
		await trigger.activate('init');
		const newest = current(trigger);
		trigger.reload(before);
		expect((await trigger.deliver(delivery(newest))).items).toHaveLength(1);
		// The next start finds the newest, although n8n has lost it.
		await trigger.activate('init');
		expect(keptBy(trigger).retired.map(({ id }) => id)).toContain(newest.id);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('B9 takes a delivery that comes before the secret is saved', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const subscription = current(trigger);
		trigger.reload({});
		expect((await trigger.deliver(delivery(subscription))).items).toHaveLength(1);
	});

	it('keeps what it had when the service is away at the start, and renews it later', async () => {
		const trigger = watchAll();
		await trigger.activate();
		const old = current(trigger);
		const next = afterRestart(trigger);
		workspace.service.control.fail({ method: 'POST', path: '/webhooks$', status: 503, times: 1 });
		await next.activate('init');
		next.reload();
		expect((await next.deliver(delivery(old))).items).toHaveLength(1);

		await next.start();
		next.tick();
		await until('n8n to save it', () => (current(next).id === old.id ? undefined : true));
		expect(next.emitted).toEqual([[SAVING]]);
		expect(keptBy(next).retired).toMatchObject([{ id: old.id }]);
		await next.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it.each([403, 429, 503])(
		'renews later when it is refused for the rate with %d',
		async (status) => {
			const trigger = watchAll();
			await trigger.activate();
			const reset = String(Math.floor(Date.now() / 1000) + 3_000);
			const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
			workspace.service.control.fail({ method: 'POST', path: '/webhooks$', status, headers });
			const next = afterRestart(trigger);
			await next.activate('init');
			expect(current(next).id).toBe(current(trigger).id);
			await trigger.deactivate();
		},
	);

	describe('while a late renewal is under way', () => {
		/** The renewal is at the service, which takes its time for the answer. */
		async function renewing() {
			const trigger = watchAll();
			await trigger.activate();
			const next = afterRestart(trigger);
			const post = { method: 'POST', path: '/webhooks$' } as const;
			workspace.service.control.fail({ ...post, status: 503 });
			await next.activate('init');
			workspace.service.control.fail({ ...post, mode: 'slowBody', byteMs: 5 });
			const response = await next.start();
			next.tick();
			await until('the renewal', () => (live(next).length === 2 ? true : undefined));
			await response?.closeFunction?.();
			return next;
		}

		it('keeps nothing of it when the workflow is unpublished', async () => {
			const trigger = await renewing();
			expect(await trigger.deactivate()).toBe(true);
			await until('its end', () => (live(trigger).length === 0 ? true : undefined));
			expect(trigger.emitted).toEqual([]);
			trigger.changed();
			expect(keptBy(trigger)).toEqual({ retired: [] });
		});

		it('remembers it when the workflow is unpublished and it cannot be deleted', async () => {
			const trigger = await renewing();
			await trigger.deactivate();
			workspace.service.control.fail({ method: 'DELETE', path: '/webhooks/', status: 500 });
			const [late] = live(trigger);
			const deletions = () =>
				workspace.requests().filter((line) => line === `DELETE /webhooks/${late?.id}`).length;
			await until('the deletion', () => (deletions() === 1 ? true : undefined));
			await until('the next opportunity', () => {
				void trigger.deactivate();
				return live(trigger).length === 0 ? true : undefined;
			});
		});

		it('keeps to the new one when it is published again with other events', async () => {
			const trigger = await renewing();
			await trigger.deactivate();
			trigger.node.parameters = { ...trigger.node.parameters, events: ['record.deleted'] };
			trigger.reload();
			await trigger.activate();
			await until('the end of the late one', () => (live(trigger).length === 1 ? true : undefined));
			expect(live(trigger)).toMatchObject([
				{ id: current(trigger).id, events: ['record.deleted'] },
			]);
			const timestamp = new Date(Date.now() + 60_000).toISOString();
			const event = delivery(current(trigger), { event: 'record.deleted', timestamp });
			trigger.reload();
			expect((await trigger.deliver(event)).items).toHaveLength(1);
			await trigger.deactivate();
		});
	});

	describe('at a service that takes one subscription for an address', () => {
		const refuse = (status: number) =>
			workspace.service.control.fail({ method: 'POST', path: '/webhooks$', status });

		it.each([409, 422])('makes room when the second is refused with %d', async (status) => {
			const trigger = watchAll();
			await trigger.activate();
			refuse(status);
			await trigger.activate('init');
			expect(live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
			await trigger.deactivate();
		});

		it('passes the refusal on where nothing of ours is in the way', async () => {
			const trigger = watchAll();
			refuse(409);
			await expect(trigger.activate()).rejects.toThrow();
			expect(live(trigger)).toEqual([]);
		});

		it.each([0, 15])('keeps the one that it gives twice, overlap %d', async (overlap) => {
			const trigger = watchAll({ options: { overlap } });
			await trigger.activate();
			const { id, secret } = current(trigger);
			answerNext({ webhook_id: id, secret });
			await trigger.activate('init');
			expect(keptBy(trigger)).toMatchObject({ current: { id, secret }, retired: [] });
			expect(live(trigger)).toMatchObject([{ id }]);
			await trigger.deactivate();
		});
	});

	it('lets a few deliver beside the new one however often n8n starts, and leaves none', async () => {
		const trigger = watchAll();
		for (let starts = 0; starts < 12; starts += 1) await trigger.activate('init');
		expect(live(trigger)).toHaveLength(6);
		expect(keptBy(trigger).retired).toHaveLength(5);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('starts again although the card, chosen by name, was renamed', async () => {
		const card = await workspace.card('Old name', []);
		const cardId = { __rl: true, mode: 'name', value: 'Old name' };
		const trigger = watchAll({ watch: 'oneCard', cardId });
		await trigger.activate();
		await workspace.send('PATCH', `/cards/${card.id}`, { name: 'New name' });
		await trigger.activate('init');
		expect(live(trigger)).toMatchObject([{ cardId: card.id }, { cardId: card.id }]);
		await trigger.deactivate();
		// Publishing is another matter: there somebody can correct it.
		await expect(trigger.activate()).rejects.toThrow(/no card called 'Old name'/);
	});

	it('says so when it cannot subscribe at the start for a reason that stays', async () => {
		const trigger = watchAll();
		await trigger.activate();
		workspace.service.control.fail({ method: 'POST', path: '/webhooks$', status: 403 });
		await expect(trigger.activate('init')).rejects.toThrow();
		await trigger.deactivate();
	});

	it('does nothing on its own in a test run', async () => {
		const trigger = watchAll();
		await trigger.activate('manual');
		expect(live(trigger)).toMatchObject([{ targetUrl: expect.stringContaining('/webhook-test/') }]);
		await trigger.deactivate('manual');
		expect(live(trigger)).toEqual([]);
		expect(await trigger.execute([{ any: 'thing' }], 'manual')).toEqual([{ any: 'thing' }]);
	});
});

describe('when nothing comes for long', () => {
	const HOUR_MS = 3_600_000;
	const realNow = Date.now.bind(Date);

	/** From now on it is so many hours later than it is. */
	const pass = (hours: number): void => {
		jest.spyOn(Date, 'now').mockImplementation(() => realNow() + hours * HOUR_MS);
	};

	const subscribed = () => workspace.requests().filter((line) => line === 'POST /webhooks').length;

	async function published(options: IDataObject = {}) {
		const trigger = watchAll({ options });
		await trigger.activate();
		await trigger.start('activate');
		return trigger;
	}

	it('subscribes anew, in an execution without items, and lets the old one deliver meanwhile', async () => {
		const trigger = await published();
		const old = current(trigger);
		pass(24.01);
		trigger.tick();
		await until('n8n to save it', () => (current(trigger).id === old.id ? undefined : true));
		expect(trigger.emitted).toEqual([[SAVING]]);
		expect((await trigger.deliver(delivery(current(trigger)))).items).toHaveLength(1);
		expect((await trigger.deliver(delivery(old))).items).toHaveLength(1);

		pass(24.5);
		trigger.tick();
		await until('the old one to be deleted', () => (live(trigger).length === 1 ? true : undefined));
		expect(live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('catches up on what was missed meanwhile', async () => {
		const trigger = await published({ catchUp: true });
		pass(24.01);
		trigger.tick();
		await until('the renewal', () => (trigger.emitted.length > 0 ? true : undefined));
		pass(24.02);
		trigger.tick();
		await until('catching up', () => (trigger.emitted.length > 1 ? true : undefined));
		expect(trigger.emitted[1]).toMatchObject([{ json: { event: 'catch_up' } }]);
		await trigger.deactivate();
	});

	it('leaves a subscription alone that delivers, even what is not wanted', async () => {
		const trigger = await published();
		const before = subscribed();
		pass(23);
		await trigger.deliver(delivery(current(trigger), { event: 'record.deleted' }));
		pass(46);
		trigger.tick();
		await trigger.deactivate();
		expect(subscribed()).toBe(before);
		expect(trigger.emitted).toEqual([]);
	});

	it('does not take forged deliveries, and those of a subscription from before, for a sign of life', async () => {
		const trigger = await published();
		const old = current(trigger);
		await trigger.activate('init');
		pass(23);
		expect((await trigger.deliver(delivery({ ...old, secret: 'guessed' }))).status).toBe(401);
		expect((await trigger.deliver(delivery(old))).status).toBe(200);
		pass(24.01);
		trigger.tick();
		await until('the renewal', () => (trigger.emitted.length > 0 ? true : undefined));
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it.each([
		[{ renewAfterSilence: 0 }, 10_000, 0],
		[{ renewAfterSilence: 100 }, 99, 0],
		[{ renewAfterSilence: 0.5 }, 0.51, 1],
	])('goes by the option %j after %d hours', async (options, hours, renewals) => {
		const trigger = await published(options);
		const before = subscribed();
		pass(hours);
		trigger.tick();
		if (renewals > 0) {
			await until('the renewal', () => (trigger.emitted.length > 0 ? true : undefined));
		}
		await trigger.deactivate();
		expect(subscribed() - before).toBe(renewals);
		expect(trigger.emitted).toHaveLength(renewals);
	});

	it('tries again after an hour when the service is away, and keeps what it has', async () => {
		const trigger = await published();
		const old = current(trigger);
		const upkeep = () => warnings.lines.filter((line) => line.includes('Upkeep of the sub'));
		const post = { method: 'POST', path: '/webhooks$' } as const;
		workspace.service.control.fail({ ...post, status: 503, times: 1 });
		pass(24.01);
		trigger.tick();
		await until('the warning', () => (upkeep().length > 0 ? true : undefined));
		expect(live(trigger).map(({ id }) => id)).toEqual([old.id]);

		pass(24.9);
		trigger.tick();
		await new Promise(setImmediate);
		expect(live(trigger).map(({ id }) => id)).toEqual([old.id]);
		pass(25.1);
		trigger.tick();
		await until('the renewal', () => (current(trigger).id === old.id ? undefined : true));
		await trigger.deactivate();
	});

	it('leaves alone what delivers again after a renewal that failed', async () => {
		const trigger = await published();
		workspace.service.control.fail({ method: 'POST', path: '/webhooks$', status: 503, times: 1 });
		pass(24.01);
		trigger.tick();
		await until('the warning', () => warnings.lines.find((line) => line.includes('Upkeep')));
		const before = subscribed();
		await trigger.deliver(delivery(current(trigger)));
		pass(25.1);
		trigger.tick();
		await new Promise((resolve) => setTimeout(resolve, 50));
		await trigger.deactivate();
		expect(subscribed()).toBe(before);
		expect(trigger.emitted).toEqual([]);
	});

	it('tries again after a minute where the old one had to give way', async () => {
		const trigger = await published();
		const old = current(trigger);
		const post = { method: 'POST', path: '/webhooks$', times: 1 } as const;
		workspace.service.control.fail({ ...post, status: 409 });
		workspace.service.control.fail({ ...post, status: 503 });
		pass(24.01);
		trigger.tick();
		await until('the warning', () => warnings.lines.find((line) => line.includes('Upkeep')));
		expect(live(trigger)).toEqual([]);
		pass(24.03);
		trigger.tick();
		await until('the renewal', () => (current(trigger).id === old.id ? undefined : true));
		expect(live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		await trigger.deactivate();
	});

	it('is renewed once, also when so many triggers run that their memories are forgotten', async () => {
		const trigger = await published();
		const old = current(trigger);
		for (let other = 0; other < 1_000; other += 1) {
			memoryOf({
				getNode: () => trigger.node,
				getWorkflow: () => ({ id: `other-${other}`, active: true }),
				getMode: () => 'webhook',
			});
		}
		// What it knows comes back with whatever n8n asks of it.
		trigger.reload();
		await trigger.activate('init');
		const before = subscribed();
		for (const hours of [24.01, 24.02, 24.03]) {
			pass(hours);
			trigger.tick();
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		expect(current(trigger).id).not.toBe(old.id);
		expect(subscribed() - before).toBe(1);
		await trigger.deactivate();
	});

	it('does so by expressions, too, which n8n 2 evaluates only while it activates the trigger', async () => {
		const trigger = await published({ catchUp: '={{ true }}', renewAfterSilence: '={{ 1 }}' });
		const old = current(trigger);
		jest.spyOn(TriggerContext.prototype, 'getNodeParameter').mockImplementation(() => {
			throw new Error('No bridge acquired for this context. Call acquire() first.');
		});
		pass(1.01);
		trigger.tick();
		await until('n8n to save it', () => (current(trigger).id === old.id ? undefined : true));
		pass(1.5);
		trigger.tick();
		await until('catching up', () => (trigger.emitted.length > 1 ? true : undefined));
		await until('the old one to be deleted', () => (live(trigger).length === 1 ? true : undefined));
		expect(warnings.lines.filter((line) => line.includes('Upkeep'))).toEqual([]);
		await trigger.deactivate();
	});

	it('takes back nothing that executions have saved since n8n started', async () => {
		const trigger = await published();
		const old = current(trigger);
		trigger.saveElsewhere({ global: { lastSeen: 7 } });
		pass(24.01);
		trigger.tick();
		await until('n8n to save it', () => (current(trigger).id === old.id ? undefined : true));
		expect(trigger.saved()).toMatchObject({ global: { lastSeen: 7 } });
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('is saved in queue mode, too, where another process runs the execution', async () => {
		const trigger = triggerNode(
			workspace.apiKey,
			{ events: ['record.created'] },
			{ queueMode: true },
		);
		await trigger.activate();
		await trigger.start('activate');
		const old = current(trigger);
		pass(24.01);
		trigger.tick();
		trigger.saveElsewhere({ global: { lastSeen: 7 } });
		await until('n8n to save it', () => (current(trigger).id === old.id ? undefined : true));
		expect(trigger.emitted).toEqual([[SAVING]]);
		expect(trigger.saved()).toMatchObject({ global: { lastSeen: 7 } });
		expect((await afterRestart(trigger).deliver(delivery(current(trigger)))).items).toHaveLength(1);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('shows no secret in the execution that saves', async () => {
		const trigger = await published();
		const old = current(trigger);
		pass(24.01);
		trigger.tick();
		await until('n8n to save it', () => (current(trigger).id === old.id ? undefined : true));
		const shown = JSON.stringify(trigger.emitted);
		for (const secret of [old.secret, current(trigger).secret, workspace.service.apiKey]) {
			expect(shown).not.toContain(secret);
			expect(shown).not.toContain(Buffer.from(secret).toString('base64url').slice(4, -4));
		}
		await trigger.deactivate();
	});

	it('takes back nothing when that execution is run once more', async () => {
		const trigger = await published();
		pass(24.01);
		trigger.tick();
		await until('the first', () => (trigger.emitted.length === 1 ? true : undefined));
		const early = current(trigger);
		pass(49);
		workspace.service.control.setClockOffset({ seconds: 49 * 3_600 });
		trigger.tick();
		await until('the second', () => (current(trigger).id === early.id ? undefined : true));
		const latest = current(trigger);
		const order = trigger.emitted[0]?.[0]?.json as IDataObject;
		for (const mode of ['retry', 'trigger'] as const) {
			trigger.reload();
			expect(await trigger.execute([order], mode)).toEqual([]);
			trigger.changed();
			expect(current(trigger)).toEqual(latest);
		}
		await trigger.deactivate();
	});

	it('subscribes once more when the new subscription could not be saved', async () => {
		const trigger = await published();
		const old = current(trigger);
		const running = jest.spyOn(WorkspaceDataTrigger.prototype, 'execute');
		running.mockRejectedValueOnce(new Error('The worker ran out of memory'));
		pass(24.01);
		trigger.tick();
		await until('the execution', () => running.mock.results[0]);
		expect(current(trigger).id).toBe(old.id);
		pass(24.05);
		trigger.tick();
		await until('n8n to save it', () => (current(trigger).id === old.id ? undefined : true));
		await trigger.deactivate();
		expect(live(trigger)).toEqual([]);
	});

	it('says which parameter cannot be used', async () => {
		const trigger = watchAll({ options: { renewAfterSilence: 'now and then' } });
		await expect(trigger.activate()).rejects.toThrow(
			"'Renew After Silence' cannot be 'now and then'. Enter a number of hours.",
		);
	});
});

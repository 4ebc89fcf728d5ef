/** n8n starts again, or nothing comes for long: the trigger subscribes anew, and what the old subscription brings still counts. */
import { TriggerContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { hurry } from '../support/quickTime';
import { n8nMajor } from '../support/n8n';
import type { TestTrigger } from '../support/trigger';
import {
	afterRestart,
	current,
	keptBy,
	live,
	looks,
	oneCard,
	pass,
	published,
	refuseNext,
	runs,
	subscribed,
	until,
	useTriggers,
	warnings,
} from '../support/lifecycle';
import { workspace } from '../support/workspace';

useTriggers();

/** n8n starts again after a while. */
async function restarted(
	trigger: TestTrigger,
	options?: Parameters<typeof afterRestart>[1],
): Promise<TestTrigger> {
	pass({ minutes: 3 });
	const next = afterRestart(trigger, options);
	// As n8n 2; n8n 1 calls the hooks first.
	await next.start('init');
	await next.activate('init');
	return next;
}

/** Failed executions that an outage makes; n8n 1 has none. */
const shown = n8nMajor - 1;

const NOW = { timestamp: 'unknown' };

describe('a start', () => {
	it('subscribes, and keeps the old subscription until the new one has delivered, 15 minutes later', async () => {
		const trigger = await published();
		const old = current(trigger);
		const next = await restarted(trigger);
		const { id } = current(next);
		expect(live(next)).toEqual([old.id, id]);
		expect(await runs(next, current(next))).toBe(1);
		pass({ minutes: 15 });
		expect(await runs(next, old, NOW)).toBe(1);
		await next.idle();
		expect(live(next)).toEqual([old.id, id]);
		expect(await runs(next, current(next))).toBe(1);
		await next.idle();
		expect(live(next)).toEqual([id]);
		await next.deactivate();
		expect(live(next)).toEqual([]);
	});

	it('leaves the deletion to the process that gets the delivery', async () => {
		const next = await restarted(await published());
		const processor = afterRestart(next);
		pass({ minutes: 15 });
		expect(await runs(processor, current(next))).toBe(1);
		await processor.idle();
		expect(live(next)).toEqual([current(next).id]);
	});

	it('tries a deletion that fails once an hour', async () => {
		const next = await restarted(await published());
		workspace.fail('DELETE', '/webhooks/', { status: 500, times: 1 });
		const deletions = async (minutes: number) => {
			workspace.service.control.resetRequests();
			pass({ minutes });
			expect(await runs(next, current(next))).toBe(1);
			await next.idle();
			return workspace.changes().length;
		};
		expect([await deletions(15), await deletions(59), await deletions(1)]).toEqual([1, 0, 1]);
		expect(live(next)).toEqual([current(next).id]);
		expect(warnings).toEqual([expect.stringContaining("couldn't be deleted yet")]);
	});

	it('again within two minutes keeps the subscription', async () => {
		const trigger = await published();
		const { id } = current(trigger);
		pass({ minutes: 1 });
		const next = afterRestart(trigger);
		await next.activate('init');
		expect(live(next)).toEqual([id]);
		expect(current(next).id).toBe(id);
		expect(await runs(next, current(next))).toBe(1);
	});

	it('for the twelfth time takes the eleven latest, and names the oldest in the log', async () => {
		let trigger = await published();
		const secrets = [current(trigger)];
		for (let starts = 0; starts < 11; starts += 1) {
			trigger = await restarted(trigger);
			secrets.push(current(trigger));
		}
		const statuses = [];
		for (const one of secrets) statuses.push(await runs(trigger, one, NOW));
		expect(statuses).toEqual([401, ...Array<number>(11).fill(1)]);
		expect(warnings[0]).toContain(`Subscription ${secrets[0]?.id} still exists`);
		await trigger.deactivate();
		expect(live(trigger)).toEqual([secrets[0]?.id]);
	});

	it('deletes replaced subscriptions after a week, whatever was delivered', async () => {
		const trigger = await restarted(await published());
		pass({ hours: 7 * 24 });
		const next = await restarted(trigger);
		expect(live(next)).toEqual([current(trigger).id, current(next).id]);
	});

	it('still verifies deliveries after an execution brings back old static data', async () => {
		const trigger = await published();
		const before = trigger.saved();
		const next = await restarted(trigger);
		const newest = current(next);
		next.overwrite(before);
		expect(await runs(next, newest)).toBe(1);
	});

	it('needs no card of this name, as the current subscription has its ID', async () => {
		const card = await workspace.card('Old name', []);
		const trigger = await published(oneCard('Old name', 'name'));
		await workspace.send('PATCH', `/cards/${card.id}`, { name: 'New name' });
		const next = await restarted(trigger);
		expect(current(next)).toMatchObject({ cardId: card.id });
		await next.deactivate();
		// Publishing is another matter: there somebody can correct it.
		await expect(next.activate()).rejects.toThrow(/no card called 'Old name'/);
	});

	it('of a copy of the database deletes nothing of the original, also when it starts ten times', async () => {
		const original = await restarted(await published());
		let copy = original;
		for (let starts = 0; starts < 10; starts += 1) copy = await restarted(copy);
		await looks(copy, 20);
		expect(live(original)).toEqual(expect.arrayContaining([current(original).id]));
		expect(await runs(original, current(original))).toBe(1);
	});
});

describe('a start at which the service refuses, is down or hangs', () => {
	const responses = [
		['404', { status: 404 }],
		['401', { status: 401 }],
		['403', { status: 403 }],
		['302', { status: 302, headers: { location: 'https://login.example.com/' } }],
		['200 with a web page', { status: 200, body: 'html' }],
		['no response', { mode: 'dropAfter' }],
		['429', { status: 429, headers: { 'retry-after': '3000' } }],
		['nothing for long', { mode: 'hang' }],
	] as const;
	it.each(responses)('keeps the old subscription: %s', async (_, refusal) => {
		const trigger = await published();
		const old = current(trigger);
		refuseNext(refusal);
		hurry();
		const next = await restarted(trigger);
		expect(warnings).toEqual([expect.stringContaining("couldn't be renewed yet")]);
		expect(current(next).id).toBe(old.id);
		expect(await runs(next, old)).toBe(1);
	});

	it('is tried again at the first look, then after 5, 10, 20, 40 and 60 minutes; an outage is told twice', async () => {
		const trigger = await published();
		const old = current(trigger);
		refuseNext({ status: 503, times: 9 });
		const next = await restarted(trigger);
		workspace.service.control.resetRequests();
		const tries = [];
		for (let look = 0; look <= 12 + 12 + 12 + 3; look += 1) {
			const before = subscribed();
			await looks(next, 1);
			if (subscribed() > before) tries.push(look * 5);
		}
		expect(tries).toEqual([0, 5, 15, 35, 75, 135, 195]);
		expect(next.failed).toHaveLength(shown);
		expect(next.failed.join()).toMatch(shown ? /The subscription couldn't be renewed yet: / : '');
		expect(next.errors).toEqual([]);
		workspace.service.control.clearFailures();
		await looks(next, 12);
		expect(next.errors).toEqual([
			expect.stringMatching(/^The subscription was renewed, as that failed when n8n started: /),
		]);
		expect(live(next)).toEqual([old.id, current(next).id]);
		expect(await runs(next, current(next))).toBe(1);
		// Nothing is needed any more.
		await looks(next, 20);
		expect(next.errors).toHaveLength(1);
		expect(live(next)).toHaveLength(2);
	});

	it.each([
		['a Base URL without /api/v1', { baseUrl: 'https://example.com' }],
		['an empty workspace', { workspaceId: '' }],
		['a wrong key', { apiKey: 'wrong' }],
	])('%s: the trigger subscribes once it is mended', async (_name, wrong) => {
		const trigger = await published();
		const { workspaceDataApi: own } = workspace.apiKey;
		const credentials = { workspaceDataApi: { ...own, ...wrong } };
		const next = await restarted(trigger, { credentials });
		expect(await runs(next, current(trigger))).toBe(1);
		// Somebody corrects the credential; n8n is not started again.
		Object.assign(credentials.workspaceDataApi, own);
		await looks(next, 1);
		expect(live(next)).toEqual([current(trigger).id, current(next).id]);
	});

	it.each<[string, { webhookBase?: string }, IDataObject]>([
		['a webhook address without a scheme', { webhookBase: 'n8n.example.com' }, {}],
		['events by an expression without a value', {}, { events: '={{ $vars.none }}' }],
	])('%s: the trigger subscribes at the next start', async (_name, options, parameters) => {
		const trigger = await published();
		const { events } = trigger.node.parameters;
		Object.assign(trigger.node.parameters, parameters);
		const broken = await restarted(trigger, options);
		expect(warnings.join()).toContain("couldn't be renewed yet");
		expect(live(trigger)).toEqual([current(trigger).id]);
		trigger.node.parameters.events = events as never;
		const mended = await restarted(trigger, { staticData: broken.saved() });
		expect(live(trigger)).toEqual([current(trigger).id, current(mended).id]);
		expect(await runs(mended, current(trigger), NOW)).toBe(1);
	});

	it('keeps nothing of a late renewal that is under way when the workflow is unpublished', async () => {
		const trigger = await published();
		refuseNext({ status: 503 });
		const next = await restarted(trigger);
		refuseNext({ mode: 'slowBody', byteMs: 5 });
		next.beginTick();
		await until('the renewal', () => live(next).length === 2);
		expect(await next.deactivate()).toBe(true);
		await next.idle();
		expect(live(next)).toEqual([]);
		expect(keptBy(next).current).toBeUndefined();
		expect(next.errors).toEqual([]);
	});

	it('shows no failed execution in n8n 1, and is over all the same', async () => {
		const trigger = await published();
		refuseNext({ status: 503, times: 2 });
		const next = await restarted(trigger, { major: 1 });
		await looks(next, 2);
		expect(next.failed).toEqual([]);
		expect(next.errors).toHaveLength(1);
		expect(live(next)).toHaveLength(2);
	});
});

describe('when nothing comes for long', () => {
	const silent = async (major: 1 | 2, hours: unknown = 2) =>
		await published({ options: { renewAfterSilence: hours } }, workspace.apiKey, { major });

	it.each([1, 2] as const)(
		'in n8n %d, subscribes anew, right after the first publication and again',
		async (major) => {
			const trigger = await silent(major);
			const first = current(trigger);
			await looks(trigger, 24);
			const second = current(trigger);
			expect(live(trigger)).toEqual([first.id, second.id]);
			expect(trigger.errors).toEqual([
				'The subscription was renewed, as no event had arrived for 2 h',
			]);
			expect([await runs(trigger, first, NOW), await runs(trigger, second)]).toEqual([1, 1]);
			// It has delivered, so the next silence begins now.
			await looks(trigger, 23);
			expect(trigger.errors).toHaveLength(1);
			await looks(trigger, 1);
			expect(trigger.errors).toHaveLength(2);
			const third = current(trigger);
			expect(await runs(trigger, third)).toBe(1);
			const next = await restarted(trigger, { major });
			expect(await runs(next, third, NOW)).toBe(1);
			await next.deactivate();
			expect(live(next)).toEqual([]);
		},
	);

	it('for many times leaves two subscriptions', async () => {
		const trigger = await silent(2);
		for (let times = 0; times < 5; times += 1) {
			pass({ hours: 2 });
			await trigger.tick();
		}
		expect(trigger.errors).toHaveLength(5);
		expect(live(trigger)).toHaveLength(2);
		expect(live(trigger)).toContain(current(trigger).id);
	});

	it("keeps a subscription that delivers, even events that aren't wanted", async () => {
		const trigger = await silent(2);
		for (let hours = 0; hours < 4; hours += 1) {
			await looks(trigger, 12);
			expect(await runs(trigger, current(trigger), { event: 'record.deleted' })).toBe(0);
		}
		expect(trigger.errors).toEqual([]);
	});

	it("doesn't, unless 'Renew After Silence' is set; an idle trigger looks every five minutes, for less than 5 ms, and sends and logs nothing", async () => {
		const trigger = await published();
		expect(trigger.expressions).toEqual([expect.stringMatching(/^\d+ [0-4]-59\/5 \* \* \* \*$/)]);
		workspace.service.control.resetRequests();
		const before = process.cpuUsage();
		for (let look = 0; look < 600; look += 1) {
			pass({ minutes: 5 });
			trigger.beginTick();
		}
		const { user, system } = process.cpuUsage(before);
		expect((user + system) / 1_000 / 600).toBeLessThan(5);
		await trigger.idle();
		expect(workspace.requests()).toEqual([]);
		expect(warnings).toEqual([]);
	});

	it('does so by an expression, which n8n 2 evaluates only while it activates the trigger', async () => {
		const trigger = await silent(2, '={{ 1 }}');
		jest.spyOn(TriggerContext.prototype, 'getNodeParameter').mockImplementation(() => {
			throw new Error('No bridge acquired for this context. Call acquire() first.');
		});
		await looks(trigger, 12);
		expect(live(trigger)).toHaveLength(2);
	});

	it('and the service refuses, tries again, and stops once the old subscription delivers', async () => {
		const trigger = await silent(2);
		refuseNext({ status: 503, times: 2 });
		await looks(trigger, 25);
		expect(subscribed()).toBe(3);
		expect(trigger.failed).toHaveLength(shown);
		expect(await runs(trigger, current(trigger))).toBe(1);
		await looks(trigger, 12);
		expect(trigger.errors).toEqual([]);
		expect(live(trigger)).toHaveLength(1);
	});
});

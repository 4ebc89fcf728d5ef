/** What the trigger's subscriptions meet at the service and in n8n: places that are taken, names, credentials, addresses. */
import { hurry } from '../support/quickTime';
import { current, lifecycleSuite, pass, untilMinutes, untilTicked } from '../support/lifecycle';
import { triggerPair, type TestTrigger } from '../support/trigger';

const suite = lifecycleSuite();

/** The service accepts no more subscriptions, whatever it is asked. */
const LIMIT = {
	status: 403,
	body: 'json',
	json: { type: 'https://service.example/problems/limit', title: 'Subscription limit reached' },
} as const;

describe('an unknown subscription holds the address', () => {
	it('publishing says what holds it and what to do', async () => {
		suite.refuseNext({ status: 409, times: 3 });
		await expect(suite.watchAll().activate()).rejects.toThrow(
			/A subscription holds the address .*delete it in the settings of the service/,
		);
	});
});

describe('the service says in its own words that a subscription has the address', () => {
	const words = { type: 'https://service.example/problems/validation', title: 'Invalid request' };

	it.each([
		[409, 'Conflict'],
		[400, 'A webhook with this target_url already exists'],
		[422, 'target_url has already been taken'],
	])('with %d, a started n8n replaces its own: %s', async (status, detail) => {
		const trigger = await suite.published();
		const old = current(trigger);
		const next = suite.afterRestart(trigger);
		suite.refuseNext({ status, json: { ...words, status, detail }, times: 2 });
		await next.activate('init');
		await next.start();
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
		pass(1.1 / 60);
		next.tick();
		await next.idle();
		expect(suite.live(trigger)).toHaveLength(1);
		expect(current(next).id).not.toBe(old.id);
		await next.deactivate();
	});

	it('with 422 about anything else, the old one stays', async () => {
		const trigger = await suite.published();
		const old = current(trigger);
		const next = suite.afterRestart(trigger);
		suite.refuseNext({ status: 422, json: { ...words, detail: 'events is invalid' }, times: 2 });
		await next.activate('init');
		await next.start();
		pass(1.1 / 60);
		next.tick();
		await next.idle();
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
		await next.deactivate();
	});
});

describe('a refusal while a person publishes', () => {
	const ownWords = { title: 'Forbidden', detail: 'Only one webhook is allowed' };

	it.each<[string, { status: number; headers?: Record<string, string> }, RegExp]>([
		[
			'of a limit',
			{ status: 403 },
			/^Forbidden\. Only one webhook is allowed\. The service accepts no more subscriptions\. An old one/,
		],
		[
			'of the rate',
			{ status: 429, headers: { 'Retry-After': '900' } },
			/^Forbidden \(closed until [^)]*\)\. Only one webhook is allowed\. Try again after the limit resets\.$/,
		],
	])('%s is explained for a trigger, in whole sentences', async (_name, refusal, message) => {
		const json = { ...ownWords, status: refusal.status };
		suite.refuseNext({ ...refusal, json, times: 3 });
		hurry();
		await expect(suite.watchAll().activate()).rejects.toThrow(message);
	});

	it('of a limit names the subscription of this trigger that counts', async () => {
		const trigger = await suite.published();
		const { id } = current(trigger);
		// n8n calls it again without an end before, after a failed start for example.
		suite.refuseNext({ status: 403, json: { ...ownWords, status: 403 }, times: 3 });
		await expect(trigger.activate()).rejects.toThrow(`and counts ${id} of this trigger`);
	});
});

describe('a start at which the service refuses the key for good', () => {
	it.each([401, 403, 404])('with %d shows in one failed execution', async (status) => {
		const { next } = await suite.refusedAtStart({ status, times: 9 });
		await next.start();
		for (let minutes = 0; minutes < 9; minutes += 1) {
			pass(minutes / 60);
			next.tick();
			await next.idle();
		}
		expect(next.failed.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The subscription couldn't be renewed yet: /),
		]);
		expect(suite.warnings.join()).toContain(next.failed[0]?.message);
		await next.deactivate();
	});

	it.each([
		['that is down', { status: 503, times: 9 }],
		['whose limit is reached for now', { status: 429, times: 9 }],
	])('shows nothing of a service %s', async (_name, refusal) => {
		const { next } = await suite.refusedAtStart(refusal);
		await next.start();
		expect(next.failed).toEqual([]);
		await next.deactivate();
	});
});

it('two triggers of a workflow, n8n starts again, and one is removed: both subscriptions of it end', async () => {
	const [first, second] = triggerPair(suite.workspace.apiKey, { events: ['record.created'] });
	if (!first || !second) throw new Error('There are two');
	for (const trigger of [first, second]) await trigger.activate();
	const database = { saved: first.saved() };
	const [next, other] = [first, second].map((trigger) => suite.afterRestart(trigger, { database }));
	if (!next || !other) throw new Error('There are two');
	for (const trigger of [next, other]) await trigger.activate('init');
	// As n8n 1: removes both with what it reads from its database, before it adds the one that is left.
	for (const trigger of [next, other]) trigger.reload();
	expect(await next.deactivate()).toBe(true);
	expect(await other.deactivate()).toBe(true);
	expect(suite.live(first)).toEqual([]);
	expect(suite.live(second)).toEqual([]);
	expect(suite.warnings).toEqual([]);
});

describe('the limit is reached while the old subscription may be paused', () => {
	it('the log says how to free the place, and the old one gives way after the time of silence', async () => {
		const trigger = await suite.published({ options: { renewAfterSilence: 2 } });
		const old = current(trigger);
		await trigger.start('activate');
		suite.refuseNext({ ...LIMIT, times: 4 });
		await trigger.activate('init');
		expect(suite.warnings.join()).toContain('An old one may be paused and still count: delete it');
		await untilMinutes(trigger, 0, 'three more refusals', () => suite.subscribed() >= 4);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
		suite.workspace.service.control.clearFailures();
		suite.refuseNext(LIMIT);
		pass(3);
		await untilTicked(trigger, 'the new one', () =>
			suite.live(trigger).some(({ id }) => id !== old.id),
		);
		expect(suite.live(trigger)).toHaveLength(1);
	});
});

it('two values that would have one name are both returned', async () => {
	const trigger = suite.watchAll();
	const { workspace } = suite;
	const card = await workspace.card('Names', [{ name: 'Title', type: 'text' }]);
	await trigger.activate();
	trigger.reload();
	const id = String(card.fieldIds.Title);
	const data = { [id]: 'by ID', Title: 'by name' };
	const event = suite.delivery(current(trigger), { card_id: card.id, data });
	const [item] = (await trigger.deliver(event)).items ?? [];
	expect([item?.Title, item?.[id]].sort()).toEqual(['by ID', 'by name']);
});

describe('the log tells what is true', () => {
	it('of a credential that was deleted, and of another one', async () => {
		const credentials = { ...suite.workspace.apiKey };
		const trigger = await suite.published({}, credentials);
		const { id } = current(trigger);
		delete credentials.workspaceDataApi;
		expect(await trigger.deactivate()).toBe(false);
		expect(suite.warnings.join('\n')).toContain(`Subscription ${id} couldn't be deleted`);
		Object.assign(credentials, suite.workspace.apiKey);
		await trigger.activate();
		expect(suite.live(trigger).map((one) => one.id)).toEqual([current(trigger).id]);
		expect(suite.warnings.join('\n')).not.toMatch(/\.\./);
	});

	it('of one kind of warning next to another', async () => {
		const trigger = await suite.published();
		trigger.reload();
		await trigger.deliver(suite.delivery(current(trigger), { event: 'ping' }));
		await trigger.deliver(suite.delivery(current(trigger), { workspace_id: 'wsp_other' }));
		expect(suite.warnings).toEqual([
			expect.stringContaining("'ping'"),
			expect.stringContaining('from another workspace'),
		]);
	});
});

it.each<[string, string, boolean]>([
	['Workspace Data Trigger', 'publishing says so', true],
	['Trigger', 'is found by n8n', false],
])('without a webhook ID, a node called %s: %s', async (name, _what, isRefused) => {
	const trigger = suite.watchAll();
	trigger.node.name = name;
	delete trigger.node.webhookId;
	trigger.reload();
	suite.workspace.service.control.resetRequests();
	if (isRefused) {
		await expect(trigger.activate()).rejects.toThrow(
			/the node has no webhook ID\. Add the trigger/,
		);
		expect(suite.subscribed()).toBe(0);
		await trigger.activate('init');
		expect(suite.warnings.join()).toContain('the node has no webhook ID');
	} else await trigger.activate();
});

it('an idle trigger takes one look a minute, of less than 5 ms, and sends and logs nothing', async () => {
	const trigger = await suite.running();
	expect(trigger.expressions).toEqual([expect.stringMatching(/^\d+ \* \* \* \* \*$/)]);
	suite.workspace.service.control.resetRequests();
	const looks = 600;
	const before = process.cpuUsage();
	for (let minutes = 0; minutes < looks; minutes += 1) {
		pass(0.1 + minutes / 60);
		trigger.tick();
		await new Promise(setImmediate);
	}
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 1_000 / looks).toBeLessThan(5);
	expect(suite.workspace.requests()).toEqual([]);
	expect(suite.warnings).toEqual([]);
	expect(trigger.asked()).toBe(0);
});

it("a trigger whose card is selected by name waits for them as well, and the others don't", async () => {
	const card = await suite.workspace.card('Waited for', []);
	const cardId = { __rl: true, mode: 'name', value: 'Waited for' };
	const { workspaceDataApi } = suite.workspace.apiKey;
	const other = { workspaceDataApi: { ...workspaceDataApi, webUrl: 'https://app/{card}' } };
	const triggers = [suite.watchAll({ watch: 'oneCard', cardId }), suite.watchAll({}, other)];
	for (const trigger of triggers) await trigger.activate();
	expect(suite.live(triggers[0] as TestTrigger)).toMatchObject([{ cardId: card.id }]);
	suite.workspace.service.control.resetRequests();
	suite.workspace.service.control.fail({ path: '.*', mode: 'hang', times: 9 });
	hurry();
	for (const trigger of triggers) await trigger.activate('init');
	expect(suite.workspace.requests()).toEqual(['GET /cards']);
	suite.workspace.service.control.clearFailures();
	for (const trigger of triggers) await trigger.deactivate();
}, 60_000);

it("triggers of one service that doesn't respond wait for it once at a start", async () => {
	const triggers = [suite.watchAll(), suite.watchAll(), suite.watchAll()];
	for (const trigger of triggers) await trigger.activate();
	suite.workspace.service.control.resetRequests();
	suite.refuseNext({ mode: 'hang', times: 9 });
	hurry();
	for (const trigger of triggers) await trigger.activate('init');
	expect(suite.subscribed()).toBe(1);
	expect(suite.warnings.filter((line) => line.includes("couldn't be renewed yet"))).toHaveLength(3);
	suite.workspace.service.control.clearFailures();
}, 60_000);

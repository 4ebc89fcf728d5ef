/** What keeps the trigger from becoming deaf, or from ending what is not its own: taken places, late responses, changed credentials, copies, blind workers. */
import { calm, hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '../../nodes/WorkspaceData/transport/http/clock';
import { PLACE_MS } from '../../nodes/WorkspaceData/trigger/subscription/saving';
import {
	current,
	keptBy,
	lifecycleSuite,
	pass,
	signed,
	tickAt,
	until,
	untilMinutes,
	untilTicked,
} from '../support/lifecycle';
import {
	type DeliveryRequest,
	type DeliveryResult,
	type TestTrigger,
	triggerNode,
	triggerPair,
} from '../support/trigger';
import { startWebServer, type WebServer } from '../support/webServer';

const suite = lifecycleSuite();

describe('a refusal while a person publishes', () => {
	it('for an unknown subscription with the address says so, and what to do', async () => {
		suite.refuseNext({ status: 409, times: 3 });
		const message = /A subscription holds the address .*delete it in the settings of the service/;
		await expect(suite.watchAll().activate()).rejects.toThrow(message);
	});

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
			await tickAt(next, minutes / 60);
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
	// As n8n 1: removes both with what it reads from its database, before it adds the remaining one.
	for (const trigger of [next, other]) trigger.reload();
	expect(await next.deactivate()).toBe(true);
	expect(await other.deactivate()).toBe(true);
	expect(suite.live(first)).toEqual([]);
	expect(suite.live(second)).toEqual([]);
	expect(suite.warnings).toEqual([]);
});

it('at a limit, the log says how to free the place, and the old one gives way after the time of silence', async () => {
	const trigger = await suite.published({ options: { renewAfterSilence: 2 } });
	const old = current(trigger);
	await trigger.start('activate');
	const refusal = { status: 403, json: { title: 'Subscription limit reached' } };
	suite.refuseNext({ ...refusal, times: 4 });
	await trigger.activate('init');
	expect(suite.warnings.join()).toContain('An old one may be paused and still count: delete it');
	await untilMinutes(trigger, 0, 'three more refusals', () => suite.subscribed() >= 4);
	expect(suite.live(trigger).map(({ id }) => id)).toEqual([old.id]);
	suite.workspace.service.control.clearFailures();
	suite.refuseNext(refusal);
	pass(3);
	await untilTicked(trigger, 'the new one', () =>
		suite.live(trigger).some(({ id }) => id !== old.id),
	);
	expect(suite.live(trigger)).toHaveLength(1);
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
		for (const wrong of [{ event: 'ping' }, { event: 'ping' }, { workspace_id: 'wsp_other' }]) {
			const result = await trigger.deliver(suite.delivery(current(trigger), wrong));
			expect(result).toEqual({ status: 200, items: undefined });
		}
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
	expect(suite.warnings.filter((line) => line.includes("couldn't be renewed yet"))).toHaveLength(2);
	suite.workspace.service.control.clearFailures();
	for (const trigger of triggers) await trigger.deactivate();
}, 60_000);

describe('late responses, a changed credential, a slow service', () => {
	/** The text that n8n saved, as anyone reads it who may read the workflow. */
	const savedText = (trigger: TestTrigger): string => JSON.stringify(trigger.saved());

	/** A published trigger whose upkeep runs; its credential can be changed. */
	async function published() {
		const credential = { ...suite.workspace.apiKey.workspaceDataApi };
		const trigger = await suite.published({}, { workspaceDataApi: credential });
		trigger.reload();
		await trigger.start();
		return { trigger, credential };
	}

	const renewedAfter = async (trigger: TestTrigger, id: string) =>
		await untilTicked(trigger, 'another subscription', () => {
			const now = current(trigger);
			return now.id === id ? undefined : now;
		});

	it('a delivery that n8n refuses makes a renewal due within ten minutes, with one line in the log', async () => {
		const { trigger } = await published();
		const { id } = current(trigger);
		await trigger.deliver({ ...suite.delivery(current(trigger)), n8nStatus: 500 });
		trigger.tick();
		await trigger.idle();
		expect(current(trigger).id).toBe(id);
		pass(10 / 60);
		await renewedAfter(trigger, id);
		const lines = suite.warnings.filter((line) => line.includes('in ten minutes'));
		expect(lines).toHaveLength(1);
	});

	it('the saved secret is sealed, and again within an hour after the credential is rotated; deliveries run meanwhile', async () => {
		const { trigger, credential } = await published();
		const old = current(trigger);
		const sealed = savedText(trigger);
		expect(old.secret.length).toBeGreaterThan(10);
		expect(sealed).not.toContain(old.secret);
		credential.webUrl = 'https://example.com/{card}';
		await suite.runsFor(trigger, old);
		pass(1.1);
		await renewedAfter(trigger, old.id);
		expect(savedText(trigger)).not.toBe(sealed);
		await suite.runsFor(trigger, old, current(trigger));
	});

	it('after the credential was replaced by one that the service refuses, a restart keeps the old subscription', async () => {
		const { trigger, credential } = await published();
		const old = current(trigger);
		const sealed = savedText(trigger);
		credential.apiKey = 'wrong';
		pass(1.1);
		await untilTicked(
			trigger,
			'secrets sealed with the new credential',
			() => savedText(trigger) !== sealed,
		);
		const next = suite.afterRestart(trigger, { credentials: { workspaceDataApi: credential } });
		await next.activate('init');
		expect((await next.deliver(suite.delivery(old))).items).toHaveLength(1);
	});

	it('the saved secret survives a start without the credential, and counts once it is entered again', async () => {
		const { trigger } = await published();
		const old = current(trigger);
		const next = suite.afterRestart(trigger);
		const { credentials } = next.node;
		delete next.node.credentials;
		next.reload();
		await next.activate('init');
		expect(savedText(next)).toContain('sealed');
		next.node.credentials = credentials as never;
		for (const later of [next, suite.afterRestart(next)]) {
			await suite.runsFor(later, old);
		}
		await next.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it("a secret that can't be opened any more is replaced at the start, and refused until then", async () => {
		const { trigger } = await published();
		const old = current(trigger);
		const next = suite.afterRestart(trigger, {
			staticData: JSON.parse(
				savedText(trigger).replace(/"sealed\\":\\"..../g, '"sealed\\":\\"AAAA'),
			) as object as IDataObject,
		});
		for (const secret of [old.secret, '']) {
			expect(await next.deliver(suite.delivery({ ...old, secret }))).toMatchObject({ status: 401 });
		}
		expect(suite.warnings.join()).toContain('the credential has changed');
		await next.activate('init');
		expect((await next.deliver(suite.delivery(current(next)))).items).toHaveLength(1);
		await next.deactivate();
		expect(suite.live(next)).toEqual([]);
	});

	it('a mended API key is noticed within 30 s, whatever pause was reached', async () => {
		const { trigger, credential } = await published();
		const right = String(credential.apiKey);
		const { id } = current(trigger);
		credential.apiKey = 'wrong';
		// Refused at the start, again after a minute, and later after pauses that grow.
		await trigger.activate('init');
		for (let hours = 1; hours < 5; hours += 1) {
			await tickAt(trigger, hours);
		}
		credential.apiKey = right;
		suite.workspace.service.control.resetRequests();
		pass(4 + 10 / 3_600);
		await renewedAfter(trigger, id);
		expect(suite.subscribed()).toBe(1);
	});

	it("a deletion under way doesn't end the subscription that is published again with the same id", async () => {
		const { control } = suite.workspace.service;
		const trigger = await suite.published();
		const { id } = current(trigger);
		// Hung up on before anything changes, after 15 s of the hurried time: the node may try again.
		control.fail({ method: 'DELETE', path: '/webhooks/', mode: 'dropBefore', times: 2 });
		control.setLatency({ ms: 1_500 });
		hurry();
		// The hook returns after 9 s at the latest; the deletion continues.
		await trigger.deactivate();
		calm();
		control.setLatency({});
		suite.answerNext({ webhook_id: id, secret: 'another secret' });
		await trigger.activate();
		const deletions = () => suite.workspace.requests().filter((line) => line.startsWith('DELETE'));
		const before = deletions();
		// As long as the node takes to try a deletion again.
		await new Promise((resolve) => setTimeout(resolve, 3_000));
		expect(deletions()).toEqual(before);
		expect(current(trigger)).toMatchObject({ id, secret: 'another secret' });
		expect(suite.warnings.join()).toContain('the workflow is published again');
	}, 60_000);

	it('a service that takes 25 s for a subscription is waited for in the background', async () => {
		const trigger = await suite.published();
		const { id } = current(trigger);
		suite.workspace.service.control.setLatency({ ms: 2_500 });
		hurry();
		await trigger.activate('init');
		expect(suite.warnings.join()).toContain("couldn't be renewed yet");
		await trigger.start();
		pass(1 / 60);
		await renewedAfter(trigger, id);
		suite.workspace.service.control.setLatency({});
	});
});

describe('n8n asks its own webhook address whether it has what was saved last, before a subscription is deleted', () => {
	const HEADER = 'x-workspace-data-probe';

	type Foreign = (request: IncomingMessage, response: ServerResponse) => void;

	/** Requests that came to n8n's webhook address, and their responses. */
	let exchanges: Array<{ headers: DeliveryRequest['headers']; body: string } & DeliveryResult>;
	beforeEach(() => void (exchanges = []));
	let server: WebServer | undefined;
	afterEach(async () => await server?.close());

	/** A published trigger whose address leads to this process of n8n. */
	async function publish(by: 'main' | 'processor', blindWorkers = false) {
		/** As n8n: whichever process gets it reads the static data first. */
		const receive = async (request: DeliveryRequest) => {
			receiver.reload(trigger.saved());
			const result = await receiver.deliver(request);
			const { headers, body } = request;
			exchanges.push({ headers, body: String(body), ...result });
			return result;
		};
		server = await startWebServer(async (request, response) => {
			const headers = request.headers as Record<string, string>;
			const { status, text } = await receive({ body: await buffer(request), headers });
			response.writeHead(status).end(text);
		});
		const network = { webhookBase: server.url, ownAddress: 'network' } as const;
		const own = { queueMode: true, blindWorkers, ...network };
		const trigger = await suite.running({}, suite.workspace.apiKey, own);
		// Main itself receives with another workflow object, but with the same memory.
		const receiver =
			by === 'main'
				? triggerNode(suite.workspace.apiKey, trigger.node.parameters as IDataObject, {
						sameAs: trigger,
					})
				: suite.afterRestart(trigger);
		return { trigger, receive };
	}

	/** The subscription is renewed after a silence, and saved. */
	async function renewed(trigger: TestTrigger, hours: number): Promise<void> {
		const old = current(trigger).id;
		pass(hours);
		await untilTicked(trigger, 'n8n to save it', () => current(trigger).id !== old);
		await trigger.idle();
	}

	const isLive = (trigger: TestTrigger, id: string) =>
		suite.live(trigger).some((one) => one.id === id);

	/** The overlap passes, and the replaced subscription is deleted. */
	async function ended(trigger: TestTrigger, hours: number, id: string): Promise<void> {
		pass(hours);
		await untilTicked(trigger, 'the old one to be deleted', () => !isLive(trigger, id));
		await trigger.idle();
	}

	describe.each(['main', 'processor'] as const)('a probe that reaches the %s process', (by) => {
		it('confirms that the new subscription is saved: each silent day takes one execution', async () => {
			const { trigger } = await publish(by);
			for (const day of [1, 2]) {
				suite.workspace.service.control.resetRequests();
				const old = current(trigger);
				await renewed(trigger, 26.5 * day);
				await ended(trigger, 26.5 * day + 0.5, old.id);
				expect(trigger.emitted).toHaveLength(day);
				expect(new Set(exchanges.map(({ status }) => status))).toEqual(new Set([200]));
				expect(exchanges.length).toBeLessThanOrEqual(3 * day);
				const changes = suite.workspace.requests().filter((line) => !line.startsWith('GET'));
				expect(changes).toEqual(['POST /webhooks', `DELETE /webhooks/${old.id}`]);
				// The saved data do not grow.
				expect(keptBy(trigger).previous.map(({ id }) => id)).toEqual([old.id]);
			}
		});

		it('is refused when the saved subscription is gone, whatever the process remembers', async () => {
			const { trigger } = await publish(by, true);
			const old = current(trigger);
			await renewed(trigger, 26.5);
			const second = current(trigger);
			// As another node's execution that writes static data in a worker of n8n 2.41.
			trigger.overwrite({ 'node:Code': { counter: 1 } });
			pass(27);
			const isSaved = () => keptBy(trigger).current?.id === second.id;
			await untilTicked(trigger, 'n8n to save it again', isSaved);
			expect(exchanges.map(({ status }) => status)).toContain(401);
			expect(isLive(trigger, old.id)).toBe(true);
			const processor = suite.afterRestart(trigger);
			expect((await processor.deliver(suite.delivery(old))).items).toHaveLength(1);
			// The service may have paused the second for the refusals meanwhile.
			await untilMinutes(trigger, 27.1, 'both to be replaced', () =>
				[old, second].every(({ id }) => !isLive(trigger, id)),
			);
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
			expect(current(trigger).id).not.toBe(second.id);
		});

		it('responds by the saved data, and starts and changes nothing; others are refused like forgeries', async () => {
			const { trigger, receive } = await publish(by);
			const old = current(trigger);
			await renewed(trigger, 26.5);
			await ended(trigger, 27, old.id);
			const probe = exchanges.at(-1);
			if (!probe) throw new Error('No probe was sent');
			const send = async (body: string, headers: Record<string, string>) =>
				await receive({ body: Buffer.from(body), headers });
			const header = String(probe.headers[HEADER]);
			const before = JSON.stringify(trigger.saved());
			expect(await send(probe.body, { [HEADER]: header })).toEqual({
				status: 200,
				items: undefined,
				text: probe.text,
			});
			const forged = header.replace(/[0-9a-f]{4}$/, '0000');
			const refusal = await send(probe.body, { [HEADER]: forged });
			expect(refusal).toEqual({ status: 401, items: undefined });
			expect(await send(probe.body, { [HEADER]: 'other' })).toEqual(refusal);
			expect(await send(`${probe.body} `, { [HEADER]: header })).toEqual(refusal);
			// The header does not turn a delivery into a probe; without it, a probe is no event.
			const event = suite.delivery(current(trigger));
			const marked = { ...event.headers, [HEADER]: '1' };
			expect((await send(event.body.toString(), marked)).status).toBe(401);
			const strange = signed(current(trigger), Buffer.from('{"probe":"1"}'));
			expect((await send('{"probe":"1"}', { ...strange.headers, [HEADER]: '1' })).status).toBe(401);
			expect(JSON.stringify(trigger.saved())).toBe(before);
			expect(trigger.emitted).toHaveLength(1);
			expect(suite.warnings).toEqual([expect.stringContaining('A delivery was refused')]);
		});
	});

	describe('a probe', () => {
		it('carries no secret and no credential', async () => {
			const { trigger } = await publish('processor');
			const old = current(trigger);
			await renewed(trigger, 26.5);
			await ended(trigger, 27, old.id);
			const shown = JSON.stringify([exchanges, suite.warnings, trigger.emitted]);
			for (const secret of [old.secret, current(trigger).secret, suite.workspace.service.apiKey]) {
				expect(shown).not.toContain(secret);
				expect(shown).not.toContain(Buffer.from(secret).toString('base64url').slice(4, -4));
			}
			expect(exchanges[0]?.headers.authorization).toBeUndefined();
		});

		const foreign: Array<[string, Foreign]> = [
			['a login page', (_, response) => response.writeHead(200).end('<html>Sign in</html>')],
			['a gateway that refuses', (_, response) => response.writeHead(401).end('Unauthorized')],
			['an empty refusal', (_, response) => response.writeHead(401).end()],
			['an echo of the request', (request, response) => void request.pipe(response)],
			['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end()],
			['a broken connection', (request) => request.socket.destroy()],
		];
		it.each(foreign)('that is answered with %s says nothing: both stay', async (_name, answer) => {
			let asked = 0;
			server = await startWebServer((request, response) => {
				asked += 1;
				answer(request, response);
			});
			const network = { webhookBase: server.url, ownAddress: 'network', queueMode: true } as const;
			const trigger = await suite.published({}, suite.workspace.apiKey, network);
			const old = current(trigger);
			// The process that starts didn't make the old one.
			const next = suite.afterRestart(trigger, network);
			await next.activate('init');
			await next.start('init');
			pass(1);
			await untilTicked(next, 'a probe', () => asked > 0);
			await next.idle();
			expect(isLive(next, old.id)).toBe(true);
			expect((await next.deliver(suite.delivery(current(next)))).items).toHaveLength(1);
			await ended(next, 1.1, old.id);
			expect(suite.live(next).map(({ id }) => id)).toEqual([current(next).id]);
			await next.deactivate();
			expect(suite.live(next)).toEqual([]);
		});
	});

	describe('a copy of the database with the webhook address of the original', () => {
		it("deletes nothing that it didn't create, also when it is unpublished; its log says why", async () => {
			const original = await suite.published({ options: { overlap: 0 } });
			const production = current(original);
			const copy = suite.afterRestart(original, { ownAddress: original });
			await copy.activate('init');
			await copy.start();
			for (let minutes = 1; minutes < 48 * 60; minutes += minutes < 10 ? 1 : 60) {
				await tickAt(copy, minutes / 60);
			}
			expect(isLive(original, production.id)).toBe(true);
			// Once a day.
			const lines = suite.warnings.filter((line) => line.includes('Another n8n responds at'));
			expect(lines).toHaveLength(2);
			await copy.deactivate();
			expect(suite.live(original).map(({ id }) => id)).toEqual([production.id]);
			expect((await original.deliver(suite.delivery(production))).items).toHaveLength(1);
			await original.deactivate();
			expect(suite.live(original)).toEqual([]);
		});

		it('also where it could not start: its mark is the mark of the original', async () => {
			const original = await suite.published();
			const { id } = current(original);
			const { events } = original.node.parameters;
			// Nothing is known about the address.
			original.node.parameters.events = '={{ $vars.none }}';
			const copy = suite.afterRestart(original, { ownAddress: original });
			original.node.parameters.events = events as never;
			await copy.activate('init');
			await copy.start();
			await copy.deactivate();
			expect(suite.live(original).map((one) => one.id)).toEqual([id]);
			expect(suite.warnings.join()).toContain(
				`Subscription ${id} still exists at the service: it may belong to another n8n`,
			);
			await original.deactivate();
		});
	});
});

describe('renewals where n8n gives the executions of its workers no static data, as n8n 2.41 in queue mode', () => {
	const BLIND = { queueMode: true, blindWorkers: true };

	async function runningPair() {
		const pair = triggerPair(suite.workspace.apiKey, { events: ['record.created'] }, BLIND);
		for (const trigger of pair) {
			await trigger.activate();
			await trigger.start('activate');
		}
		return pair;
	}

	it('saves the new subscriptions of two triggers in one workflow', async () => {
		const pair = await runningPair();
		const olds = pair.map(current);
		pass(26.5);
		for (const trigger of pair) trigger.tick();
		await until('both to be saved', () =>
			pair.every((trigger, index) => current(trigger).id !== olds[index]?.id),
		);
		for (const trigger of pair) await trigger.idle();
		for (const trigger of pair) {
			const processor = suite.afterRestart(trigger);
			expect((await processor.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
		}
		// Only once does it take a second execution to find out.
		expect(pair.map(({ emitted }) => emitted.length).sort()).toEqual([1, 2]);
		pass(27);
		for (const [index, trigger] of pair.entries()) {
			await untilTicked(
				trigger,
				'the old one to be deleted',
				() => !suite.live(trigger).some(({ id }) => id === olds[index]?.id),
			);
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		}
		for (const trigger of pair) await trigger.deactivate();
		expect(pair.flatMap((trigger) => suite.live(trigger))).toEqual([]);
	});

	/** Rings all alarms that are set for as long as another trigger waits for its turn. */
	function turnsPass(): () => void {
		const alarm = systemClock.alarm;
		const rings = new Set<() => void>();
		jest.spyOn(systemClock, 'alarm').mockImplementation((ms, ring) => {
			if (ms !== PLACE_MS) return alarm(ms, ring);
			rings.add(ring);
			return () => rings.delete(ring);
		});
		return () => rings.forEach((ring) => ring());
	}

	it("saves once more after a minute if n8n doesn't hear of the end, and lets another trigger save meanwhile", async () => {
		const pair = await runningPair();
		const [first, second] = pair;
		const olds = pair.map(current);
		const ring = turnsPass();
		first?.missEnd();
		pass(26.5);
		first?.tick();
		await until('the first execution', () => first?.emitted.length === 1);
		second?.tick();
		for (const trigger of pair) await trigger.idle();
		expect(pair.map(({ emitted }) => emitted.length)).toEqual([1, 0]);
		ring();
		await until('the second to be saved', () => second && current(second).id !== olds[1]?.id);
		for (const trigger of pair) await trigger.idle();
		pass(26.5 + 61 / 3600);
		first?.tick();
		await until('the first to be saved', () => first && current(first).id !== olds[0]?.id);
		for (const trigger of pair) await trigger.deactivate();
		expect(pair.flatMap((trigger) => suite.live(trigger))).toEqual([]);
	});
});

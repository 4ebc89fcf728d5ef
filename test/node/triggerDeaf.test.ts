/** What would make the trigger deaf without a word: late answers, a changed credential, a slow service. */
import { calm, hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { current, lifecycleSuite, pass, signed, untilTicked } from '../support/lifecycle';
import type { TestTrigger } from '../support/trigger';
import { startWebServer } from '../support/webServer';

const suite = lifecycleSuite();

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

describe('a verified delivery', () => {
	it('that n8n refuses makes a renewal due within ten minutes, with one line in the log', async () => {
		const { trigger } = await published();
		const { id } = current(trigger);
		await trigger.deliver({ ...suite.delivery(current(trigger)), n8nStatus: 500 });
		trigger.tick();
		await trigger.idle();
		expect(current(trigger).id).toBe(id);
		pass(10 / 60);
		expect((await renewedAfter(trigger, id)).id).not.toBe(id);
		const lines = suite.warnings.filter((line) => line.includes('in ten minutes'));
		expect(lines).toHaveLength(1);
	});

	it('that comes again makes a renewal due, unless another one follows', async () => {
		const { trigger } = await published();
		const { id } = current(trigger);
		const event = suite.delivery(current(trigger));
		await trigger.deliver(event);
		expect((await trigger.deliver(event)).items).toBeUndefined();
		await trigger.deliver(suite.delivery(current(trigger)));
		pass(10 / 60);
		trigger.tick();
		await trigger.idle();
		expect(current(trigger).id).toBe(id);
		await trigger.deliver(event);
		pass(20 / 60);
		expect((await renewedAfter(trigger, id)).id).not.toBe(id);
	});

	it('that is forged is no sign of anything', async () => {
		const { trigger } = await published();
		const { id } = current(trigger);
		const forged = signed({ id: 'x', secret: 'guess' }, Buffer.from('{}'));
		for (let n = 0; n < 5; n += 1) await trigger.deliver({ ...forged, hungUp: true });
		pass(10 / 60);
		trigger.tick();
		await trigger.idle();
		expect(current(trigger).id).toBe(id);
	});
});

it('200 forgeries with the header of a probe are counted like others, and learn nothing', async () => {
	const { trigger } = await published();
	const body = Buffer.from('{"probe":"1","known":[]}');
	const plain = await trigger.deliver(signed({ id: 'x', secret: 'guess' }, body));
	for (let n = 0; n < 200; n += 1) {
		const { headers } = signed({ id: 'x', secret: `guess ${n}` }, body);
		const marked = { ...headers, 'x-workspace-data-probe': `1.${'a'.repeat(64)}` };
		expect(await trigger.deliver({ body, headers: marked })).toEqual(plain);
	}
	expect(suite.warnings).toEqual([expect.stringContaining('A delivery was refused')]);
	pass(1 / 30);
	await trigger.deliver(signed({ id: 'x', secret: 'guess' }, body));
	expect(suite.warnings).toHaveLength(2);
});

describe('the secret at rest', () => {
	it("is sealed, so that reading the workflow doesn't show it", async () => {
		const { trigger } = await published();
		expect(current(trigger).secret.length).toBeGreaterThan(10);
		expect(savedText(trigger)).not.toContain(current(trigger).secret);
	});

	it('is sealed again within an hour after the credential is rotated; deliveries run meanwhile', async () => {
		const { trigger, credential } = await published();
		const old = current(trigger);
		const sealed = savedText(trigger);
		credential.webUrl = 'https://example.com/{card}';
		expect((await trigger.deliver(suite.delivery(old))).items).toHaveLength(1);
		pass(1.1);
		const { id } = await renewedAfter(trigger, old.id);
		expect(id).not.toBe(old.id);
		expect(savedText(trigger)).not.toBe(sealed);
		expect((await trigger.deliver(suite.delivery(old))).items).toHaveLength(1);
		expect((await trigger.deliver(suite.delivery(current(trigger)))).items).toHaveLength(1);
	});
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
		later.reload();
		expect((await later.deliver(suite.delivery(old))).items).toHaveLength(1);
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
		pass(hours);
		trigger.tick();
		await trigger.idle();
	}
	credential.apiKey = right;
	suite.workspace.service.control.resetRequests();
	pass(4 + 10 / 3_600);
	expect((await renewedAfter(trigger, id)).id).not.toBe(id);
	expect(suite.subscribed()).toBe(1);
});

/** A small service with one subscription for an address, always with the same id. */
async function startSmallService(answerMs: { post: number }) {
	const deleted: string[] = [];
	const created: string[] = [];
	/** A deletion that is not answered. */
	let held: ServerResponse | undefined;
	let holdsNext = false;
	let retryAfter: number | undefined;
	const server = await startWebServer((request, response) => {
		const answer = (status: number, body?: object, headers = {}) => {
			response.writeHead(status, { 'content-type': 'application/json', ...headers });
			response.end(body && JSON.stringify(body));
		};
		if (request.method === 'GET') answer(200, { cards: [], next_cursor: null });
		else if (request.method === 'POST') {
			created.push('whk_same');
			const body = { webhook_id: 'whk_same', secret: `secret ${created.length}` };
			setTimeout(() => answer(201, body), answerMs.post);
		} else if (retryAfter !== undefined) {
			answer(503, undefined, { 'retry-after': String(retryAfter) });
			retryAfter = undefined;
		} else if (holdsNext) {
			holdsNext = false;
			held = response;
		} else {
			deleted.push(String(request.url));
			answer(204);
		}
	});
	const baseUrl = `${server.url}/api/v1`;
	return {
		credentials: { workspaceDataApi: { ...suite.workspace.apiKey.workspaceDataApi, baseUrl } },
		deleted,
		created,
		/** Refuses a deletion for so many seconds, then does not answer it. */
		holdAfter(seconds: number) {
			retryAfter = seconds;
			holdsNext = true;
		},
		/** Whether a deletion waits for its answer. */
		isHeld: () => held?.writable === true,
		/** Breaks the connection of the deletion that waits; the node may try again. */
		breakHeld: () => held?.destroy(),
		close: server.close,
	};
}

it("a deletion under way doesn't end the subscription that is published again with the same id", async () => {
	const service = await startSmallService({ post: 0 });
	const trigger = await suite.published({}, service.credentials);
	service.holdAfter(5);
	hurry();
	// The hook returns after 9 s at the latest; the second try, which has 8 s, continues.
	await trigger.deactivate();
	calm();
	expect(service.isHeld()).toBe(true);
	const again = trigger.activate();
	service.breakHeld();
	await again;
	const before = service.deleted.length;
	// As long as the node takes to try a deletion again.
	await new Promise((resolve) => setTimeout(resolve, 3_000));
	expect(service.deleted).toHaveLength(before);
	expect(current(trigger).id).toBe('whk_same');
	expect(suite.warnings.join()).toContain('the workflow is published again');
	await service.close();
}, 60_000);

it('a service that takes eleven seconds for a subscription is waited for in the background', async () => {
	const answerMs = { post: 0 };
	const service = await startSmallService(answerMs);
	const trigger = await suite.published({}, service.credentials);
	answerMs.post = 11_000;
	hurry();
	await trigger.activate('init');
	expect(suite.warnings.join()).toContain("couldn't be renewed yet");
	await trigger.start();
	pass(1 / 60);
	trigger.tick();
	await trigger.idle();
	await untilTicked(
		trigger,
		'the secret of the second try',
		() => current(trigger).secret === 'secret 3',
	);
	expect(service.created).toHaveLength(3);
	await trigger.deactivate();
	await service.close();
}, 90_000);

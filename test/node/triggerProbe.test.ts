/** n8n asks its own webhook address whether it has what was saved last, before a subscription is deleted. */
import type { IDataObject } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
	current,
	keptBy,
	lifecycleSuite,
	pass,
	signed,
	untilMinutes,
	untilTicked,
} from '../support/lifecycle';
import { triggerNode, type TestTrigger } from '../support/trigger';
import { startWebServer, type WebServer } from '../support/webServer';

const suite = lifecycleSuite();
const HEADER = 'x-workspace-data-probe';

/** A request that came to n8n's webhook address, and its answer. */
interface Exchange {
	headers: IncomingMessage['headers'];
	body: string;
	status: number;
	answer: string;
}

type Foreign = (request: IncomingMessage, response: ServerResponse) => void;

/** n8n's webhook address: a process of n8n behind it, or something else. */
class Gateway {
	readonly exchanges: Exchange[] = [];

	foreign: Foreign | undefined;

	url = '';

	private main: TestTrigger | undefined;

	private receiver: TestTrigger | undefined;

	private server: WebServer | undefined;

	async open(): Promise<void> {
		this.server = await startWebServer((request, response) => {
			if (this.foreign) {
				this.exchanges.push({ headers: request.headers, body: '', status: 0, answer: '' });
				this.foreign(request, response);
			} else void this.pass(request, response);
		});
		this.url = this.server.url;
	}

	async close(): Promise<void> {
		await this.server?.close();
	}

	/** As n8n: whichever process gets it reads the static data first. */
	private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await text(request);
		this.receiver?.reload(this.main?.saved() ?? {});
		const headers = request.headers as Record<string, string>;
		const result = await this.receiver?.deliver({ body: Buffer.from(body), headers });
		const { status = 404, text: answer = '' } = result ?? {};
		this.exchanges.push({ headers: request.headers, body, status, answer });
		response.writeHead(status).end(answer);
	}

	/** A published trigger of which this is the address. */
	async publish(
		by: 'main' | 'processor',
		{
			options = {},
			...how
		}: { options?: IDataObject; queueMode?: boolean; blindWorkers?: boolean } = {},
	): Promise<TestTrigger> {
		const parameters = { events: ['record.created'], options };
		const main = triggerNode(suite.workspace.apiKey, parameters, {
			webhookBase: this.url,
			ownAddress: 'network',
			queueMode: true,
			...how,
		});
		await main.activate();
		await main.start('activate');
		this.main = main;
		// Main itself receives with another workflow object, but with the same memory.
		this.receiver =
			by === 'main'
				? triggerNode(suite.workspace.apiKey, parameters, { sameAs: main })
				: suite.afterRestart(main);
		return main;
	}
}

let gateway: Gateway;
beforeEach(async () => {
	gateway = new Gateway();
	await gateway.open();
});
afterEach(async () => await gateway.close());

/** The subscription is renewed after a silence, and saved. */
async function renewed(trigger: TestTrigger, hours: number): Promise<void> {
	const old = current(trigger).id;
	pass(hours);
	await untilTicked(trigger, 'n8n to save it', () =>
		current(trigger).id === old ? undefined : true,
	);
	await trigger.idle();
}

const isLive = (trigger: TestTrigger, id: string) =>
	suite.live(trigger).some((one) => one.id === id);

/** The overlap passes, and the replaced subscription is deleted. */
async function ended(trigger: TestTrigger, hours: number, id: string): Promise<void> {
	pass(hours);
	await untilTicked(trigger, 'the old one to be deleted', () =>
		isLive(trigger, id) ? undefined : true,
	);
	await trigger.idle();
}

describe.each(['main', 'processor'] as const)('a probe that reaches the %s process', (by) => {
	it('confirms that the new subscription is saved: each silent day takes one execution', async () => {
		const trigger = await gateway.publish(by);
		for (const day of [1, 2]) {
			suite.workspace.service.control.resetRequests();
			const old = current(trigger);
			await renewed(trigger, 26.5 * day);
			await ended(trigger, 26.5 * day + 0.5, old.id);
			expect(trigger.emitted).toHaveLength(day);
			expect(new Set(gateway.exchanges.map(({ status }) => status))).toEqual(new Set([200]));
			expect(gateway.exchanges.length).toBeLessThanOrEqual(3 * day);
			const changes = suite.workspace.requests().filter((line) => !line.startsWith('GET'));
			expect(changes).toEqual(['POST /webhooks', `DELETE /webhooks/${old.id}`]);
			// The saved data do not grow.
			expect(keptBy(trigger).previous.map(({ id }) => id)).toEqual([old.id]);
		}
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('is refused when the saved subscription is gone, whatever the process remembers', async () => {
		const trigger = await gateway.publish(by, { blindWorkers: true });
		const old = current(trigger);
		await renewed(trigger, 26.5);
		const second = current(trigger);
		// As another node's execution that writes static data in a worker of n8n 2.41.
		trigger.overwrite({ 'node:Code': { counter: 1 } });
		pass(27);
		await untilTicked(trigger, 'n8n to save it again', () =>
			keptBy(trigger).current?.id === second.id ? true : undefined,
		);
		expect(gateway.exchanges.map(({ status }) => status)).toContain(401);
		expect(isLive(trigger, old.id)).toBe(true);
		const processor = suite.afterRestart(trigger);
		expect((await processor.deliver(suite.delivery(old))).items).toHaveLength(1);
		// The service may have paused the second for the refusals meanwhile.
		await untilMinutes(trigger, 27.1, 'both to be replaced', () =>
			[old, second].every(({ id }) => !isLive(trigger, id)),
		);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		expect(current(trigger).id).not.toBe(second.id);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('answers by the saved data, and starts and changes nothing; others are refused like forgeries', async () => {
		const trigger = await gateway.publish(by);
		const old = current(trigger);
		await renewed(trigger, 26.5);
		await ended(trigger, 27, old.id);
		const probe = gateway.exchanges.at(-1);
		if (!probe) throw new Error('No probe was sent');
		const send = async (body: string, headers: Record<string, string>) => {
			const response = await fetch(`${gateway.url}/webhook`, { method: 'POST', body, headers });
			return { status: response.status, text: await response.text() };
		};
		const header = String(probe.headers[HEADER]);
		const before = JSON.stringify(trigger.saved());
		expect(await send(probe.body, { [HEADER]: header })).toEqual({
			status: 200,
			text: probe.answer,
		});
		const forged = header.replace(/[0-9a-f]{4}$/, '0000');
		const refusal = await send(probe.body, { [HEADER]: forged });
		expect(refusal).toEqual({ status: 401, text: '' });
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
		await trigger.deactivate();
	});
});

describe('a probe', () => {
	it('carries no secret and no credential', async () => {
		const trigger = await gateway.publish('processor');
		const old = current(trigger);
		await renewed(trigger, 26.5);
		await ended(trigger, 27, old.id);
		const shown = JSON.stringify([gateway.exchanges, suite.warnings, trigger.emitted]);
		for (const secret of [old.secret, current(trigger).secret, suite.workspace.service.apiKey]) {
			expect(shown).not.toContain(secret);
			expect(shown).not.toContain(Buffer.from(secret).toString('base64url').slice(4, -4));
		}
		expect(gateway.exchanges[0]?.headers.authorization).toBeUndefined();
		await trigger.deactivate();
	});

	const foreign: Array<[string, Foreign]> = [
		['a login page', (_, response) => response.writeHead(200).end('<html>Sign in</html>')],
		['a gateway that refuses', (_, response) => response.writeHead(401).end('Unauthorized')],
		['an empty refusal', (_, response) => response.writeHead(401).end()],
		['an echo of the request', (request, response) => void request.pipe(response)],
		['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end()],
		['a broken connection', (request) => request.socket.destroy()],
	];
	it.each(foreign)(
		'that is responded with %s says nothing: both stay until the new one delivers',
		async (_name, answer) => {
			const trigger = await gateway.publish('main');
			const old = current(trigger);
			gateway.foreign = answer;
			// The process that starts didn't make the old one.
			const next = suite.afterRestart(trigger, {
				webhookBase: gateway.url,
				ownAddress: 'network',
				queueMode: true,
			});
			await next.activate('init');
			await next.start('init');
			pass(1);
			await untilTicked(next, 'a probe', () => (gateway.exchanges.length > 0 ? true : undefined));
			await next.idle();
			expect(isLive(next, old.id)).toBe(true);
			expect((await next.deliver(suite.delivery(current(next)))).items).toHaveLength(1);
			await ended(next, 1.1, old.id);
			expect(suite.live(next).map(({ id }) => id)).toEqual([current(next).id]);
			await next.deactivate();
			expect(suite.live(next)).toEqual([]);
		},
	);
});

describe('a copy of the database with the webhook address of the original', () => {
	/** The original is published, and a copy of its database is started. */
	async function copied() {
		const original = suite.watchAll({ options: { overlap: 0 } });
		await original.activate();
		const production = current(original);
		const copy = suite.afterRestart(original, { ownAddress: original });
		await copy.activate('init');
		await copy.start();
		return { original, production, copy };
	}

	const tellsForeign = () =>
		suite.warnings.filter((line) => line.includes('Another n8n responds at'));

	it("deletes nothing that it didn't create, also when it is unpublished; its log says why", async () => {
		const { original, production, copy } = await copied();
		for (let minutes = 1; minutes < 48 * 60; minutes += minutes < 10 ? 1 : 60) {
			pass(minutes / 60);
			copy.tick();
			await copy.idle();
		}
		expect(isLive(original, production.id)).toBe(true);
		// Once a day.
		expect(tellsForeign()).toHaveLength(2);
		await copy.deactivate();
		expect(suite.live(original).map(({ id }) => id)).toEqual([production.id]);
		expect((await original.deliver(suite.delivery(production))).items).toHaveLength(1);
		await original.deactivate();
		expect(suite.live(original)).toEqual([]);
	});

	/** n8n starts with a wrong value, so that nothing is known about the address, and the workflow is unpublished. */
	async function unpublishedAfterAFailedStart(
		original: TestTrigger,
		options: Parameters<typeof suite.afterRestart>[1],
	) {
		const { events } = original.node.parameters;
		original.node.parameters.events = '={{ $vars.none }}';
		const next = suite.afterRestart(original, options);
		original.node.parameters.events = events as never;
		await next.activate('init');
		await next.start();
		await next.deactivate();
		return next;
	}

	it('also where it could not start: its mark is the mark of the original', async () => {
		const original = suite.watchAll();
		await original.activate();
		const production = current(original);
		const copy = await unpublishedAfterAFailedStart(original, { ownAddress: original });
		expect(suite.live(original).map(({ id }) => id)).toEqual([production.id]);
		expect(suite.warnings.join()).toContain(
			`Subscription ${production.id} still exists at the service: it may belong to another n8n`,
		);
		expect(keptBy(copy).previous).toEqual([]);
		await original.deactivate();
	});

	it("also where the service returns the original's subscription without its secret", async () => {
		const original = await suite.published();
		const json = { webhook_id: current(original).id };
		suite.refuseNext({ status: 200, body: 'json', json });
		await suite.afterRestart(original, { staticData: {}, ownAddress: original }).activate('init');
		expect(suite.live(original).map(({ id }) => id)).toEqual([json.webhook_id]);
		await original.deactivate();
	});

	it.each([['itself', {}] as const, ['nobody', { ownAddress: 'nobody' }] as const])(
		'but n8n deletes its own after such a start, where its address reaches %s',
		async (_name, options) => {
			const original = suite.watchAll();
			await original.activate();
			await unpublishedAfterAFailedStart(original, options);
			expect(suite.live(original)).toEqual([]);
		},
	);
});

/** In queue mode, n8n's main process asks its own webhook address whether the new subscription is saved. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { current, keptBy, lifecycleSuite, pass, signed, untilTicked } from '../support/lifecycle';
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
	it('C5 confirms that the new subscription is saved: each silent day takes one execution', async () => {
		const trigger = await gateway.publish(by);
		for (const day of [1, 2, 3]) {
			suite.workspace.service.control.resetRequests();
			const old = current(trigger);
			await renewed(trigger, 26.5 * day);
			await ended(trigger, 26.5 * day + 0.5, old.id);
			expect(trigger.emitted).toHaveLength(day);
			expect(gateway.exchanges.map(({ status }) => status)).toEqual(Array(day).fill(200));
			const changes = suite.workspace.requests().filter((line) => !line.startsWith('GET'));
			expect(changes).toEqual(['POST /webhooks', `DELETE /webhooks/${old.id}`]);
			// The saved data do not grow.
			expect(keptBy(trigger).retired.map(({ id }) => id)).toEqual([old.id]);
		}
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('C5 is refused when the saved subscription is gone, whatever the process remembers', async () => {
		const trigger = await gateway.publish(by, { blindWorkers: true });
		const old = current(trigger);
		await renewed(trigger, 26.5);
		const second = current(trigger);
		// As another node's execution that writes static data in a worker of n8n 2.41.
		trigger.overwrite({ 'node:Code': { counter: 1 } });
		pass(27);
		await untilTicked(trigger, 'the answer', () => gateway.exchanges[0]);
		await untilTicked(trigger, 'n8n to save it again', () =>
			keptBy(trigger).current?.id === second.id ? true : undefined,
		);
		expect(gateway.exchanges.map(({ status }) => status)).toEqual([401]);
		expect(isLive(trigger, old.id)).toBe(true);
		const processor = suite.afterRestart(trigger);
		expect((await processor.deliver(suite.delivery(old))).items).toHaveLength(1);
		// The service may have paused the second for the refusals meanwhile.
		await renewed(trigger, 27.1);
		await ended(trigger, 27.6, old.id);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		expect(current(trigger).id).not.toBe(second.id);
		await trigger.deactivate();
		expect(suite.live(trigger)).toEqual([]);
	});

	it('answers by the saved data, and starts and changes nothing; others are refused like forgeries (K13)', async () => {
		const trigger = await gateway.publish(by);
		const old = current(trigger);
		await renewed(trigger, 26.5);
		await ended(trigger, 27, old.id);
		const [probe] = gateway.exchanges;
		if (!probe) throw new Error('No probe was sent');
		const send = async (body: string, headers: Record<string, string>) => {
			const response = await fetch(`${gateway.url}/webhook`, { method: 'POST', body, headers });
			return { status: response.status, text: await response.text() };
		};
		const genuine = {
			[HEADER]: String(probe.headers[HEADER]),
			'x-service-signature': String(probe.headers['x-service-signature']),
		};
		const before = JSON.stringify(trigger.saved());
		expect(await send(probe.body, genuine)).toEqual({ status: 200, text: probe.answer });
		const forged = { ...genuine, 'x-service-signature': 'a'.repeat(64) };
		const refusal = await send(probe.body, forged);
		expect(refusal.status).toBe(401);
		expect(refusal.text).not.toBe(probe.answer);
		expect((await send(probe.body, { ...genuine, [HEADER]: 'other' })).status).toBe(401);
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
	it('C5 is no sign of life of the subscription', async () => {
		const trigger = await gateway.publish('main', { options: { overlap: 20 * 60 } });
		const old = current(trigger);
		await renewed(trigger, 26.5);
		await ended(trigger, 47, old.id);
		expect(gateway.exchanges).toHaveLength(1);
		// 26.5 hours after the renewal, 6 after the probe.
		await renewed(trigger, 53);
		await trigger.deactivate();
	});

	it('carries no secret and no credential', async () => {
		const trigger = await gateway.publish('processor');
		const old = current(trigger);
		await renewed(trigger, 26.5);
		await ended(trigger, 27, old.id);
		const shown = JSON.stringify([gateway.exchanges, suite.warnings, trigger.emitted]);
		for (const secret of [old.secret, current(trigger).secret, suite.workspace.service.apiKey]) {
			expect(shown).not.toContain(secret);
		}
		expect(gateway.exchanges[0]?.headers.authorization).toBeUndefined();
		await trigger.deactivate();
	});

	it('is not sent in regular mode', async () => {
		const trigger = await gateway.publish('main', { queueMode: false });
		const old = current(trigger);
		await renewed(trigger, 26.5);
		await ended(trigger, 27, old.id);
		expect(gateway.exchanges).toEqual([]);
		expect(trigger.emitted).toHaveLength(1);
		await trigger.deactivate();
	});

	const foreign: Array<[string, Foreign]> = [
		['a login page', (_, response) => response.writeHead(200).end('<html>Sign in</html>')],
		['a gateway that refuses', (_, response) => response.writeHead(401).end('Unauthorized')],
		['an empty refusal', (_, response) => response.writeHead(401).end()],
		['an echo of the request', (request, response) => void request.pipe(response)],
		[
			'the signature',
			(request, response) => {
				response.writeHead(200).end(request.headers['x-service-signature']);
			},
		],
		['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end()],
		['a broken connection', (request) => request.socket.destroy()],
		['silence', () => undefined],
	];
	it.each(foreign)(
		'C5 that is answered with %s leaves it to an execution',
		async (_name, answer) => {
			const trigger = await gateway.publish('processor');
			const old = current(trigger);
			await renewed(trigger, 26.5);
			gateway.foreign = answer;
			hurry();
			await ended(trigger, 27, old.id);
			expect(gateway.exchanges).toHaveLength(1);
			expect(trigger.emitted).toHaveLength(2);
			expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
			await trigger.deactivate();
		},
	);

	it('C5 that nobody answers deletes nothing while an old copy is saved', async () => {
		const trigger = await gateway.publish('processor');
		const before = trigger.saved();
		const old = current(trigger);
		await renewed(trigger, 26.5);
		const made = current(trigger);
		trigger.overwrite(before);
		gateway.foreign = (request) => request.socket.destroy();
		pass(27);
		await untilTicked(trigger, 'n8n to save it again', () =>
			current(trigger).id === made.id ? true : undefined,
		);
		await trigger.idle();
		expect(isLive(trigger, old.id)).toBe(true);
		// Main no longer knows the old one: the next probe is answered, but not confirmed.
		gateway.foreign = undefined;
		await renewed(trigger, 53);
		await ended(trigger, 53.5, old.id);
		expect(suite.live(trigger).map(({ id }) => id)).toEqual([current(trigger).id]);
		await trigger.deactivate();
	});

	it('C13 is followed by an execution where the deletion fails: it saves that the old one has ended', async () => {
		const trigger = await gateway.publish('processor');
		const old = current(trigger);
		await renewed(trigger, 26.5);
		suite.workspace.service.control.fail({ method: 'DELETE', path: '/webhooks/', status: 503 });
		pass(27);
		await untilTicked(trigger, 'the warning', () =>
			suite.warnings.find((line) => line.includes('could not be deleted yet')),
		);
		expect(isLive(trigger, old.id)).toBe(true);
		await ended(trigger, 27.05, old.id);
		expect(trigger.emitted).toHaveLength(2);
		expect(gateway.exchanges).toHaveLength(1);
		const processor = suite.afterRestart(trigger);
		expect((await processor.deliver(suite.delivery(old))).status).toBe(401);
		await trigger.deactivate();
	});
});

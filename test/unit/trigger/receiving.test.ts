/** What n8n answers to a delivery, and what of it starts the workflow. */
import { createHmac } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { PROBE_HEADER } from '../../../nodes/WorkspaceData/model/subscription/proof';
import { receiveDelivery } from '../../../nodes/WorkspaceData/trigger/delivery/receive';
import { forget } from '../../../nodes/WorkspaceData/trigger/subscription/nodeState';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { triggerHost } from '../../support/triggerHost';

const RECEIVED = { received: true };

class Response extends EventEmitter {
	writableEnded = false;

	destroyed = false;

	statusCode = 200;

	text: string | undefined;

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	end(text?: string): void {
		this.text = text;
		this.writableEnded = true;
		this.emit('finish');
	}
}

let records = 0;

async function world(parameters: IDataObject = {}) {
	const host = triggerHost(parameters);
	await activate(host.hook, host.clock);
	host.requests();
	const { clock, webhook } = host;
	const event = (more: IDataObject = {}): IDataObject => ({
		event: 'record.created',
		timestamp: new Date(clock.now()).toISOString(),
		workspace_id: 'w1',
		card_id: 'c1',
		record_id: `r${(records += 1)}`,
		data: { f1: 'Emma' },
		...more,
	});
	/** Delivers a body; n8n answers 200 or as told, where the node leaves it to n8n. */
	async function deliver(
		value: unknown,
		{
			headers = {},
			secret = 'secret-1',
			answer = 200,
			unread = false,
			type = 'application/json',
		} = {},
	) {
		const rawBody = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
		const response = new Response();
		const request = {
			headers: {
				'content-type': type,
				'x-service-signature': createHmac('sha256', secret).update(rawBody).digest('hex'),
				...headers,
			},
			rawBody: unread ? undefined : rawBody,
			async readRawBody() {
				if (request.rawBody) throw new Error('The body was read before');
				request.rawBody = rawBody;
			},
		};
		const context = {
			...webhook,
			getRequestObject: () => request,
			getResponseObject: () => response,
		} as unknown as IWebhookFunctions;
		const result = await receiveDelivery(context, clock);
		if (!result.noWebhookResponse && answer > 0) response.status(answer).end();
		return { result, response };
	}
	return { ...host, event, deliver };
}

test('a signed event starts the workflow, and the service hears that it was received', async () => {
	const { deliver, event } = await world();
	const one = event();
	const { result } = await deliver(one);
	const rest = { ...one };
	delete rest.data;
	expect(result).toEqual({
		webhookResponse: RECEIVED,
		workflowData: [
			[{ json: { ...rest, fields: { Title: 'Emma' }, delivery_key: expect.any(String) } }],
		],
	});
});

test('a body that n8n has not read yet is read', async () => {
	const { deliver, event } = await world();
	expect((await deliver(event(), { unread: true })).result.workflowData).toBeDefined();
});

test('a content type that only mentions multipart bodies is none', async () => {
	const { deliver, event } = await world();
	const type = 'application/json; profile="multipart/related"';
	expect((await deliver(event(), { type })).result.workflowData).toBeDefined();
});

describe('refused with 401, without an execution', () => {
	test.each([
		['another secret', { secret: 'forged' }, 'it is not signed by a subscription of this node'],
		['the header of a probe', { headers: { [PROBE_HEADER]: 'x' } }, ''],
		['a multipart body', { type: 'Multipart/form-data; boundary=x' }, ''],
	])('is %s', async (_, options, reason) => {
		const { deliver, event, lines } = await world();
		const { result, response } = await deliver(event(), options);
		expect(result).toEqual({ noWebhookResponse: true });
		expect([response.statusCode, response.writableEnded]).toEqual([401, true]);
		expect(lines).toEqual([expect.stringContaining(`A delivery was refused: ${reason}`)]);
	});

	test('is all where the node has no subscription', async () => {
		const { deliver, event, lines, hook, data } = await world();
		forget(hook, 'production');
		delete data.subscriptions;
		expect((await deliver(event())).response.statusCode).toBe(401);
		expect(lines).toEqual(['Trigger: A delivery was refused: this node has no subscription']);
	});

	test('is all where the credential has changed, and the log says that it will be renewed', async () => {
		const { deliver, event, lines, hook, data } = await world();
		forget(hook, 'production');
		data.subscriptions = String(data.subscriptions).replace(/"sealed":"[^"]*"/, '"sealed":"x"');
		expect((await deliver(event())).response.statusCode).toBe(401);
		expect(lines).toEqual([expect.stringContaining('the credential has changed')]);
	});

	test('is a forgery, too, while only one of two secrets can be read', async () => {
		const { deliver, event, lines, hook, clock, data } = await world();
		await activate(hook, clock);
		forget(hook, 'production');
		data.subscriptions = String(data.subscriptions).replace(/"sealed":"[^"]*"/, '"sealed":"x"');
		const { response } = await deliver(event(), { secret: 'forged' });
		expect(response.statusCode).toBe(401);
		expect(lines).toEqual([expect.stringContaining('the credential has changed')]);
	});
});

describe('received, without an execution', () => {
	test('a signed body that is no event', async () => {
		const { deliver, lines } = await world();
		expect((await deliver('["no event"]')).result).toEqual({ webhookResponse: RECEIVED });
		expect(lines).toEqual([expect.stringContaining('its body is not an event')]);
	});

	test('an event that was not asked for', async () => {
		const { deliver, event, lines } = await world();
		const { result } = await deliver(event({ event: 'card.created' }));
		expect(result).toEqual({ webhookResponse: RECEIVED });
		expect(lines).toEqual([expect.stringContaining('A signed delivery was ignored')]);
	});

	test('an event that is too old, with its age in the log', async () => {
		const { deliver, event, lines, clock } = await world({ options: { maxEventAge: 5 } });
		const timestamp = new Date(clock.now() - 7.4 * 60_000).toISOString();
		expect((await deliver(event({ timestamp }))).result).toEqual({ webhookResponse: RECEIVED });
		expect(lines).toEqual([expect.stringContaining('it is 7 minutes old')]);
	});

	test('an event that came before', async () => {
		const { deliver, event } = await world();
		const one = event();
		await deliver(one);
		expect((await deliver(one)).result).toEqual({ webhookResponse: RECEIVED });
	});

	test('an event that does not meet the conditions', async () => {
		const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'Ada' }] };
		const { deliver, event } = await world({ options: { filters } });
		expect((await deliver(event())).result).toEqual({ webhookResponse: RECEIVED });
	});
});

test('an event that came before starts again where duplicates count', async () => {
	const { deliver, event } = await world({ options: { ignoreDuplicates: false } });
	const one = event();
	await deliver(one);
	expect((await deliver(one)).result.workflowData).toBeDefined();
});

test('a second delivery is refused with 503 while the first is never answered', async () => {
	const { deliver, event } = await world();
	const one = event();
	await deliver(one, { answer: 0 });
	const { result, response } = await deliver(one);
	expect(result).toEqual({ noWebhookResponse: true });
	expect(response.statusCode).toBe(503);
});

test('an answer without success is a sign of strain, and the log says so once in ten minutes', async () => {
	const { deliver, event, lines, node, clock } = await world();
	await deliver(event(), { answer: 500 });
	expect(node().set.strain).toBeDefined();
	expect(lines).toEqual([expect.stringContaining('A delivery was not answered with success')]);
	clock.pass(599_000);
	await deliver(event(), { answer: 500 });
	expect(lines).toHaveLength(1);
	clock.pass(1_000);
	await deliver(event(), { answer: 500 });
	expect(lines).toHaveLength(2);
});

test('strain of a subscription that was replaced is not logged', async () => {
	const { deliver, event, lines, hook, clock } = await world();
	await activate(hook, clock);
	await deliver(event(), { answer: 500 });
	expect(lines).toEqual([]);
});

test('a delivery shows that the subscription works', async () => {
	const { deliver, event, node, clock } = await world();
	clock.pass(60_000);
	await deliver(event());
	expect(node().set).toMatchObject({ seen: true, aliveAt: clock.now() });
});

test('an old copy that an execution wrote back is put right by a delivery', async () => {
	const { deliver, event, data, hook, clock, saved } = await world();
	const old = data.subscriptions;
	await activate(hook, clock);
	data.subscriptions = old;
	await deliver(event(), { secret: 'secret-2' });
	expect(saved()).toMatchObject({ current: { id: 's2' } });
});

test('what is saved as it should be is not written again by a delivery', async () => {
	const { deliver, event, data } = await world();
	const text = data.subscriptions;
	const writes: unknown[] = [];
	Object.defineProperty(data, 'subscriptions', {
		get: () => text,
		set: (value) => writes.push(value),
	});
	await deliver(event());
	expect(writes).toEqual([]);
});

test('a doubt about watched fields or conditions is told in the log, and the workflow starts', async () => {
	const options = { watchFields: ['Gone'] };
	const { deliver, event, lines } = await world({
		events: ['record.updated'],
		watch: 'oneCard',
		cardId: 'c1',
		options,
	});
	const { result } = await deliver(event({ event: 'record.updated' }));
	expect(result.workflowData).toBeDefined();
	expect(lines).toEqual([expect.stringContaining("has no field 'Gone' to watch")]);
});

test('so is a condition that cannot be compared', async () => {
	const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'Ada' }] };
	const { deliver, event, lines, state } = await world({ options: { filters } });
	state.answer = (line) => (line.endsWith('/fields') ? { statusCode: 403 } : undefined);
	// Its fields are not known from another test.
	const { result } = await deliver(event({ card_id: 'c2' }));
	expect(result.workflowData).toBeDefined();
	expect(lines).toEqual([expect.stringContaining('without its filters')]);
});

test('a delivery to a test is none to the published workflow', async () => {
	const { deliver, event, state, hook, node } = await world();
	forget(hook, 'production');
	state.mode = 'manual';
	expect((await deliver(event())).result.workflowData).toBeDefined();
	expect(node().set.current).toBeUndefined();
});

test('the names of fields are those that the node’s own credential may see', async () => {
	const { deliver, event, state, webhook } = await world();
	const node = webhook.getNode();
	const fieldsBy = async (id: string, name: string) => {
		state.fields = [{ id: 'f1', name, type: 'text' }];
		const credentials = { workspaceDataApi: { id, name: 'Test' } };
		webhook.getNode = () => ({ ...node, credentials });
		const { result } = await deliver(event());
		return result.workflowData?.[0]?.[0]?.json.fields;
	};
	expect(await fieldsBy('of one', 'Title')).toEqual({ Title: 'Emma' });
	expect(await fieldsBy('of another', 'Name')).toEqual({ Name: 'Emma' });
});

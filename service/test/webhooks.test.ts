import type { ControlledService } from '../index.ts';
import { sign } from '../delivery/sender.ts';
import vectors from '../../test/vectors/signature.json' with { type: 'json' };
import { type Client, createClient, until, useServices } from './client.ts';
import { type Receiver, useReceivers } from './receiver.ts';

const startService = useServices();
const startReceiver = useReceivers();
let service: ControlledService;
let api: Client;
let receiver: Receiver;
let cid: string;
let fid: string;

beforeEach(async () => {
	// Some targets here never answer: nothing is waited for at the end.
	service = await startService({ control: true, backoffMs: 20, drainMs: 0 });
	receiver = await startReceiver();
	api = createClient(service);
	cid = (await api('POST', 'cards', { name: 'Watched' })).body.id;
	fid = (await api('POST', `cards/${cid}/fields`, { name: 'Name', type: 'text' })).body.id;
});

const everything = [
	...['record.created', 'record.updated', 'record.deleted'],
	...['card.created', 'card.updated', 'collaborator.added'],
];

async function subscribe(more: Record<string, unknown> = {}) {
	const hook = { target_url: receiver.url, events: everything, ...more };
	const answer = await api('POST', 'webhooks', hook);
	expect(answer.status).toBe(201);
	return answer.body;
}

const createRecord = async (value = 'x') =>
	(await api('POST', `cards/${cid}/records`, { data: { [fid]: value } })).body;

const paused = async () =>
	await until('all are paused', () =>
		service.control.subscriptions().every(({ state }) => state === 'paused'),
	);

const received = async (count: number) =>
	await until(`${count} deliveries arrive`, () => receiver.received.length >= count);

describe('signatures', () => {
	test.each(vectors.cases)('$name', ({ secret, bodyBase64, signature }) => {
		expect(sign(secret, Buffer.from(bodyBase64, 'base64'))).toBe(signature);
	});
});

describe('subscriptions', () => {
	test('show identifier and secret once', async () => {
		const created = await subscribe({ card_id: cid, events: ['record.created', 'record.created'] });
		expect(created).toEqual({
			webhook_id: expect.stringMatching(/^whk_/),
			target_url: receiver.url,
			events: ['record.created'],
			card_id: cid,
			state: 'active',
			created_at: expect.any(String),
			secret: expect.stringMatching(/^\S{20,}$/),
		});
		expect(JSON.stringify(service.control.subscriptions())).not.toContain(created.secret);
	});

	test.each([
		['no target', '/target_url', { target_url: undefined }],
		['another scheme', '/target_url', { target_url: 'ftp://x/' }],
		['credentials in the target', '/target_url', { target_url: 'http://a:b@x/' }],
		['no event', '/events', { events: [] }],
		['an unknown event', '/events/0', { events: ['record.touched'] }],
		['an unknown card', '/card_id', { card_id: 'none' }],
	])('refuse %s, and say that it is at %s', async (_name, pointer, more) => {
		const body = { target_url: 'http://x/', events: ['record.created'], ...more };
		const { status, body: problem } = await api('POST', 'webhooks', body);
		expect([status, problem.errors]).toEqual([422, [expect.objectContaining({ pointer })]]);
	});

	test('deleted ones get nothing more, paused or not', async () => {
		const first = await subscribe();
		expect((await api('DELETE', `webhooks/${first.webhook_id}`)).status).toBe(204);
		expect((await api('DELETE', `webhooks/${first.webhook_id}`)).status).toBe(404);
		receiver.answer = () => 500;
		const second = await subscribe();
		await createRecord();
		await paused();
		expect((await api('DELETE', `webhooks/${second.webhook_id}`)).status).toBe(204);
		expect(service.control.deliveries()).toEqual([]);
		expect(receiver.received).toHaveLength(4);
	});
});

describe('deliveries', () => {
	test('carry all six events, signed over the bytes that are sent', async () => {
		const { secret } = await subscribe();
		const record = await createRecord('é 🌍');
		await api('PATCH', `cards/${cid}/records/${record.id}`, { data: { [fid]: 'new' } });
		await api('PATCH', `cards/${cid}/records/${record.id}`, { data: { [fid]: null } });
		await api('PATCH', `cards/${cid}/records/${record.id}`, { data: { [fid]: null } });
		await api('DELETE', `cards/${cid}/records/${record.id}`);
		await api('PATCH', `cards/${cid}`, { name: 'Renamed' });
		const other = (await api('POST', 'cards', { name: 'Other' })).body;
		const email = 'new@example.com';
		service.control.addCollaborator({ cardId: cid, email });
		await received(7);
		const common = {
			timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			workspace_id: service.workspaceId,
			card_id: cid,
		};
		const cardOf = (id: string, name: string) => ({ id, name, description: '' });
		const ofRecord = { ...common, record_id: record.id };
		expect(receiver.received.map(({ body }) => body)).toEqual([
			{ event: 'record.created', ...ofRecord, data: { [fid]: 'é 🌍' } },
			{ event: 'record.updated', ...ofRecord, data: { [fid]: 'new' } },
			{ event: 'record.updated', ...ofRecord, data: { [fid]: null } },
			{ event: 'record.deleted', ...ofRecord, data: {} },
			{ event: 'card.updated', ...common, card: cardOf(cid, 'Renamed') },
			{ event: 'card.created', ...common, card_id: other.id, card: cardOf(other.id, 'Other') },
			{ event: 'collaborator.added', ...common, collaborator: { email, role: 'editor' } },
		]);
		for (const { headers, raw } of receiver.received) {
			expect(headers['content-type']).toMatch(/^application\/json/);
			expect(headers.authorization).toBeUndefined();
			expect(headers['x-service-signature']).toBe(sign(secret, raw));
		}
	});

	test('go to subscriptions of the card and of the workspace, by event', async () => {
		const other = (await api('POST', 'cards', { name: 'Other' })).body;
		const target = (name: string) => ({ target_url: `${receiver.url}/${name}` });
		await subscribe({ ...target('workspace'), events: ['record.created'] });
		await subscribe({ ...target('card'), card_id: cid, events: ['record.created'] });
		await subscribe({ ...target('other'), card_id: other.id, events: ['record.created'] });
		await subscribe({ ...target('deleted'), events: ['record.deleted'] });
		await createRecord();
		await api('POST', `cards/${other.id}/records`, { data: {} });
		await received(4);
		const paths = receiver.received.map(({ path }) => path.replace('/hook/', ''));
		expect(paths.sort()).toEqual(['card', 'other', 'workspace', 'workspace']);
	});

	test('keep their order, also across retries', async () => {
		let refusals = 3;
		receiver.answer = () => (refusals-- > 0 ? 503 : 200);
		await subscribe();
		for (let n = 0; n < 20; n++) await createRecord(`value ${n}`);
		await received(23);
		const accepted = receiver.received.slice(3).map(({ body }) => body.data[fid]);
		expect(accepted).toEqual(Array.from({ length: 20 }, (_, n) => `value ${n}`));
		const bytes = receiver.received.slice(0, 4).map(({ raw }) => raw.toString());
		expect(new Set(bytes).size).toBe(1);
	});

	test('are tried four times with growing pauses, then the subscription is paused', async () => {
		receiver.answer = () => 500;
		const { webhook_id: id } = await subscribe();
		await createRecord('first');
		await paused();
		const [delivery] = service.control.deliveries({ subscriptionId: id });
		const attempt = { status: 500, error: 'answered 500', durationMs: expect.any(Number) };
		expect(delivery).toMatchObject({
			event: 'record.created',
			state: 'pending',
			attempts: [1, 2, 3, 4].map((number) => ({ number, ...attempt })),
		});
		const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
		const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
		[20, 40, 80].forEach((least, n) => expect(pauses[n]).toBeGreaterThanOrEqual(least - 2));
		const mail = { recipient: 'owner@example.com', text: expect.stringContaining(id) };
		expect(service.control.outbox()).toMatchObject([mail]);

		// Nothing is queued while it is paused; what failed is sent when it is resumed.
		await createRecord('while paused');
		receiver.answer = () => 200;
		expect(service.control.resumeSubscription({ id })).toEqual({ resumed: true });
		await received(5);
		await createRecord('after');
		await received(6);
		const values = receiver.received.map(({ body }) => body.data[fid]);
		expect(values.slice(4)).toEqual(['first', 'after']);
	});

	test('time-outs, redirects and refused connections count as failures', async () => {
		receiver.answer = ({ path }) => (path.endsWith('/slow') ? null : 302);
		const [slow, redirect] = [`${receiver.url}/slow`, `${receiver.url}/redirect`];
		const refused = 'http://127.0.0.1:1/';
		for (const target_url of [redirect, refused]) await subscribe({ target_url });
		await createRecord();
		await paused();
		// Not before: the others could be late as well.
		service.control.setDeliveryTimeout({ ms: 300 });
		await subscribe({ target_url: slow });
		await createRecord();
		await paused();
		const errors = Object.fromEntries(
			service.control.subscriptions().map(({ id, targetUrl }) => {
				const [delivery] = service.control.deliveries({ subscriptionId: id });
				return [targetUrl, delivery?.attempts.at(-1)?.error];
			}),
		);
		expect(errors).toEqual({
			[slow]: 'no answer within 300 ms',
			[redirect]: 'answered 302',
			[refused]: expect.stringContaining('ECONNREFUSED'),
		});
		expect(receiver.received.some(({ path }) => path === '/elsewhere')).toBe(false);
		expect(service.control.outbox()).toHaveLength(3);
	});
});

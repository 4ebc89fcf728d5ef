/** The service as a test double for any client: what it saw, what it sends, and starting again from nothing. */
import type { ControlledService } from '../index.ts';
import { type Client, createClient, requestToken, useServices } from './client.ts';
import { type Receiver, useReceivers } from './receiver.ts';

const startService = useServices();
let service: ControlledService;
let receiver: Receiver;
let api: Client;
const startReceiver = useReceivers();
beforeEach(async () => {
	service = await startService({ control: true, drainMs: 0 });
	receiver = await startReceiver();
	api = createClient(service);
});

test('requests are recorded with headers and bodies, and without secrets', async () => {
	await requestToken(service);
	await api('POST', 'cards', { name: 'Grüße' }, { 'x-trace': 'abc', cookie: 'id=hidden' });
	await api('POST', 'cards', '{"name":');
	await api('GET', 'cards');
	const [token, create, broken, list] = service.control.requests();
	expect(create).toMatchObject({ body: '{"name":"Grüße"}', status: 201 });
	expect(create?.headers).toMatchObject({
		'x-trace': 'abc',
		authorization: '[redacted]',
		cookie: '[redacted]',
	});
	expect(broken).toMatchObject({ body: '{"name":', status: 400 });
	expect(list?.body).toBeNull();
	expect(token).toMatchObject({ listener: 'auth', method: 'POST', status: 200 });
	const all = JSON.stringify(service.control.requests());
	for (const secret of [service.apiKey, service.clientSecret, 'hidden']) {
		expect(all).not.toContain(secret);
	}
});

test('reset deletes all data but no key', async () => {
	const events = ['record.created', 'card.created'];
	await api('POST', 'webhooks', { target_url: receiver.url, events });
	const wrong = { name: 'Wrong', records: [{ Nowhere: 1 }] };
	expect(() => service.control.seed({ cards: [wrong] })).toThrow('Nowhere');
	service.control.seed({ cards: [{ name: 'Orders' }] });
	service.control.fail({ times: 100 });
	service.control.reset({ data: true });
	expect((await api('GET', 'cards')).body.cards).toEqual([]);
	expect(service.control.subscriptions()).toEqual([]);
	expect(service.control.requests()).toHaveLength(1);
	expect(receiver.received).toEqual([]);
});

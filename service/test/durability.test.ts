import { sign } from '../delivery/sender.ts';
import type { Service } from '../index.ts';
import { createClient, requestToken, until, useFile, useServices } from './client.ts';
import { killServices, startServiceProcess } from './commandLine.ts';
import { useReceivers } from './receiver.ts';

const startService = useServices();
const startReceiver = useReceivers();
afterEach(killServices);
const file = useFile();

const start = async (known: string[] = []) =>
	await startServiceProcess(['--file', file(), '--backoff-ms', '50', ...known]);

test('kill -9: no acknowledged record is lost, every one of them is delivered', async () => {
	const receiver = await startReceiver();
	const accepting = { now: true };
	receiver.answer = () => (accepting.now ? 200 : null);
	const first = await start();
	const { addresses } = first;
	const api = createClient(addresses as unknown as Service);
	const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	const fid = (await api('POST', `cards/${cid}/fields`, { name: 'n', type: 'number' })).body.id;
	const target = { target_url: receiver.url, events: ['record.created'] };
	const { secret } = (await api('POST', 'webhooks', target)).body;

	// The target stops answering half way, so that deliveries are pending at the end.
	const acknowledged: string[] = [];
	let stopped = false;
	const writers = [1, 2, 3, 4].map(async (lane) => {
		for (let n = 0; !stopped; n++) {
			const data = { [fid]: lane * 1_000_000 + n };
			const answer = await api('POST', `cards/${cid}/records`, { data }).catch(() => undefined);
			if (answer?.status === 201) acknowledged.push(answer.body.id);
		}
	});
	await until('100 records', () => acknowledged.length >= 100);
	accepting.now = false;
	await until('300 records', () => acknowledged.length >= 300);
	first.child.kill('SIGKILL');
	await first.ended;
	stopped = true;
	await Promise.all(writers);
	const deliveredBefore = new Set(receiver.received.map(({ body }) => body.record_id));
	expect(deliveredBefore.size).toBeLessThan(acknowledged.length);

	accepting.now = true;
	const second = await start(['--api-key', addresses.apiKey]);
	const again = createClient(second.addresses as unknown as Service);
	const { body } = await again('GET', `cards/${cid}/records?limit=1000`);
	const stored = body.records.map(({ id }) => id);
	expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
	await until('all stored records are delivered', () => {
		const ids = new Set(receiver.received.map(({ body }) => body.record_id));
		return stored.every((id) => ids.has(id));
	});
	// None with a wrong signature.
	for (const { raw, headers } of receiver.received) {
		expect(headers['x-service-signature']).toBe(sign(secret, raw));
	}
});

test('workspace, cards, accounts, cursors and subscriptions survive a restart', async () => {
	const first = await startService({ control: true, file: file() });
	const api = createClient(first);
	const card = (await api('POST', 'cards', { name: 'Kept' })).body;
	first.control.fillCard({ cardId: card.id, count: 3 });
	const page = (await api('GET', `cards/${card.id}/records?limit=1`)).body;
	const target = { target_url: 'http://127.0.0.1:9/', events: ['card.created'] };
	const { webhook_id: hook } = (await api('POST', 'webhooks', target)).body;
	await first.close();

	const { workspaceId, apiKey, clientId, clientSecret } = first;
	const second = await startService({ file: file(), apiKey, clientId, clientSecret });
	expect(second).toMatchObject({ workspaceId, apiKey, clientId, clientSecret });
	const later = createClient(second);
	expect((await later('GET', 'cards')).body.cards).toEqual([card]);
	const rest = await later('GET', `cards/${card.id}/records?cursor=${page.next_cursor}`);
	expect(rest.body.records).toHaveLength(2);
	expect((await later('DELETE', `webhooks/${hook}`)).status).toBe(204);
	await second.close();
	const third = await startService({ file: file() });
	expect(third.workspaceId).toBe(workspaceId);
	// Without them, new ones replace them.
	expect((await createClient(third, apiKey)('GET', 'cards')).status).toBe(401);
	expect((await requestToken({ ...third, clientId, clientSecret })).status).toBe(401);
});

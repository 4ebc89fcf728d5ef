/** Each quota stops only the caller that asks for more. */
import { createTurns } from '../../service/delivery/turns.ts';
import { startService } from '../../service/index.ts';
import { createClient, until } from './client.ts';
import { startReceiver } from './receiver.ts';

test('F3 cards, fields and subscriptions beyond their quotas are refused by name', async () => {
	const service = await startService({ quotas: { cards: 1, fields: 1, subscriptions: 1 } });
	try {
		const api = createClient(service);
		const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
		const hook = { target_url: 'http://127.0.0.1:1/', events: ['card.created'] };
		const twice: Array<[string, object]> = [
			[`cards/${cid}/fields`, { name: 'a', type: 'text' }],
			['webhooks', hook],
		];
		for (const [path, body] of twice) expect((await api('POST', path, body)).status).toBe(201);
		for (const [path, body] of [...twice, ['cards', { name: 'Second' }] as const]) {
			const refused = await api('POST', path, body);
			expect([path, refused.status, refused.body.title]).toEqual([path, 409, 'Quota exceeded']);
		}
	} finally {
		await service.close();
	}
});

test('a subscription for which too much waits is paused, and the change goes through', async () => {
	const receiver = await startReceiver();
	const service = await startService({ control: true, quotas: { pendingDeliveries: 3 } });
	try {
		const api = createClient(service);
		receiver.answer = () => null;
		await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
		for (let n = 0; n < 5; n++) {
			expect((await api('POST', 'cards', { name: `Card ${n}` })).status).toBe(201);
		}
		await until('it is paused', () => service.control.subscriptions()[0]?.state === 'paused');
		expect(service.control.subscriptions()[0]?.pending).toBe(3);
		expect(service.control.outbox()[0]?.text).toContain('more events wait');
	} finally {
		receiver.hangUp();
		await service.close();
		await receiver.close();
	}
});

test('F3 a newcomer finds a turn, whatever the others hold', async () => {
	const turns = createTurns({ sockets: 16, socketsPerWorkspace: 8, socketsPerTarget: 8 });
	let begun = 0;
	for (const greedy of ['a', 'b', 'c']) {
		for (let n = 0; n < 20; n++) void turns.take(greedy, 'target').then(() => (begun += 1));
	}
	await new Promise((resolve) => setImmediate(resolve));
	// Eight for the first, half of the remaining turns for each of the others.
	expect(begun).toBe(8 + 4 + 2);
	const leave = await turns.take('newcomer', 'target');
	leave();
});

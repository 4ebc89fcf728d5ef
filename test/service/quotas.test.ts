/** Each quota stops only the caller that asks for more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSocketShares } from '../../service/delivery/socketShares.ts';
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

test('F3 the options of all fields of a card have a bound of their own', async () => {
	const service = await startService({ quotas: { options: 3 } });
	try {
		const api = createClient(service);
		const path = `cards/${(await api('POST', 'cards', { name: 'Card' })).body.id}/fields`;
		const field = (options: string[]) => ({ name: 'x', type: 'single_select', options });
		const { id } = (await api('POST', path, field(['a', 'b']))).body;
		const refused = await api('POST', path, field(['a', 'b']));
		expect([refused.status, refused.body.title]).toEqual([409, 'Quota exceeded']);
		expect((await api('POST', path, field(['a']))).status).toBe(201);
		expect((await api('PATCH', `${path}/${id}`, { options: ['a', 'b', 'c'] })).status).toBe(409);
		expect((await api('PATCH', `${path}/${id}`, { options: ['a', 'c'] })).status).toBe(200);
		expect((await api('POST', path, { name: 'y', type: 'text' })).status).toBe(201);
	} finally {
		await service.close();
	}
});

test('F3 the names and descriptions of all cards of a workspace have a bound of their own', async () => {
	const service = await startService({ quotas: { cardBytes: 100 } });
	try {
		const api = createClient(service);
		const statusOf = async (method: string, path: string, body: object) =>
			(await api(method, path, body)).status;
		const { id } = (await api('POST', 'cards', { name: 'é'.repeat(20) })).body;
		expect(await statusOf('POST', 'cards', { name: 'x'.repeat(61) })).toBe(409);
		expect(await statusOf('POST', 'cards', { name: 'x'.repeat(60) })).toBe(201);
		expect(await statusOf('PATCH', `cards/${id}`, { description: 'x' })).toBe(409);
		expect(await statusOf('PATCH', `cards/${id}`, { name: 'x', description: 'x'.repeat(39) })).toBe(
			200,
		);
		expect((await api('GET', `cards/${id}`)).body).toMatchObject({ name: 'x' });
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

test('F3 a newcomer finds a socket, whatever the others hold', async () => {
	const shares = createSocketShares({ sockets: 16, socketsPerWorkspace: 8, socketsPerTarget: 8 });
	let begun = 0;
	for (const greedy of ['a', 'b', 'c']) {
		for (let n = 0; n < 20; n++) void shares.acquire(greedy, 'target').then(() => (begun += 1));
	}
	await new Promise((resolve) => setImmediate(resolve));
	// Eight for the first, half of the remaining turns for each of the others.
	expect(begun).toBe(8 + 4 + 2);
	const leave = await shares.acquire('newcomer', 'target');
	leave();
});

describe('F6 the log of deliveries, when the service starts again', () => {
	const dayS = 24 * 60 * 60;
	let folder: string;
	let file: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
		file = join(folder, 'service.sqlite');
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	/** Cards of one event each: three of eight days ago, three of today; the last one is not delivered. */
	async function fill(): Promise<void> {
		const receiver = await startReceiver();
		const service = await startService({ control: true, file, drainMs: 0 });
		try {
			const { control } = service;
			const api = createClient(service);
			await api('POST', 'webhooks', { target_url: receiver.url, events: ['card.created'] });
			const hasAll = (count: number) => () =>
				control.deliveries().filter(({ state }) => state === 'delivered').length === count;
			control.setClockOffset({ seconds: -8 * dayS });
			for (const name of ['old 1', 'old 2', 'old 3']) await api('POST', 'cards', { name });
			await until('the old ones are delivered', hasAll(3));
			control.setClockOffset({ seconds: 0 });
			for (const name of ['new 1', 'new 2']) await api('POST', 'cards', { name });
			await until('the new ones are delivered', hasAll(5));
			receiver.answer = () => null;
			await api('POST', 'cards', { name: 'waiting' });
			await until('the last one is under way', () => receiver.received.length === 6);
		} finally {
			receiver.hangUp();
			await service.close();
			await receiver.close();
		}
	}

	/** Two of these events fit in, which have some 230 bytes each. */
	const bytesOfTwo = 600;
	const month = { logAgeMs: 30 * dayS * 1000 };
	test.each([
		['what is older than it may be', {}, ['new 1', 'new 2']],
		[
			'the oldest of too many',
			{ ...month, logDeliveries: 4 },
			['old 2', 'old 3', 'new 1', 'new 2'],
		],
		['the oldest of too many bytes', { ...month, logBytes: bytesOfTwo }, ['new 1', 'new 2']],
	])('loses %s, and nothing that still waits', async (_name, quotas, left) => {
		await fill();
		const again = await startService({ control: true, file, quotas, drainMs: 0 });
		const kept = () =>
			again.control
				.deliveries()
				.map(({ body }) => (JSON.parse(body) as { card: { name: string } }).card.name)
				.reverse();
		const wanted = [...left, 'waiting'];
		try {
			await until('it is cleared', () => kept().length <= wanted.length);
			expect(kept()).toEqual(wanted);
		} finally {
			await again.close();
		}
		const database = new DatabaseSync(file, { readOnly: true });
		const { events } = database.prepare('SELECT COUNT(*) AS events FROM events').get() as {
			events: number;
		};
		database.close();
		expect(events).toBe(wanted.length);
	});
});

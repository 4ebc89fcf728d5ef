/** Deliveries over a store, with a target that answers when the test says so. */
import { createDispatcher } from '../../../service/delivery/dispatcher.ts';
import type { Outcome } from '../../../service/delivery/sender.ts';
import { sign } from '../../../service/delivery/signature.ts';
import { defaultSettings } from '../../../service/foundation/settings.ts';
import { until } from '../client.ts';
import type { Quotas } from '../../../service/foundation/quotas.ts';
import { openedStore } from './openedStore.ts';

const settle = async () => {
	for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve));
};

function opened(given: object = {}, givenQuotas: Partial<Quotas> = {}) {
	const { store, clock, quotas, data, wid, time } = openedStore(givenQuotas);
	const settings = { ...defaultSettings, backoffMs: 0, ...given };
	const sent: Array<{ url: string; name: string; end(status: number | null): Promise<void> }> = [];
	let flushed = 0;
	const reported: string[] = [];
	const dispatcher = createDispatcher({
		...{ store, clock, settings, quotas },
		mailer: { flush: async () => void (flushed += 1), close: () => {} },
		report: (message) => reported.push(message),
		sender: {
			close: () => {},
			post: async (url, body, signature, { timeoutMs, signal }) =>
				await new Promise<Outcome>((resolve) => {
					const { card } = JSON.parse(body.toString()) as { card: { name: string } };
					const { secret } = data.subscriptions.get(wid, ids[url] ?? '');
					expect([signature, timeoutMs]).toEqual([sign(secret, body), settings.deliveryTimeoutMs]);
					const error = (status: number | null) => (status === 200 ? null : `answered ${status}`);
					const answer = (status: number | null) =>
						resolve({ status, durationMs: 1, error: error(status), answer: null });
					signal.addEventListener('abort', () => answer(null));
					sent.push({
						...{ url, name: card.name },
						async end(status) {
							answer(status);
							await settle();
						},
					});
				}),
		},
	});
	store.listeners.published = (id) => dispatcher.wake(id);
	const ids: Record<string, string> = {};
	return {
		...{ store, settings, sent, dispatcher, reported, time },
		flushed: () => flushed,
		subscribe(targetUrl = 'http://x/') {
			const { id } = data.subscriptions.create(wid, { targetUrl, events: ['card.created'] });
			return (ids[targetUrl] = id);
		},
		async makeCards(...names: string[]) {
			for (const name of names) data.cards.create(wid, { name });
			await settle();
		},
		names: () => sent.map(({ name }) => name),
		states: () => store.deliveries.log({}, 100).map(({ state }) => state),
		find: (id: string) => store.subscriptions.find(id),
		remove: (id: string) => data.subscriptions.remove(wid, id),
		resume: (id: string) => data.subscriptions.resume(id),
	};
}
let all: ReturnType<typeof opened>;
afterEach(async () => {
	await all.dispatcher.close(0);
	all.store.close();
});

test('one goes out at a time, in order, and each once', async () => {
	all = opened();
	all.subscribe();
	await all.makeCards('a', 'b', 'c');
	expect(all.names()).toEqual(['a']);
	all.dispatcher.wakeAll();
	await settle();
	await all.sent[0]?.end(200);
	expect(all.names()).toEqual(['a', 'b']);
	await all.sent[1]?.end(200);
	await all.sent[2]?.end(200);
	expect([all.names(), all.states()]).toEqual([['a', 'b', 'c'], Array(3).fill('delivered')]);
	await all.makeCards('d');
	expect(all.names()).toEqual(['a', 'b', 'c', 'd']);
});

test('a slow target leaves those of others alone', async () => {
	all = opened();
	all.subscribe('http://slow/');
	all.subscribe('http://quick/');
	await all.makeCards('a', 'b');
	const quick = () => all.sent.filter(({ url }) => url === 'http://quick/');
	await quick()[0]?.end(200);
	expect(quick().map(({ name }) => name)).toEqual(['a', 'b']);
	expect(all.sent).toHaveLength(3);
});

test('four failures pause, tell the owner once, and leave the rest unsent until it is resumed', async () => {
	all = opened();
	const id = all.subscribe();
	await all.makeCards('a', 'b');
	for (let n = 0; n < 4; n++) {
		expect([all.sent.length, all.find(id)?.state]).toEqual([n + 1, 'active']);
		await all.sent[n]?.end(500);
		await until(
			'it is tried again, or paused',
			() => all.sent.length > n + 1 || all.find(id)?.state === 'paused',
		);
	}
	expect([all.names(), all.find(id)?.state]).toEqual([['a', 'a', 'a', 'a'], 'paused']);
	expect([all.flushed(), all.store.mails.list(null, 10).length]).toEqual([1, 1]);
	all.resume(id);
	await settle();
	await all.sent[4]?.end(200);
	expect(all.names().slice(4)).toEqual(['a', 'b']);
});

test('a failure waits for its pause, and is brought forward by a shorter one', async () => {
	all = opened({ backoffMs: 60_000 });
	const id = all.subscribe();
	await all.makeCards('a', 'b');
	await all.sent[0]?.end(500);
	// For a start in the meantime.
	const [head] = all.store.deliveries.next(id, 1);
	expect(head).toMatchObject({ failures: 1, dueAt: all.time.now + 60_000 });
	await all.makeCards('c');
	expect(all.names()).toEqual(['a']);
	all.dispatcher.bringForward(0);
	await settle();
	expect(all.names()).toEqual(['a', 'a']);
});

test('a subscription that is removed during an attempt receives nothing more', async () => {
	all = opened();
	const id = all.subscribe();
	await all.makeCards('a', 'b');
	all.remove(id);
	await all.sent[0]?.end(200);
	expect([all.names(), all.reported]).toEqual([['a'], []]);
});

describe('what waits for a socket', () => {
	/** One of two subscriptions to one target has its only socket; which one does not matter. */
	async function waiting() {
		all = opened({}, { socketsPerTarget: 1 });
		const ids = [all.subscribe('http://x/0'), all.subscribe('http://x/1')];
		await all.makeCards('a');
		const urls = () => all.sent.map(({ url }) => url);
		const [first = ''] = urls();
		expect(urls()).toHaveLength(1);
		const other = first === 'http://x/0' ? 1 : 0;
		return { first, other: `http://x/${other}`, id: ids[other] ?? '', urls };
	}

	test('is sent when the socket is free', async () => {
		const { first, other, urls } = await waiting();
		await all.sent[0]?.end(200);
		expect(urls()).toEqual([first, other]);
	});

	test('stays unsent when its subscription was paused meanwhile, until it is resumed', async () => {
		const { first, other, id, urls } = await waiting();
		all.store.subscriptions.pause(id);
		await all.sent[0]?.end(200);
		expect([urls(), all.reported]).toEqual([[first], []]);
		all.resume(id);
		await settle();
		expect(urls()).toEqual([first, other]);
	});

	test('is never sent when its subscription was removed meanwhile', async () => {
		const { first, id, urls } = await waiting();
		all.remove(id);
		await all.sent[0]?.end(200);
		expect([urls(), all.reported]).toEqual([[first], []]);
	});

	test('is not begun when the service ends meanwhile', async () => {
		const { first, urls } = await waiting();
		const closed = all.dispatcher.close(60_000);
		await all.sent[0]?.end(200);
		await closed;
		expect([urls(), all.states().sort()]).toEqual([[first], ['delivered', 'pending']]);
	});
});

describe('side by side', () => {
	test('each success doubles what may be under way, and a failure starts over', async () => {
		all = opened({ parallelDeliveries: 4, backoffMs: 60_000 });
		all.subscribe();
		await all.makeCards(...Array.from({ length: 20 }, (_, n) => `${n}`));
		const underWay = () => all.sent.length - ended;
		let ended = 0;
		const end = async (status: number) => await all.sent[ended++]?.end(status);
		expect(underWay()).toBe(1);
		await end(200);
		expect(underWay()).toBe(2);
		await end(200);
		expect(underWay()).toBe(4);
		await end(200);
		expect(underWay()).toBe(4);
		expect(new Set(all.names()).size).toBe(all.sent.length);
		await end(500);
		for (const wanted of [2, 1]) {
			await end(500);
			expect(underWay()).toBe(wanted);
		}
		all.dispatcher.bringForward(0);
		await settle();
		expect(underWay()).toBe(1);
	});

	test('begins with one, however many succeeded one after the other before', async () => {
		all = opened();
		all.subscribe();
		await all.makeCards('a', 'b');
		for (let n = 0; n < 2; n++) await all.sent[n]?.end(200);
		all.settings.parallelDeliveries = 4;
		await all.makeCards('c', 'd', 'e');
		expect(all.names()).toEqual(['a', 'b', 'c']);
		await all.sent[2]?.end(200);
		expect(all.names()).toEqual(['a', 'b', 'c', 'd', 'e']);
	});
});

describe('the end', () => {
	test('waits for what is under way, notes it, and begins nothing new', async () => {
		all = opened();
		all.subscribe();
		await all.makeCards('a', 'b');
		let isClosed = false;
		const closed = all.dispatcher.close(60_000).then(() => (isClosed = true));
		await all.makeCards('c');
		expect(isClosed).toBe(false);
		await all.sent[0]?.end(200);
		await closed;
		expect([all.names(), all.states()]).toEqual([['a'], ['pending', 'pending', 'delivered']]);
		all.dispatcher.wakeAll();
		await settle();
		expect(all.names()).toEqual(['a']);
	});

	test('cuts short what takes longer; that counts for no failure', async () => {
		all = opened();
		all.subscribe();
		await all.makeCards('a');
		await all.dispatcher.close(1);
		expect(all.store.deliveries.log({}, 1)).toMatchObject([
			{ state: 'pending', failures: 0, attempts: [] },
		]);
	});
});

test('a queue that cannot be read is reported', async () => {
	all = opened();
	const id = all.subscribe();
	all.store.database.sql.exec('ALTER TABLE deliveries RENAME COLUMN state TO other');
	all.dispatcher.wake(id);
	await settle();
	expect(all.reported).toEqual([expect.stringContaining('have to wait: Error: no such column')]);
	all.store.database.sql.exec('ALTER TABLE deliveries RENAME COLUMN other TO state');
});

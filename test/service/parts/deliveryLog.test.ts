/** The queue of deliveries and its log, without a target. */
import { opened, openedStore } from './openedStore.ts';

type Opened = ReturnType<typeof openedStore>;
let all: Opened;
const open = (...given: Parameters<typeof openedStore>) => {
	all = openedStore(...given);
	return all;
};
afterEach(() => all.store.close());

const iso = (ms: number) => new Date(ms).toISOString();
const attempt = (status = 200) => ({
	at: iso(opened),
	status,
	durationMs: 1,
	error: status === 200 ? null : `answered ${status}`,
	answer: null,
});

const subscribe = (targetUrl = 'http://x/', cardId?: string) =>
	all.data.subscriptions.create(all.wid, {
		targetUrl,
		events: ['card.created', 'card.updated', 'record.created'],
		cardId,
	}).id;
const makeCards = (...names: string[]) =>
	names.map((name) => all.data.cards.create(all.wid, { name }).id);
const next = (id: string, most = 100) => all.store.deliveries.next(id, most);
const states = (of = {}) =>
	all.store.deliveries.log(of, 100).map(({ state, failures }) => `${state} ${failures}`);
const count = (table: string) =>
	all.store.database.sql.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n;

describe('the queue', () => {
	test('has the oldest first, as many as are asked for, with their bytes counted', () => {
		open();
		const id = subscribe();
		makeCards('é', 'b', 'c');
		const names = next(id, 2).map(
			({ body }) => (JSON.parse(body) as { card: { name: string } }).card.name,
		);
		expect(names).toEqual(['é', 'b']);
		const bytes = next(id).reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
		expect(all.store.deliveries.waiting(id)).toEqual({ deliveries: 3, bytes });
	});

	test('counts down once for each delivery that is delivered', () => {
		open();
		const id = subscribe();
		makeCards('a', 'b');
		const [first, second] = next(id);
		all.store.deliveries.delivered(first?.id ?? 0, attempt());
		all.store.deliveries.delivered(first?.id ?? 0, attempt());
		expect(all.store.deliveries.waiting(id)).toEqual({
			deliveries: 1,
			bytes: Buffer.byteLength(second?.body ?? ''),
		});
		expect(next(id).map(({ id: one }) => one)).toEqual([second?.id]);
		expect(states()).toEqual(['pending 0', 'delivered 0']);
	});

	test('keeps a failed delivery at its head, with its failures, until it is started afresh', () => {
		open();
		const id = subscribe();
		makeCards('a', 'b');
		const head = next(id)[0]?.id ?? 0;
		all.store.deliveries.failed(head, attempt(500), 1, opened + 10);
		expect(next(id)[0]).toMatchObject({ id: head, failures: 1, dueAt: opened + 10 });
		expect(all.store.deliveries.waiting(id).deliveries).toBe(2);
		all.store.deliveries.restart(id);
		expect(next(id)[0]).toMatchObject({ id: head, failures: 0, dueAt: 0 });
	});

	test('takes a delivery again, and counts it again', () => {
		open();
		const id = subscribe();
		makeCards('a');
		const head = next(id)[0]?.id ?? 0;
		all.store.deliveries.delivered(head, attempt());
		expect(all.store.deliveries.subscriptionsWaiting()).toEqual([]);
		expect(all.store.deliveries.again(head)).toBe(true);
		expect(all.store.deliveries.waiting(id).deliveries).toBe(1);
		expect(all.store.deliveries.subscriptionsWaiting()).toEqual([id]);
		expect(all.store.deliveries.again(999)).toBe(false);
	});
});

describe('the log', () => {
	test('numbers the attempts of a delivery, and shows one subscription or one workspace', () => {
		open();
		const id = subscribe();
		const other = subscribe('http://y/');
		makeCards('a');
		const head = next(id)[0]?.id ?? 0;
		all.store.deliveries.failed(head, attempt(500), 1, 0);
		all.store.deliveries.delivered(head, attempt());
		const { log } = all.store.deliveries;
		const [entry] = log({ subscriptionId: id }, 10);
		expect(entry).toMatchObject({
			event: 'card.created',
			createdAt: iso(opened),
			state: 'delivered',
			attempts: [
				{ number: 1, status: 500, error: 'answered 500' },
				{ number: 2, status: 200, error: null },
			],
		});
		expect(log({ subscriptionId: id }, 10)).toHaveLength(1);
		expect(new Set(log({}, 10).map(({ subscriptionId }) => subscriptionId))).toEqual(
			new Set([id, other]),
		);
		expect(log({}, 1)).toHaveLength(1);
		expect(log({ workspaceId: all.wid }, 10)).toHaveLength(2);
		expect(log({ workspaceId: 'none' }, 10)).toEqual([]);
	});

	/** Delivers what waits. */
	const deliver = (id: string) => {
		for (const { id: one } of next(id)) all.store.deliveries.delivered(one, attempt());
	};
	const keep = { deliveries: 1_000, bytes: 1e9, since: iso(opened - 1) };

	test('is cleared of the oldest beyond a number, 100 at a time, and says whether there may be more', () => {
		open();
		const id = subscribe();
		makeCards(...Array.from({ length: 103 }, (_, n) => `card ${n}`));
		for (let n = 0; n < 2; n++) deliver(id);
		const { pruneSome } = all.store.deliveries;
		expect(pruneSome({ ...keep, deliveries: 103 })).toBe(false);
		expect([count('deliveries'), count('events')]).toEqual([103, 103]);
		expect(pruneSome({ ...keep, deliveries: 2 })).toBe(true);
		expect(pruneSome({ ...keep, deliveries: 2 })).toBe(false);
		expect([count('deliveries'), count('events')]).toEqual([2, 2]);
		const left = all.store.deliveries.log({}, 10).map(({ body }) => body);
		expect([left[0]?.includes('card 102'), left[1]?.includes('card 101')]).toEqual([true, true]);
		// Counted from here: what is delivered, and what is put back into the queue.
		makeCards('new');
		deliver(id);
		pruneSome({ ...keep, deliveries: 2 });
		expect(count('deliveries')).toBe(2);
		all.store.deliveries.again(all.store.deliveries.log({}, 1)[0]?.id ?? 0);
		pruneSome({ ...keep, deliveries: 1 });
		expect(states()).toEqual(['pending 0', 'delivered 0']);
	});

	test('is cleared of the oldest beyond so many bytes', () => {
		open();
		const id = subscribe();
		makeCards('a', 'b', 'c');
		const [bytes = 0] = next(id).map(({ body }) => Buffer.byteLength(body));
		deliver(id);
		all.store.deliveries.pruneSome({ ...keep, bytes: bytes * 2 });
		expect(count('deliveries')).toBe(2);
		all.store.deliveries.pruneSome({ ...keep, bytes: bytes * 2 - 1 });
		expect(count('deliveries')).toBe(1);
	});

	test('is cleared of what is too old; what is as old as may be stays', () => {
		open();
		const id = subscribe();
		makeCards('old');
		all.time.now = opened + 1_000;
		makeCards('new');
		deliver(id);
		all.store.deliveries.pruneSome({ ...keep, since: iso(opened) });
		expect(count('deliveries')).toBe(2);
		all.store.deliveries.pruneSome({ ...keep, since: iso(opened + 1) });
		expect(count('deliveries')).toBe(1);
	});

	test('keeps an event that another delivery still has', () => {
		open();
		const id = subscribe();
		subscribe('http://y/');
		makeCards('a');
		deliver(id);
		all.store.deliveries.pruneSome({ ...keep, deliveries: 0 });
		expect([count('deliveries'), count('events')]).toEqual([1, 1]);
	});
});

describe('a subscription', () => {
	test('for which too much waits overflows, by number or by bytes; others get the event', () => {
		open({ pendingDeliveries: 2 });
		const overflowed: string[] = [];
		all.store.listeners.overflowed = ({ id }) => overflowed.push(id);
		const id = subscribe();
		makeCards('a', 'b');
		const late = subscribe('http://y/');
		makeCards('c');
		expect([next(id).length, next(late).length, overflowed]).toEqual([2, 1, [id]]);
	});

	test('may have exactly as many bytes waiting as are allowed', () => {
		const { store } = open();
		const first = subscribe();
		makeCards('a');
		const bytes = store.deliveries.waiting(first).bytes;
		store.close();
		open({ pendingBytes: bytes * 2 });
		const overflowed: string[] = [];
		all.store.listeners.overflowed = ({ id }) => overflowed.push(id);
		const id = subscribe();
		makeCards('a', 'b');
		expect([next(id).length, overflowed]).toEqual([2, []]);
		makeCards('c');
		expect([next(id).length, overflowed]).toEqual([2, [id]]);
	});

	test('that is paused gets nothing, and is paused and resumed once', () => {
		const { store } = open();
		const id = subscribe();
		expect([store.subscriptions.pause(id), store.subscriptions.pause(id)]).toEqual([true, false]);
		expect(store.subscriptions.find(id)).toMatchObject({ state: 'paused', pausedAt: iso(opened) });
		makeCards('a');
		expect(next(id)).toEqual([]);
		expect([all.data.subscriptions.resume(id), all.data.subscriptions.resume(id)]).toEqual([
			true,
			false,
		]);
		expect(store.subscriptions.find(id)).toMatchObject({ state: 'active', pausedAt: null });
		makeCards('b');
		expect(next(id)).toHaveLength(1);
	});

	test('of another workspace is not found', () => {
		open();
		const id = subscribe();
		expect(all.data.subscriptions.get(all.wid, id).id).toBe(id);
		expect(() => all.data.subscriptions.get('other', id)).toThrow('does not exist');
		expect(() => all.data.subscriptions.remove('other', id)).toThrow('does not exist');
	});

	test('is gone at once, and its rows are cleared 100 at a time', () => {
		const { store, data, wid } = open();
		const id = subscribe();
		makeCards(...Array.from({ length: 101 }, (_, n) => `card ${n}`));
		let told = 0;
		store.listeners.leftOver = () => (told += 1);
		data.subscriptions.remove(wid, id);
		expect([told, store.deliveries.log({}, 1), data.subscriptions.list(wid)]).toEqual([1, [], []]);
		expect([store.leftovers.clearSome(), count('deliveries')]).toEqual([true, 1]);
		expect([store.leftovers.clearSome(), count('deliveries')]).toEqual([true, 0]);
		expect(count('subscriptions')).toBe(1);
		expect([store.leftovers.clearSome(), count('subscriptions')]).toEqual([true, 0]);
		expect([store.leftovers.clearSome(), count('events')]).toEqual([false, 0]);
	});
});

describe('what is deleted is cleared away', () => {
	const clearAll = () => {
		let steps = 0;
		while (all.store.leftovers.clearSome()) steps += 1;
		return steps;
	};

	test('a card with its records, 100 at a time, its log and its subscriptions', () => {
		const { store, data, wid } = open();
		const everywhere = subscribe();
		const [cid = '', kept = ''] = makeCards('gone', 'kept');
		subscribe('http://y/', cid);
		for (let n = 0; n < 101; n++) data.records.create(wid, cid, {});
		data.records.create(wid, kept, {});
		for (const { id } of next(everywhere, 50)) store.deliveries.delivered(id, attempt());
		data.cards.remove(wid, cid);
		expect(() => data.cards.get(wid, cid)).toThrow('does not exist');
		expect(data.subscriptions.list(wid).map(({ id }) => id)).toEqual([everywhere]);
		expect([count('records'), count('cards')]).toEqual([102, 2]);
		store.leftovers.clearSome();
		expect(count('records')).toBe(2);
		clearAll();
		expect([count('records'), count('cards'), count('subscriptions')]).toEqual([1, 1, 1]);
		const log = store.deliveries.log({}, 1_000);
		expect(log.filter(({ state }) => state === 'delivered')).toHaveLength(1);
		expect(log.filter(({ state }) => state === 'pending').length).toBe(54);
		expect(count('leftovers')).toBe(0);
	});

	test('large records in smaller steps', () => {
		const { store, data, wid } = open();
		const [cid = ''] = makeCards('large');
		const { id: fid } = data.fields.create(wid, cid, { name: 'x', type: 'long_text' });
		const value = 'x'.repeat(100 * 1024);
		for (let n = 0; n < 7; n++) data.records.create(wid, cid, { [fid]: value });
		data.cards.remove(wid, cid);
		const left = [0, 1, 2].map(() => {
			store.leftovers.clearSome();
			return count('records');
		});
		expect(left).toEqual([4, 1, 0]);
	});

	test('the values of a field, and no others, in steps that continue where the last one ended', () => {
		const { store, data, wid } = open();
		const [cid = ''] = makeCards('card');
		const fields = ['a', 'b'].map(
			(name) => data.fields.create(wid, cid, { name, type: 'text' }).id,
		);
		const [a = '', b = ''] = fields;
		for (let n = 0; n < 150; n++) data.records.create(wid, cid, { [a]: 'gone', [b]: 'kept' });
		data.records.create(wid, cid, { [b]: 'kept' });
		data.fields.remove(wid, cid, a);
		const having = (text: string) =>
			store.database.sql.prepare('SELECT COUNT(*) AS n FROM records WHERE data LIKE ?').get(text)
				?.n;
		store.leftovers.clearSome();
		expect(having('%gone%')).toBe(50);
		expect(count(`meta WHERE name LIKE 'field %'`)).toBe(1);
		expect(clearAll()).toBe(2);
		expect([having('%gone%'), having('%kept%')]).toEqual([0, 151]);
		expect(count(`meta WHERE name LIKE 'field %'`)).toBe(0);
	});
});

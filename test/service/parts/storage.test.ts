/** What is stored, and what a change that fails leaves behind: nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeTime } from 'ulid';
import { isDiskFull } from '../../../service/storage/database.ts';
import { createRowCache } from '../../../service/storage/rowCache.ts';
import { createTokenStore } from '../../../service/storage/tokens.ts';
import { opened, openedStore } from './openedStore.ts';

type Opened = ReturnType<typeof openedStore>;
let all: Opened;
const open = (...given: Parameters<typeof openedStore>) => (all = openedStore(...given));
beforeEach(() => void open());
afterEach(() => all.store.close());

/** Runs a change that fails at its end. */
const failing = (work: () => void) =>
	expect(() =>
		all.store.database.transaction(() => {
			work();
			throw new Error('rolled back');
		}),
	).toThrow('rolled back');

describe('a change that fails', () => {
	test('leaves cards as they were, though one was read meanwhile', () => {
		const { data, wid } = all;
		const { id } = data.cards.create(wid, { name: 'Before' });
		failing(() => {
			data.cards.update(wid, id, { name: 'After' });
			expect(data.cards.get(wid, id).name).toBe('After');
			data.cards.create(wid, { name: 'Another' });
		});
		expect(data.cards.get(wid, id).name).toBe('Before');
		expect(data.cards.list(wid).map(({ name }) => name)).toEqual(['Before']);
		failing(() => {
			data.cards.remove(wid, id);
			expect(() => data.cards.get(wid, id)).toThrow('does not exist');
		});
		expect(data.cards.get(wid, id).name).toBe('Before');
	});

	test('leaves fields as they were', () => {
		const { data, wid } = all;
		const { id } = data.cards.create(wid, { name: 'Card' });
		const names = () => data.fields.list(wid, id).map(({ name }) => name);
		data.fields.create(wid, id, { name: 'a', type: 'text' });
		failing(() => {
			data.fields.create(wid, id, { name: 'b', type: 'text' });
			expect(names()).toEqual(['a', 'b']);
		});
		expect(names()).toEqual(['a']);
		failing(() => {
			data.fields.remove(wid, id, data.fields.list(wid, id)[0]?.id ?? '');
			expect(names()).toEqual([]);
		});
		expect(names()).toEqual(['a']);
	});

	test('makes no delivery, and wakes nobody', () => {
		const { data, store, wid } = all;
		const woken: string[] = [];
		store.listeners.published = (id) => woken.push(id);
		const { id } = data.subscriptions.create(wid, {
			targetUrl: 'http://x/',
			events: ['card.created'],
		});
		expect(() =>
			store.change((publish) => {
				const details = {};
				publish({ event: 'card.created', workspaceId: wid, cardId: 'crd_1', details });
				expect(store.deliveries.waiting(id).deliveries).toBe(1);
				throw new Error('no');
			}),
		).toThrow('no');
		expect([woken, store.deliveries.waiting(id).deliveries]).toEqual([[], 0]);
		data.cards.create(wid, { name: 'Card' });
		expect([woken, store.deliveries.waiting(id).deliveries]).toEqual([[id], 1]);
	});

	test('forgets only what was read in it, and no later failure does', () => {
		const { database } = all.store;
		let forgotten = 0;
		database.afterRollback(() => (forgotten += 1));
		database.transaction(() => database.afterRollback(() => (forgotten += 10)));
		failing(() => database.transaction(() => database.afterRollback(() => (forgotten += 100))));
		failing(() => {});
		expect(forgotten).toBe(100);
	});
});

test('a cache reads once, until what it has is forgotten or is too much', () => {
	const read: string[] = [];
	const rollbacks: Array<() => void> = [];
	const cache = createRowCache(
		{ afterRollback: (forget) => rollbacks.push(forget) },
		(key) => ({ key, times: read.push(key) }),
		2,
	);
	expect([cache.get('a').times, cache.get('a').times]).toEqual([1, 1]);
	cache.forget('a');
	expect([cache.get('a').times, cache.get('a').times]).toEqual([2, 2]);
	cache.replace('a', { key: 'a', times: 99 });
	expect(cache.get('a').times).toBe(99);
	expect(rollbacks).toHaveLength(2);
	rollbacks[1]?.();
	expect(cache.get('a').times).toBe(3);
	rollbacks[0]?.();
	expect(cache.get('a').times).toBe(4);
	for (const key of ['b', 'c']) cache.get(key);
	expect(cache.get('a').times).toBe(7);
});

test.each([
	[{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, true],
	[{ code: 'ERR_SQLITE_ERROR', errcode: 778 }, true],
	[{ code: 'ERR_SQLITE_ERROR', errcode: 1 }, false],
	[{ code: 'ENOSPC', errcode: 13 }, false],
	[{}, false],
])('%j means that the disk is full: %p', (error, isFull) => {
	expect(isDiskFull(error)).toBe(isFull);
});

describe('ids of records', () => {
	const make = () => all.store.records.create('crd', {}, '{}').id;
	beforeEach(() => {
		const { sql } = all.store.database;
		sql.exec('PRAGMA foreign_keys = OFF');
	});

	test('have the time of their creation, and rise when the clock steps back', () => {
		const first = make();
		expect(decodeTime(first)).toBe(opened);
		all.time.now = opened - 3_600_000;
		const ids = [first, make(), make()];
		all.time.now = opened + 5;
		ids.push(make());
		expect(ids).toEqual([...ids].sort());
		expect(new Set(ids).size).toBe(4);
		expect(decodeTime(ids[3] ?? '')).toBe(opened + 5);
	});

	test('reserve a minute ahead, once a minute', () => {
		const { database } = all.store;
		const reserved = () => Number(database.meta('reservedRecordTime')) - opened;
		make();
		expect(reserved()).toBe(60_000);
		all.time.now = opened + 59_999;
		make();
		expect(reserved()).toBe(60_000);
		all.time.now = opened + 60_000;
		make();
		expect(reserved()).toBe(120_000);
	});

	test('are reserved again where the change that reserved them failed', () => {
		failing(() => void make());
		expect(all.store.database.meta('reservedRecordTime')).toBeUndefined();
		make();
		expect(all.store.database.meta('reservedRecordTime')).toBe(String(opened + 60_000));
	});

	test('rise after a restart, with what was reserved or with the last id', () => {
		const folder = mkdtempSync(join(tmpdir(), 'workspace-data-'));
		const file = join(folder, 'service.sqlite');
		const reopen = () => {
			all.store.close();
			open({}, file);
			all.store.database.sql.exec('PRAGMA foreign_keys = OFF');
		};
		try {
			reopen();
			const first = make();
			reopen();
			all.time.now = opened - 3_600_000;
			const second = make();
			expect(decodeTime(second)).toBe(opened + 60_000);
			all.store.database.sql.exec(`DELETE FROM meta WHERE name = 'reservedRecordTime'`);
			reopen();
			all.time.now = opened - 3_600_000;
			const third = make();
			expect(decodeTime(third)).toBe(opened + 60_001);
			expect([third, second, first].sort()).toEqual([first, second, third]);
		} finally {
			all.store.close();
			rmSync(folder, { recursive: true });
		}
	});
});

describe('tokens', () => {
	test('are found until their time is over, and their text is not stored', () => {
		const { store, clock, time } = all;
		const tokens = createTokens();
		tokens.upsert('ClientCredentials', 'token-1', { jti: 'token-1', clientId: 'sa_1', a: 1 }, 10);
		tokens.upsert('Other', 'token-2', { a: 2 }, undefined);
		expect(tokens.find('ClientCredentials', 'token-1')).toEqual({
			jti: 'token-1',
			clientId: 'sa_1',
			a: 1,
		});
		expect(tokens.find('Other', 'token-1')).toBeUndefined();
		const rows = () => store.database.sql.prepare('SELECT * FROM tokens').all();
		expect(JSON.stringify(rows())).not.toContain('token-1');
		expect(
			rows()
				.map((row) => row.client_id)
				.sort(),
		).toEqual([null, 'sa_1'].sort());
		time.now += 9_999;
		expect(tokens.find('ClientCredentials', 'token-1')).toBeDefined();
		time.now += 1;
		expect(tokens.find('ClientCredentials', 'token-1')).toBeUndefined();
		time.now += 1e9;
		expect(tokens.find('Other', 'token-2')).toEqual({ a: 2, jti: 'token-2' });
		tokens.upsert('Other', 'token-3', { clientId: 5 }, 1);
		expect(rows()).toHaveLength(2);
		tokens.remove('Other', 'token-2');
		expect(tokens.find('Other', 'token-2')).toBeUndefined();
		expect(clock.steady()).toBe(time.now);
	});
	const createTokens = () => createTokenStore(all.store.database, all.clock);
});

describe('keys and accounts', () => {
	test('the hint of a key shows its ends, unless they are most of it', () => {
		const { store, wid } = all;
		const hintOf = (apiKey: string) => {
			const { id } = store.identities.createKey(wid, 'name', apiKey);
			return store.identities.keys(wid).find((key) => key.id === id)?.hint;
		};
		expect(hintOf(`wsd_live_${'a'.repeat(12)}WXYZ`)).toBe('wsd_live_…WXYZ');
		expect(hintOf('wsd_live_12345678901WXYZ')).toBe('…');
	});

	test('a key that is revoked, or valid again, is so at once, though it was just in use', () => {
		const { identities } = all.store;
		const { id, apiKey } = identities.createKey(all.wid, 'name');
		const revokedAt = () => identities.findKey(apiKey)?.revokedAt;
		expect([revokedAt(), revokedAt()]).toEqual([null, null]);
		expect(identities.revokeKey(id)).toBe(true);
		expect(revokedAt()).toBe(new Date(opened).toISOString());
		expect(identities.revokeKey(id)).toBe(false);
		expect(identities.restoreKey(all.wid, apiKey)).toBe(true);
		expect(revokedAt()).toBeNull();
		expect(identities.restoreKey(all.wid, 'unknown')).toBe(false);
		expect(identities.findKey('unknown')).toBeUndefined();
	});

	test('an account is revoked once, and its tokens are counted', () => {
		const { identities, database } = all.store;
		const { clientId, clientSecret } = identities.createAccount(all.wid, 'name', 'viewer');
		const tokens = createTokenStore(database, all.clock);
		const addToken = (id: string) => tokens.upsert('ClientCredentials', id, { clientId }, 100);
		for (const id of ['a', 'b']) addToken(id);
		expect(identities.revokeTokens(clientId)).toBe(2);
		expect(identities.revokeTokens(clientId)).toBe(0);
		addToken('c');
		identities.restoreAccount(all.wid, clientId, clientSecret);
		expect(tokens.find('ClientCredentials', 'c')).toBeDefined();
		identities.restoreAccount(all.wid, clientId, 'another secret');
		expect(tokens.find('ClientCredentials', 'c')).toBeUndefined();
		addToken('d');
		expect(identities.revokeAccount(clientId)).toBe(true);
		expect(tokens.find('ClientCredentials', 'd')).toBeUndefined();
		expect(identities.revokeAccount(clientId)).toBe(false);
		expect(identities.account(clientId)?.revokedAt).toBe(new Date(opened).toISOString());
	});

	test('an account that is made active in another workspace loses its tokens', () => {
		const { identities, database } = all.store;
		const { clientId, clientSecret } = identities.createAccount(all.wid, 'name', 'editor');
		const tokens = createTokenStore(database, all.clock);
		tokens.upsert('ClientCredentials', 'a', { clientId }, 100);
		const other = identities.createWorkspace('Other', 'other@example.com');
		identities.restoreAccount(other.id, clientId, clientSecret);
		expect(tokens.find('ClientCredentials', 'a')).toBeUndefined();
		expect(identities.account(clientId)?.workspaceId).toBe(other.id);
		expect(identities.defaultWorkspace()?.id).toBe(all.wid);
	});
});

test('the database has as many pages as its bytes allow, and one at least', () => {
	const pagesOf = (fileBytes: number) => {
		const { store } = openedStore({ fileBytes });
		const pages = store.database.sql.prepare('PRAGMA max_page_count').get()?.max_page_count;
		store.close();
		return Number(pages);
	};
	expect(pagesOf(4_096 * 1_000 + 4_095)).toBe(1_000);
	expect(pagesOf(1)).toBeLessThan(100);
	expect(pagesOf(Infinity)).toBeGreaterThan(1_000_000);
});

/** The rules about a trigger's subscriptions: which one counts, which one stays, which ones are deleted. */
import {
	counts,
	due,
	end,
	isToKeep,
	markDeleted,
	newer,
	prune,
	replace,
	signers,
	type Previous,
	type Saved,
	type Subscription,
} from '../../../nodes/WorkspaceData/trigger/subscription';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = 1_000 * DAY;

const place = { url: 'https://n8n/webhook/1', baseUrl: 'https://s/api/v1', workspace: 'w1' };
const target = { ...place, events: ['record.created', 'record.updated'], card: '' };

const subscription = (id: string, more: Partial<Subscription> = {}): Subscription => ({
	...target,
	id,
	secret: `secret of ${id}`,
	since: NOW - DAY,
	madeAt: NOW - DAY,
	madeBy: 'this process',
	...more,
});

/** One that was replaced so many minutes ago. */
const previous = (id: string, minutes: number, more: Partial<Previous> = {}): Previous => ({
	...subscription(id),
	replacedAt: NOW - minutes * MINUTE,
	...more,
});

const saved = (current: Subscription | undefined, ...before: Previous[]): Saved => ({
	version: 5,
	...(current && { current }),
	previous: before,
});

const idsOf = (list: ReadonlyArray<{ id?: string }>) => list.map(({ id }) => id ?? null);

test.each([
	[4, 5],
	[5, 5],
	[6, 6],
])('of two copies, that with the higher version counts: 5 and %d', (version, expected) => {
	expect(newer(saved(undefined), { ...saved(undefined), version }).version).toBe(expected);
});

describe('at a start', () => {
	const other = 'another process';
	const recent = { madeBy: other, madeAt: NOW - MINUTE };
	test.each<[string, Partial<Subscription>, boolean]>([
		['made by this process', {}, true],
		['made by another process', { madeBy: other }, false],
		['made by another process less than two minutes ago', recent, true],
		['made two minutes ago', { ...recent, madeAt: NOW - 2 * MINUTE }, false],
		['made by a clock that was set back since', { ...recent, madeAt: NOW + 3 * MINUTE }, false],
		['with its events in another order', { events: [...target.events].reverse() }, true],
		['for other events', { events: ['record.created'] }, false],
		['for another card', { card: 'c1' }, false],
		['for another address', { url: 'https://other/webhook/1' }, false],
		['at another Base URL', { baseUrl: 'https://other/api/v1' }, false],
		['in another workspace', { workspace: 'w2' }, false],
	])('a subscription %s is kept: %s', (_, more, expected) => {
		const state = saved(subscription('s1', more));
		expect(isToKeep(state, target, 'this process', NOW)).toBe(expected);
	});

	test('nothing is kept where there is none', () => {
		expect(isToKeep(saved(undefined), target, 'this process', NOW)).toBe(false);
	});
});

test('a new subscription makes the current one the newest of the previous ones', () => {
	const state = replace(saved(subscription('s2'), previous('s1', 5)), subscription('s3'), NOW);
	expect(state.current?.id).toBe('s3');
	expect(state.previous).toEqual([previous('s1', 5), previous('s2', 0)]);
});

test('all end with the workflow; what ended before keeps its time', () => {
	const ended = previous('s1', 60, { ended: true });
	const state = end(saved(subscription('s3'), ended, previous('s2', 20)), NOW);
	expect(state.current).toBeUndefined();
	const now = { replacedAt: NOW, ended: true };
	expect(state.previous).toEqual([ended, previous('s2', 0, now), previous('s3', 0, now)]);
});

test('a deleted one keeps its secret, without its ID', () => {
	const state = markDeleted(saved(undefined, previous('s1', 5), previous('s2', 3)), 's1');
	expect(state.previous[0]).not.toHaveProperty('id');
	expect(state.previous[0]).toMatchObject({ secret: 'secret of s1' });
	expect(state.previous[1]).toEqual(previous('s2', 3));
	expect(markDeleted(state, 's2').previous[0]).toEqual(state.previous[0]);
});

describe('a signature', () => {
	test.each<[string, Partial<Previous>, number, boolean]>([
		['of one that was replaced long ago', {}, 30 * 24 * 60, true],
		['of one that ended less than 15 minutes ago', { ended: true }, 14, true],
		['of one that ended 15 minutes ago', { ended: true }, 15, false],
	])('%s is valid: %s', (_, more, minutes, expected) => {
		const valid = signers(saved(subscription('s2'), previous('s1', minutes, more)), NOW);
		expect(idsOf(valid)).toEqual(expected ? ['s2', 's1'] : ['s2']);
	});
});

describe('a delivery', () => {
	const current = subscription('s2', { since: NOW });
	const old = previous('s1', 0);
	test.each<[string, Subscription | undefined, Subscription, number | undefined, boolean]>([
		['of the current one', current, current, NOW + DAY, true],
		['of the current one, read again from static data', { ...current }, current, NOW + DAY, true],
		['of a previous one from before', current, old, NOW - 1, true],
		['of a previous one in the second of the change', current, old, NOW + 1_999, true],
		['of a previous one from later', current, old, NOW + 2_000, false],
		['of a previous one at an unknown time', current, old, undefined, true],
		['while there is no current one', undefined, old, NOW + DAY, true],
	])('%s counts: %s', (_, now, signer, happenedAt, expected) => {
		expect(counts(saved(now, old), signer, happenedAt)).toBe(expected);
	});
});

describe('a previous subscription', () => {
	const week = 7 * 24 * 60;
	const ended = { ended: true };
	test.each<[string, number, Partial<Previous>, boolean[]]>([
		['replaced just now', 14, {}, [false, false, false]],
		['replaced 15 minutes ago', 15, {}, [false, true, true]],
		['replaced by another process', 15, { madeBy: 'another process' }, [false, true, false]],
		['replaced a week ago', week, {}, [true, true, true]],
		['that ended', 0, ended, [true, false, false]],
		['that ended long ago', week, ended, [true, false, false]],
	])('%s is deleted at a start, at a delivery, at a renewal', (_, minutes, more, expected) => {
		const one = previous('s1', minutes, more);
		const { atStart, atDelivery, atRenewal } = due;
		const is = [atStart(one, NOW), atDelivery(one, NOW), atRenewal(one, NOW, 'this process')];
		expect(is.map(Boolean)).toEqual(expected);
	});

	test.each<[string, Previous, 'stays' | 'goes' | 'is left']>([
		['of this address stays', previous('s1', 5 * week), 'stays'],
		['that is deleted', { ...previous('s1', 14), id: undefined as never }, 'stays'],
		['deleted 15 minutes ago', { ...previous('s1', 15), id: undefined as never }, 'goes'],
		['of another address', previous('s1', week - 1, { url: 'https://other/' }), 'stays'],
		['of another address for a week', previous('s1', week, { url: 'https://other/' }), 'is left'],
		['of another workspace for a week', previous('s1', week, { workspace: 'w2' }), 'is left'],
	])('%s: %s', (_, one, expected) => {
		const pruned = prune(saved(undefined, one), place, NOW);
		expect(pruned.saved.previous).toHaveLength(expected === 'stays' ? 1 : 0);
		expect(pruned.left).toHaveLength(expected === 'is left' ? 1 : 0);
	});

	test('is left behind beyond ten', () => {
		const list = Array.from({ length: 12 }, (_, n) => previous(`s${n}`, 20 - n));
		const pruned = prune(saved(undefined, ...list), place, NOW);
		expect(idsOf(pruned.left)).toEqual(['s0', 's1']);
		expect(idsOf(pruned.saved.previous)).toEqual(idsOf(list.slice(2)));
	});
});

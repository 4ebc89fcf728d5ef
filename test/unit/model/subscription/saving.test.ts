/** What of a node’s subscriptions is saved, and what counts after a start, a copy or a late save. */
import {
	accepted,
	isOutdated,
	isOverwritten,
	readBack,
	replacedBy,
	signerOf,
	stored,
	withStored,
} from '../../../../nodes/WorkspaceData/model/subscription/merge';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import {
	EMPTY_SET,
	type SubscriptionSet,
} from '../../../../nodes/WorkspaceData/model/subscription/state';
import type { StoredSubscriptions } from '../../../../nodes/WorkspaceData/model/subscription/stored';
import { sign } from '../../../../nodes/WorkspaceData/model/signature';
import {
	HOUR,
	DAY,
	NOW,
	HERE,
	ELSEWHERE,
	OVERLAP,
	one,
	old,
	set,
	saved,
	typesOf,
	idsOf,
} from './subscriptionSets';

describe('n8n starts', () => {
	const start = (
		before: SubscriptionSet,
		stored: Partial<StoredSubscriptions> = {},
		byPerson = false,
		now = NOW,
	) =>
		reduce(before, {
			type: 'started',
			address: HERE,
			stored: saved(stored),
			byPerson,
			overlapMs: OVERLAP,
			now,
		});

	test('it asks for a new subscription, and counts on from the saved one', () => {
		const { set: next, effects } = start(EMPTY_SET, { current: one('kept', { generation: 4 }) });
		expect(effects).toEqual([{ type: 'create' }]);
		expect(next).toMatchObject({
			address: HERE,
			aliveAt: NOW,
			renewAt: undefined,
			saving: undefined,
			current: { id: 'kept', generation: NOW + 1 },
		});
		const ahead = start(EMPTY_SET, { current: one('kept', { generation: NOW + 9 }) }).set;
		expect(ahead.current?.generation).toBe(NOW + 9);
		expect(start(EMPTY_SET).set.current).toBeUndefined();
	});
	test('too many lost answers put it off, unless a person publishes', () => {
		const lost = { lostAnswers: { count: 5, at: NOW } };
		const off = start(EMPTY_SET, lost);
		expect(off.effects).toEqual([]);
		expect(off.set.renewAt).toBe(NOW + DAY);
		expect(typesOf(start(EMPTY_SET, lost, true))).toEqual(['create']);
		expect(typesOf(start(EMPTY_SET, lost, false, NOW + DAY))).toEqual(['create']);
		expect(start(EMPTY_SET, lost, false, NOW + DAY).set.renewAt).toBeUndefined();
		expect(typesOf(start(EMPTY_SET, { lostAnswers: { count: 4, at: NOW } }))).toEqual(['create']);
	});
	test('failed deletions are tried again, and another address gets at least a day', () => {
		const given = [
			old('own', { deleteAt: NOW + 1, giveUpAt: 5 }),
			old('first', { targetUrl: ELSEWHERE }),
			old('again', { targetUrl: ELSEWHERE, giveUpAt: NOW - DAY }),
			old('later', { targetUrl: ELSEWHERE, giveUpAt: NOW + 2 * DAY }),
		];
		const before = { ...EMPTY_SET, deletions: new Map([['own', { at: Infinity, pauseMs: 1 }]]) };
		const { set: next } = start(before, { current: one('new'), retired: given });
		expect(next.deletions.size).toBe(0);
		expect(Object.fromEntries(next.retired.map(({ id, giveUpAt }) => [id, giveUpAt]))).toEqual({
			own: 5,
			first: NOW + 7 * DAY,
			again: NOW + DAY,
			later: NOW + 2 * DAY,
		});
	});
	test('unpublished: all of this n8n end at once, others stay, and numbers continue', () => {
		const before = set({
			retired: [
				old('a', { deleteAt: NOW + HOUR, generation: 5 }),
				old('far', { targetUrl: ELSEWHERE, generation: NOW + 3 }),
			],
			leadHere: new Set(['x']),
			lostAnswers: { count: 2, at: 1 },
			seen: true,
		});
		const { set: next, effects } = reduce(before, { type: 'unpublished', now: NOW });
		expect(effects).toMatchObject([
			{
				type: 'delete',
				subscriptions: [
					{ id: 'a', deleteAt: NOW },
					{ id: 'new', deleteAt: NOW },
				],
			},
		]);
		expect(next).toMatchObject({
			address: HERE,
			current: undefined,
			seen: false,
			lostAnswers: { count: 2 },
			endedUpTo: NOW + 3,
		});
		expect(next.retired.at(-1)).toMatchObject({ wasSaved: true, giveUpAt: null });
		expect([...next.leadHere]).toEqual(['x']);
		expect(idsOf(next.retired)).toEqual(['far', 'a', 'new']);
		const nothing = reduce(EMPTY_SET, { type: 'unpublished', now: NOW });
		expect([nothing.effects, nothing.set.endedUpTo]).toEqual([[], NOW]);
		const ended = reduce(set({ endedUpTo: NOW + 9 }), { type: 'unpublished', now: NOW }).set;
		expect(ended.endedUpTo).toBe(NOW + 9);
	});
});

describe('what a process remembers, and what is saved', () => {
	const newer = one('newer', { generation: 10 });

	test('the higher number is newer, then the later time', () => {
		expect(isOutdated(set(), saved({ current: newer }))).toBe(true);
		expect(isOutdated(set(), saved({ current: one('new', { generation: 9 }) }))).toBe(false);
		expect(isOutdated(set(), saved({ current: one('x', { generation: 9, since: NOW + 1 }) }))).toBe(
			true,
		);
		expect(isOutdated(set(), saved({ current: one('x', { generation: 8, since: NOW + 1 }) }))).toBe(
			false,
		);
		expect(isOutdated(set(), saved())).toBe(false);
		expect(isOutdated(EMPTY_SET, saved({ current: newer }))).toBe(true);
	});
	test('an old copy was written back where this process knows a newer one that has not ended', () => {
		expect(isOverwritten(set(), saved())).toBe(true);
		expect(isOverwritten(set(), saved({ current: one('old', { generation: 8 }) }))).toBe(true);
		expect(isOverwritten(set(), saved({ current: newer }))).toBe(false);
		expect(isOverwritten(set(), saved({ current: one('new', { generation: 9 }) }))).toBe(false);
		expect(isOverwritten(set(), saved({ endedUpTo: 9 }))).toBe(false);
		expect(isOverwritten(EMPTY_SET, saved())).toBe(false);
	});
	test('read: what is saved counts where it is newer, and for a mere visitor unless it is an old copy', () => {
		const read = (before: SubscriptionSet, more: Partial<StoredSubscriptions>) =>
			reduce(before, { type: 'read', stored: saved(more) }).set;
		expect(read(set(), { current: newer })).toEqual(replacedBy(set(), saved({ current: newer })));
		expect(read(set(), { current: one('old', { generation: 8 }) })).toEqual(set());
		expect(read(set(), { current: one('new', { generation: 9 }), gone: ['x'] }).gone).toEqual([]);
		const visitor = set({ address: undefined });
		const same = { current: one('new', { generation: 9 }), gone: ['x'] };
		expect(read(visitor, same).gone).toEqual(['x']);
		expect(read(visitor, { current: one('old', { generation: 8 }) })).toEqual(visitor);
		expect(replacedBy(set({ seen: true }), saved({ current: newer }))).toMatchObject({
			address: HERE,
			trust: 'here',
			seen: false,
			current: { id: 'newer' },
		});
	});
	test('both together: none twice, the newest is current, what this process knows counts more', () => {
		const before = set({
			retired: [old('a', { deleteAt: 5, generation: 3 })],
			missed: { cardId: 'c', from: 1, upTo: [] },
			endedUpTo: 4,
			gone: ['x'],
			lostAnswers: { count: 1, at: 10 },
			seen: true,
			renewAt: NOW,
			saving: { at: 1, pauseMs: 1 },
		});
		const same = withStored(
			before,
			saved({
				current: one('mid', { generation: 8 }),
				retired: [
					old('a', { deleteAt: null, generation: 3 }),
					old('x'),
					old('b', { generation: 2 }),
				],
				missed: { cardId: 'c', from: 2, upTo: [] },
				endedUpTo: 3,
				gone: ['y'],
				lostAnswers: { count: 2, at: 9 },
			}),
		);
		expect(same.current?.id).toBe('new');
		expect(same.retired.map(({ id, deleteAt }) => [id, deleteAt])).toEqual([
			['b', null],
			['a', 5],
			['mid', null],
		]);
		expect(same).toMatchObject({
			missed: { from: 1 },
			endedUpTo: 4,
			gone: ['x'],
			lostAnswers: { count: 1, at: 10 },
			seen: true,
			renewAt: NOW,
		});
		const behind = withStored(
			before,
			saved({
				current: newer,
				missed: { cardId: 'c', from: 2, upTo: [] },
				endedUpTo: 6,
				gone: ['a'],
				lostAnswers: { count: 2, at: 11 },
			}),
		);
		expect(behind).toMatchObject({
			current: { id: 'newer' },
			missed: { from: 2 },
			endedUpTo: 6,
			gone: ['a'],
			lostAnswers: { count: 2, at: 11 },
			trust: 'here',
			saving: undefined,
			seen: false,
			renewAt: undefined,
		});
		expect(idsOf(behind.retired)).toEqual(['new']);
		const first = { cardId: 'c', from: 2, upTo: [] };
		expect(withStored(set(), saved({ missed: first })).missed).toEqual(first);
		const unknown = withStored(EMPTY_SET, saved({ retired: [old('a')] }));
		expect([unknown.current, idsOf(unknown.retired)]).toEqual([undefined, ['a']]);
		const lost = (count: number) => ({ lostAnswers: { count, at: 10 } });
		expect(withStored(set(lost(1)), saved(lost(2)))).toMatchObject(lost(1));
	});
	test('a saved set reads back unchanged', () => {
		const before = set({ retired: [old('a')], gone: ['x'], endedUpTo: 4 });
		expect(stored(before)).toEqual(
			saved({ current: before.current, retired: [old('a')], gone: ['x'], endedUpTo: 4 }),
		);
	});
	test('deliveries count from the current one, and from replaced ones until they end, six at most', () => {
		const retired = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => old(id));
		expect(idsOf(accepted(set({ retired }), NOW))).toEqual(['new', 'f', 'e', 'd', 'c', 'b']);
		const ending = [old('at', { deleteAt: NOW }), old('after', { deleteAt: NOW + 1 })];
		expect(idsOf(accepted(set({ retired: ending }), NOW))).toEqual(['new', 'after']);
		expect(idsOf(accepted(set({ current: undefined, retired: ending }), NOW))).toEqual(['after']);
	});
	test('the signer of a body is the one with the secret', () => {
		const body = Buffer.from('{}');
		const signature = sign(body, 'secret of b');
		expect(signerOf(body, signature, [one('a'), one('b')])?.id).toBe('b');
		expect(signerOf(body, signature, [one('a')])).toBeUndefined();
	});
});

describe('an execution that saves reads back first', () => {
	const due = old('due', { deleteAt: NOW, generation: 3 });
	const other = old('other', { generation: 4 });
	const far = old('far', { generation: 2, targetUrl: ELSEWHERE });
	const ours = saved({ current: one('new', { generation: 9 }), retired: [due] });
	const back = (
		found: StoredSubscriptions,
		deletes: string[] = ['due'],
		isSettled = false,
		now = NOW + 1,
	) => readBack(ours, found, { deletes, isSettled }, now);

	test('its successor is saved: it is deleted, and marked so', () => {
		const { toDelete, toSave } = back({ ...ours, retired: [due, other, far] });
		expect(idsOf(toDelete)).toEqual(['due']);
		expect(toSave.retired.map(({ id, deleteAt }) => [id, deleteAt])).toEqual([
			['far', null],
			['due', NOW + 1],
			['other', null],
		]);
	});
	test('the current one is known to work: all others of its address go, too', () => {
		expect(idsOf(back({ ...ours, retired: [due, other, far] }, ['due'], true).toDelete)).toEqual([
			'due',
			'other',
		]);
		expect(back({ ...ours, retired: [due, other] }, [], true).toDelete).toEqual([]);
	});
	test('an old copy was written back: nothing is deleted, and what was to end is needed', () => {
		const { toDelete, toSave } = back(saved({ current: one('old', { generation: 8 }) }));
		expect(toDelete).toEqual([]);
		expect(toSave.current?.id).toBe('new');
		expect(toSave.retired.map(({ id, deleteAt }) => [id, deleteAt])).toEqual([
			['due', null],
			['old', null],
		]);
		const kept = back(saved({ current: one('old', { generation: 8 }) }), ['x']);
		expect(kept.toSave.retired[0]?.deleteAt).toBe(NOW);
	});
	test('none is current: what is named is deleted, and nothing else', () => {
		const none = saved({ retired: [due, other] });
		const { toDelete } = readBack(none, none, { deletes: ['due'], isSettled: true }, NOW);
		expect(idsOf(toDelete)).toEqual(['due']);
		const found = saved({ current: one('newer', { generation: 10 }) });
		const past = readBack(none, found, { deletes: ['due'], isSettled: true }, NOW);
		expect(past).toEqual({ toDelete: [], toSave: found });
	});
	test('a newer one was saved meanwhile: the job is of the past', () => {
		const found = saved({ current: one('newer', { generation: 10 }), retired: [other] });
		expect(back(found)).toEqual({ toDelete: [], toSave: found });
	});
});

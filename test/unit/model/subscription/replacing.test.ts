/** How a node’s subscription is replaced: when the new one is trusted, and what ends then. */
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import type { SubscriptionSet } from '../../../../nodes/WorkspaceData/model/subscription/state';
import {
	SECOND,
	MINUTE,
	HOUR,
	NOW,
	ELSEWHERE,
	OVERLAP,
	one,
	old,
	set,
	created,
	wasSaved,
	delivered,
	typesOf,
	idsOf,
} from './subscriptionSets';

describe('the answer to a probe', () => {
	const due = old('old', { deleteAt: NOW });
	const before = set({ trust: 'elsewhere', retired: [due], renewalPauseMs: HOUR });
	const probed = (
		answer: 'confirmed' | 'refused' | 'unknown',
		from: SubscriptionSet = before,
		generation = 9,
	) => reduce(from, { type: 'probed', generation, answer, jitter: 1, now: NOW });

	test('confirmed: the others are deleted, and the next renewal has a short pause', () => {
		expect(probed('confirmed')).toEqual({
			set: { ...before, renewalPauseMs: 15 * SECOND },
			effects: [{ type: 'delete', subscriptions: [due] }],
		});
	});
	test('unknown: an execution looks', () => {
		const { set: next, effects } = probed('unknown');
		expect(effects).toEqual([{ type: 'save', deletes: [due], isSettled: true }]);
		expect(next.saving).toBeDefined();
		expect(next.renewalPauseMs).toBe(15 * SECOND);
	});
	test.each([
		['open until later', old('open', { deleteAt: NOW + 1 }), HOUR],
		['open without an end', old('open'), HOUR],
		['due, too', old('open', { deleteAt: NOW }), 15 * SECOND],
		['of another address', old('open', { targetUrl: ELSEWHERE }), 15 * SECOND],
	])('the pause stays long while another one is %s', (_, other, pauseMs) => {
		const next = probed('confirmed', { ...before, retired: [due, other] }).set;
		expect(next.renewalPauseMs).toBe(pauseMs);
	});
	test('refused: the others are needed again, and a renewal follows', () => {
		const done = old('done', { deleteAt: null });
		const foreign = old('foreign', { deleteAt: NOW, targetUrl: ELSEWHERE });
		const { set: next, effects } = probed('refused', { ...before, retired: [due, done, foreign] });
		expect(next).toMatchObject({
			trust: 'late',
			renewAt: NOW + HOUR,
			retired: [{ ...due, deleteAt: null }, done, foreign],
		});
		expect(effects).toEqual([{ type: 'save', deletes: [], isSettled: false }]);
	});
	test.each<[string, Partial<SubscriptionSet>, number]>([
		['of an earlier one', {}, 8],
		['after all were deleted', { retired: [] }, 9],
		['while an execution saves', { saving: { at: NOW, pauseMs: 1 } }, 9],
		['after this process saved', { trust: 'here' }, 9],
		['after the current one has ended', { current: undefined }, 9],
	])('%s changes nothing', (_, more, generation) => {
		const from = { ...before, ...more };
		for (const answer of ['confirmed', 'refused', 'unknown'] as const) {
			expect(probed(answer, from, generation)).toEqual({ set: from, effects: [] });
		}
	});
});

describe('a new subscription', () => {
	test('gets a higher number than any before, whatever the clock says', () => {
		const numbers = (before: SubscriptionSet) => created(before).set.current?.generation;
		expect(numbers(set())).toBe(NOW);
		expect(numbers(set({ current: one('new', { generation: NOW + 5 }) }))).toBe(NOW + 6);
		expect(numbers(set({ retired: [old('old', { generation: NOW + 7 })] }))).toBe(NOW + 8);
		expect(numbers(set({ endedUpTo: NOW + 8 }))).toBe(NOW + 9);
	});
	test('starts afresh, with the one before it still in service', () => {
		const before = set({
			renewAt: NOW,
			seen: true,
			strain: { since: NOW, at: NOW },
			gone: ['next', 'x'],
			lostAnswers: { count: 3, at: 1 },
			aliveAt: 0,
			createdAt: 0,
		});
		expect(created(before).set).toMatchObject({
			trust: 'no',
			createdAt: NOW,
			aliveAt: NOW,
			seen: false,
			renewAt: undefined,
			strain: undefined,
			gone: ['x'],
			lostAnswers: { count: 0, at: NOW },
			saving: { at: NOW + 30 * SECOND, pauseMs: MINUTE },
			retired: [{ id: 'new', deleteAt: null, wasSaved: true }],
		});
		expect(created({ ...before, trust: 'no' }).set.retired[0]?.wasSaved).toBe(false);
		const first = created(set({ current: undefined })).set;
		expect([first.retired.length, first.current?.generation]).toEqual([0, NOW]);
	});
	test('whose ID the service gave before is there once', () => {
		const before = set({ current: one('next'), retired: [old('next'), old('old')] });
		expect(idsOf(created(before).set.retired)).toEqual(['old']);
	});
	test('saved by n8n’s hook: what it replaces ends after the overlap', () => {
		const { set: next, effects } = created(set(), { savedByHook: true });
		expect(next).toMatchObject({
			trust: 'here',
			saving: undefined,
			retired: [{ id: 'new', deleteAt: NOW + OVERLAP }],
		});
		expect(effects).toEqual([]);
		expect(created(set()).effects).toStrictEqual([{ type: 'save', deletes: [], isSettled: false }]);
		const at = created(set({ retired: [old('old', { deleteAt: NOW })] }), { savedByHook: true });
		expect(typesOf(at)).toEqual(['delete']);
	});
	test('makes a search for what was missed since the last one of the same card', () => {
		const missed = { cardId: 'c', from: 1, upTo: [2] };
		const next = created(set({ missed }), { subscription: one('next', { since: 50 }) });
		expect(next.effects[0]).toEqual({
			type: 'search',
			search: { from: 1, earlier: [2], upTo: 50 + 2 * SECOND },
		});
		expect(next.set.missed).toEqual({ cardId: 'c', from: 1, upTo: [2, 50 + 2 * SECOND] });
		for (const other of [undefined, { ...missed, cardId: 'other' }]) {
			const first = created(set({ missed: other }), { subscription: one('next', { since: 50 }) });
			expect(typesOf(first)).toEqual(['save']);
			expect(first.set.missed).toEqual({ cardId: 'c', from: 50, upTo: [] });
		}
		const many = { ...missed, upTo: Array.from({ length: 500 }, (_, n) => n) };
		expect(created(set({ missed: many })).set.missed?.upTo).toHaveLength(500);
	});
	test('the oldest of a long row end at once, unsaved ones first', () => {
		const row = ['a', 'b', 'c', 'd', 'e'].map((id) => old(id, { wasSaved: id !== 'd' }));
		const { retired } = created(set({ retired: row })).set;
		// Six with the new one.
		expect(retired.filter(({ deleteAt }) => deleteAt === NOW).map(({ id }) => id)).toEqual(['d']);
		const five = created(set({ retired: row.slice(1) })).set.retired;
		expect(five.every(({ deleteAt }) => deleteAt === null)).toBe(true);
		// Subscriptions that have ended do not count.
		const ended = row.map((item) => ({ ...item, deleteAt: NOW - 1 }));
		const some = [old('y', { wasSaved: false }), ...ended, old('z', { deleteAt: NOW + 1 })];
		expect(created(set({ retired: some })).set.retired.slice(0, -1)).toEqual(some);
		const four = [...row.slice(1), old('z', { deleteAt: NOW })];
		expect(created(set({ retired: four })).set.retired.slice(0, -1)).toEqual(four);
		const later = row.map((item) => ({ ...item, deleteAt: NOW + 1, wasSaved: true }));
		expect(created(set({ retired: later })).set.retired[0]?.deleteAt).toBe(NOW);
	});
});

describe('when it is saved', () => {
	const before = set({
		trust: 'no',
		retired: [old('old')],
		saving: { at: NOW, pauseMs: 1 },
		renewalPauseMs: HOUR,
	});

	test('by this process: it is trusted, and its predecessors may end', () => {
		expect(wasSaved(before, { here: true, now: NOW + HOUR })).toMatchObject({
			trust: 'here',
			saving: undefined,
			renewalPauseMs: 15 * SECOND,
			retired: [{ deleteAt: NOW + HOUR + OVERLAP }],
		});
	});
	test('by another one in time: trusted, but the pause stays until it is still saved after the overlap', () => {
		expect(wasSaved(before, { now: NOW + 5 * SECOND })).toMatchObject({
			trust: 'elsewhere',
			renewalPauseMs: HOUR,
			retired: [{ deleteAt: NOW + 5 * SECOND + OVERLAP }],
		});
	});
	test('by another one too late: the old ones stay, and it is renewed with more patience', () => {
		const late = wasSaved(before, { now: NOW + 5 * SECOND + 1, jitter: 1.1 });
		expect(late).toMatchObject({
			trust: 'late',
			saving: undefined,
			retired: [{ deleteAt: null }],
			savedInTimeMs: 2 * (5 * SECOND + 1),
			renewAt: NOW + 5 * SECOND + 1 + 1.1 * HOUR,
		});
		expect(wasSaved(before, { now: NOW + HOUR }).savedInTimeMs).toBe(MINUTE);
		expect(
			wasSaved({ ...before, savedInTimeMs: 20 * SECOND }, { now: NOW + 20 * SECOND }).trust,
		).toBe('elsewhere');
	});
	test('what was trusted before stays so; what was deleted is gone', () => {
		const again = set({ trust: 'late', retired: [old('a'), old('b')], saving: before.saving });
		const next = wasSaved(again, { deleted: ['a'], now: NOW + HOUR });
		expect(next.trust).toBe('late');
		expect(next.saving).toBeUndefined();
		expect(idsOf(next.retired)).toEqual(['b']);
		expect(next.renewAt).toBeUndefined();
		const here = wasSaved(set({ trust: 'here' }), { now: NOW + HOUR });
		expect(here).toMatchObject({ trust: 'here', renewAt: undefined });
	});
	test('late news of a replaced one: it was saved, and is needed until its successor is trusted', () => {
		const retired = [
			old('a', { generation: 5, wasSaved: false, deleteAt: NOW }),
			old('b', { generation: 6, wasSaved: false, deleteAt: NOW }),
		];
		const untrusted = wasSaved(set({ trust: 'no', retired }), { generation: 5 });
		expect(untrusted.retired).toEqual([
			{ ...retired[0], wasSaved: true, deleteAt: null },
			retired[1],
		]);
		const ended = wasSaved(set({ trust: 'no', retired, current: undefined }), { generation: 5 });
		expect(ended.retired).toEqual(untrusted.retired);
		const trusted = wasSaved(set({ trust: 'elsewhere', retired }), { generation: 5 });
		expect(trusted.retired[0]).toEqual({ ...retired[0], wasSaved: true });
	});
	test('not saved: the next try waits for the pause', () => {
		const next = reduce(set({ saving: { at: 0, pauseMs: MINUTE } }), {
			type: 'notSaved',
			now: NOW,
		});
		expect(next.set.saving).toEqual({ at: NOW + MINUTE, pauseMs: MINUTE });
		expect(reduce(set(), { type: 'notSaved', now: NOW }).set.saving).toBeUndefined();
	});
});

describe('a delivery', () => {
	test('of the current one: it works, strain is over, and its predecessors may end', () => {
		const before = set({
			trust: 'late',
			aliveAt: 0,
			renewAt: NOW,
			strain: { since: 1, at: 1 },
			retired: [old('old')],
		});
		expect(delivered(before)).toMatchObject({
			trust: 'elsewhere',
			aliveAt: NOW,
			seen: true,
			renewAt: undefined,
			strain: undefined,
			retired: [{ deleteAt: NOW + OVERLAP }],
		});
		expect(delivered({ ...before, trust: 'here' }).trust).toBe('here');
		const unsaved = delivered({ ...before, trust: 'no' });
		expect(unsaved).toMatchObject({ trust: 'no', seen: true, retired: [{ deleteAt: null }] });
	});
	test('of one through another address: a sign of life, but nothing about this address', () => {
		const current = one('new', { targetUrl: ELSEWHERE, generation: 9 });
		const next = delivered(set({ current, aliveAt: 0, renewAt: NOW, seen: false }));
		expect(next).toMatchObject({ aliveAt: NOW, seen: false, renewAt: NOW });
		expect([...next.leadHere]).toEqual(['new']);
	});
	test('of a replaced one is no sign of life of the current one', () => {
		const before = set({ aliveAt: 0, retired: [old('old')] });
		expect(delivered(before, 'old')).toEqual(before);
		expect(delivered(before, 'unknown')).toBe(before);
		const none = set({ current: undefined, retired: [old('old')] });
		expect(delivered(none, 'old')).toEqual(none);
	});
	test('of a replaced one at another address: it leads here, and may end once the new one works', () => {
		const retired = [old('old', { targetUrl: ELSEWHERE })];
		const unseen = delivered(set({ retired }), 'old');
		expect([...unseen.leadHere]).toEqual(['old']);
		expect(unseen.retired[0]?.deleteAt).toBeNull();
		const seen = delivered(set({ retired, seen: true }), 'old', NOW + SECOND);
		expect(seen.retired[0]?.deleteAt).toBe(NOW + SECOND + OVERLAP);
		const untrusted = delivered(set({ retired, seen: true, trust: 'late' }), 'old');
		expect(untrusted.retired[0]?.deleteAt).toBeNull();
	});
	test('a replaced one at another address ends only when the new address is seen working', () => {
		const retired = [old('old', { targetUrl: ELSEWHERE })];
		const before = set({ retired, leadHere: new Set(['old']), trust: 'no' });
		expect(wasSaved(before, { here: true }).retired[0]?.deleteAt).toBeNull();
		expect(delivered({ ...before, trust: 'here' }).retired[0]?.deleteAt).toBe(NOW + OVERLAP);
		// A time that is set stays.
		const timed = set({ retired: [old('old', { deleteAt: 5 })], trust: 'here' });
		expect(delivered(timed).retired[0]?.deleteAt).toBe(5);
	});
});

/** What fails between n8n and the service: how often it is tried again, and when it is given up. */
import { putOffUntil, renewLater } from '../../../../nodes/WorkspaceData/model/subscription/state';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import type { SubscriptionSet } from '../../../../nodes/WorkspaceData/model/subscription/state';
import type { RetiredSubscription } from '../../../../nodes/WorkspaceData/model/subscription/stored';
import {
	SECOND,
	MINUTE,
	HOUR,
	DAY,
	NOW,
	ELSEWHERE,
	old,
	set,
	passed,
	typesOf,
} from './subscriptionSets';

describe('a refusal, or a lost answer', () => {
	const refused = (before: SubscriptionSet, isLost: boolean, now = NOW) =>
		reduce(before, { type: 'refused', isLost, jitter: 1, now }).set;

	test('the pauses double, up to an hour', () => {
		let state = set();
		const pauses: number[] = [];
		for (let n = 0; n < 10; n += 1) {
			state = refused(state, false);
			pauses.push((state.renewAt ?? 0) - NOW);
		}
		const seconds = [15, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600];
		expect(pauses).toEqual(seconds.map((s) => s * SECOND));
	});
	test('after five lost answers once a day, as each may have left a subscription', () => {
		let state = set();
		for (let n = 0; n < 4; n += 1) state = refused(state, true);
		expect(putOffUntil(state)).toBe(-Infinity);
		state = refused(state, false);
		expect(state.lostAnswers).toEqual({ count: 4, at: NOW });
		state = refused(state, true, NOW + 1);
		expect(state.lostAnswers).toEqual({ count: 5, at: NOW + 1 });
		expect([putOffUntil(state), state.renewAt]).toEqual([NOW + 1 + DAY, NOW + 1 + DAY]);
		expect(renewLater(set(), 1.1, NOW).renewAt).toBe(NOW + 1.1 * 15 * SECOND);
		const changed = reduce(state, { type: 'credentialChanged', now: NOW + 2 }).set;
		expect(changed).toMatchObject({
			renewAt: NOW + 2,
			renewalPauseMs: 15 * SECOND,
			lostAnswers: { count: 0 },
		});
	});
	test('with a changed credential: the saved secrets are sealed again, once, without a new subscription (K21)', () => {
		const changed = reduce(set(), { type: 'credentialChanged', now: NOW }).set;
		const time = { silenceMs: Infinity, overlapMs: 0 };
		const state = refused(changed, false);
		const { effects, set: next } = reduce(state, { type: 'passed', ...time, now: NOW });
		expect(effects.map(({ type }) => type)).toEqual(['save']);
		expect(refused({ ...next, saving: undefined }, false).saving).toBeUndefined();
		expect(refused(set(), false).saving).toBeUndefined();
	});
	test('one subscription for each address: those of this address give way', () => {
		const before = set({ retired: [old('a'), old('b', { targetUrl: ELSEWHERE })] });
		const { effects } = reduce(before, { type: 'conflicted' });
		expect(effects).toMatchObject([
			{ type: 'delete', subscriptions: [{ id: 'a' }, { id: 'new' }] },
		]);
		const none = set({ current: undefined, retired: [old('b', { targetUrl: ELSEWHERE })] });
		expect(reduce(none, { type: 'conflicted' }).effects).toEqual([]);
	});
});

describe('deletions', () => {
	const notDeleted = (before: SubscriptionSet, now: number) =>
		reduce(before, { type: 'notDeleted', ids: ['old'], now }).set;

	test('that fail are tried after a minute, two, and so on, for a week', () => {
		const first = notDeleted(set({ retired: [old('old'), old('other')] }), NOW);
		expect(first.deletions.get('old')).toEqual({ at: NOW + MINUTE, pauseMs: 2 * MINUTE });
		expect(first.retired.map(({ giveUpAt }) => giveUpAt)).toEqual([NOW + 7 * DAY, null]);
		const second = notDeleted(first, NOW + MINUTE);
		expect(second.deletions.get('old')).toEqual({ at: NOW + 3 * MINUTE, pauseMs: 4 * MINUTE });
		expect(second.retired[0]?.giveUpAt).toBe(NOW + 7 * DAY);
	});
	test('that worked are remembered, and numbers continue above those of the current one', () => {
		const before = set({
			retired: [old('old')],
			deletions: new Map([['old', { at: 1, pauseMs: 1 }]]),
			leadHere: new Set(['old', 'new']),
			endedUpTo: 3,
		});
		const retiredGone = reduce(before, { type: 'deleted', ids: ['old'] }).set;
		expect(retiredGone).toMatchObject({ retired: [], gone: ['old'], endedUpTo: 3 });
		expect([retiredGone.deletions.size, [...retiredGone.leadHere]]).toEqual([0, ['new']]);
		expect(retiredGone.current?.id).toBe('new');
		const currentGone = reduce(before, { type: 'deleted', ids: ['new'] }).set;
		expect(currentGone).toMatchObject({ current: undefined, endedUpTo: 9, gone: ['new'] });
		expect(currentGone.deletions.size).toBe(1);
		const none = reduce({ ...before, current: undefined }, { type: 'deleted', ids: ['old'] });
		expect(none).toMatchObject({ set: { endedUpTo: 3, gone: ['old'] } });
		expect(none.effects).toStrictEqual([]);
	});
	test('the last twenty are remembered, none twice', () => {
		const gone = Array.from({ length: 20 }, (_, n) => `g${n}`);
		const next = reduce(set({ gone }), { type: 'deleted', ids: ['g3', 'x'] }).set;
		expect(next.gone).toHaveLength(20);
		expect(next.gone.slice(-2)).toEqual(['g3', 'x']);
		expect(next.gone.filter((id) => id === 'g3')).toHaveLength(1);
	});

	const retry = { at: NOW + DAY, pauseMs: HOUR };
	test.each<[string, Partial<RetiredSubscription>, boolean, string | undefined]>([
		['failed for a week', { deleteAt: NOW, giveUpAt: NOW }, true, 'until the next start'],
		['failed for less', { deleteAt: NOW, giveUpAt: NOW + 1 }, true, undefined],
		['not tried since the start', { deleteAt: NOW, giveUpAt: NOW }, false, undefined],
		['of another address for long', { giveUpAt: NOW, targetUrl: ELSEWHERE }, false, 'for good'],
		['of another address', { giveUpAt: NOW + 1, targetUrl: ELSEWHERE }, false, undefined],
		['just noticed', { giveUpAt: null, targetUrl: ELSEWHERE }, false, undefined],
		['still in service', { giveUpAt: NOW }, false, undefined],
	])('a subscription whose deletion %s is given up: %j', (_, more, isTried, given) => {
		const deletions = new Map(isTried ? [['old', retry]] : []);
		const { set: next, effects } = passed(
			set({ trust: 'no', retired: [old('old', more)], deletions }),
		);
		const left = effects.filter(({ type }) => type === 'leaveBehind');
		expect(left).toHaveLength(given === undefined ? 0 : 1);
		expect(next.retired).toHaveLength(given === 'for good' ? 0 : 1);
		expect(next.gone).toEqual(given === 'for good' ? ['old'] : []);
		expect(next.deletions.get('old')?.at === Infinity).toBe(given === 'until the next start');
		if (given !== undefined) {
			expect(passed(next).effects.map(({ type }) => type)).not.toContain('leaveBehind');
		}
	});
	test('of more than twenty, the oldest are given up for good', () => {
		const retired = Array.from({ length: 22 }, (_, n) => old(`o${n}`, { deleteAt: NOW }));
		const { set: next, effects } = passed(set({ retired }));
		expect(effects[0]).toMatchObject({ type: 'leaveBehind' });
		expect(next.gone).toEqual(['o0', 'o1']);
		expect(next.retired).toHaveLength(20);
		const twenty = passed(set({ retired: retired.slice(2) }));
		expect(typesOf(twenty)).toEqual(['delete']);
		for (const deleteAt of [null, NOW + 1]) {
			const inService = retired.map((item) => ({ ...item, deleteAt }));
			expect(typesOf(passed(set({ retired: inService })))).toEqual([]);
		}
		const failed = [old('o0', { deleteAt: NOW, giveUpAt: NOW }), ...retired.slice(1, 21)];
		const deletions = new Map([['o0', retry]]);
		const given = passed(set({ retired: failed, deletions })).set;
		expect([given.gone, given.deletions.size]).toEqual([['o0'], 0]);
	});
});

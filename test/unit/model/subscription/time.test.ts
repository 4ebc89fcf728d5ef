/** What becomes due for a node’s subscriptions when time passes, also after a clock was put back. */
import { withPlausibleTimes } from '../../../../nodes/WorkspaceData/model/subscription/plausibleTimes';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import type { SubscriptionSet } from '../../../../nodes/WorkspaceData/model/subscription/state';
import {
	SECOND,
	MINUTE,
	HOUR,
	DAY,
	NOW,
	ELSEWHERE,
	OVERLAP,
	old,
	set,
	passed,
	typesOf,
} from './subscriptionSets';

describe('when time passes', () => {
	test('silence makes a renewal due, to the millisecond, and a set without a subscription none', () => {
		expect(typesOf(passed(set(), NOW + DAY - 1))).toEqual([]);
		expect(typesOf(passed(set(), NOW + DAY))).toEqual(['create']);
		expect(typesOf(passed(set({ current: undefined }), NOW + DAY))).toEqual([]);
	});

	test('a renewal that was put off is not made earlier, not even for silence', () => {
		const later = set({ renewAt: NOW + DAY + HOUR });
		expect(typesOf(passed(later, NOW + DAY + HOUR - 1))).toEqual([]);
		expect(typesOf(passed(later, NOW + DAY + HOUR))).toEqual(['create']);
	});

	describe('strain', () => {
		const strained = (since: number, at: number, more: Partial<SubscriptionSet> = {}) =>
			set({ strain: { since, at }, ...more });

		test('makes a renewal due a minute after its last sign', () => {
			expect(typesOf(passed(strained(NOW, NOW), NOW + MINUTE - 1))).toEqual([]);
			expect(typesOf(passed(strained(NOW, NOW), NOW + MINUTE))).toEqual(['create']);
		});
		test('and nine minutes after its first sign, however many follow', () => {
			const lasting = strained(NOW, NOW + 9 * MINUTE - SECOND);
			expect(typesOf(passed(lasting, NOW + 9 * MINUTE - 1))).toEqual([]);
			expect(typesOf(passed(lasting, NOW + 9 * MINUTE))).toEqual(['create']);
		});
		test('is over then; the next one waits for ten minutes, then twice as long', () => {
			const first = passed(strained(NOW, NOW), NOW + MINUTE).set;
			expect(first).toMatchObject({
				strain: undefined,
				renewAt: NOW + MINUTE,
				strainRenewal: { at: NOW + 11 * MINUTE, pauseMs: 20 * MINUTE },
			});
			const again = { ...first, renewAt: undefined, strain: { since: NOW, at: NOW } };
			expect(typesOf(passed(again, NOW + 11 * MINUTE - 1))).toEqual([]);
			expect(passed(again, NOW + 11 * MINUTE).set.strainRenewal).toEqual({
				at: NOW + 31 * MINUTE,
				pauseMs: 40 * MINUTE,
			});
		});
		test('an hour after the last one, it waits for ten minutes again', () => {
			const before = { at: NOW - HOUR, pauseMs: 40 * MINUTE };
			const { strainRenewal } = passed(
				strained(NOW - MINUTE, NOW - MINUTE, { strainRenewal: before }),
				NOW,
			).set;
			expect(strainRenewal).toEqual({ at: NOW + 40 * MINUTE, pauseMs: HOUR });
			const longAgo = { at: NOW - HOUR - 1, pauseMs: 40 * MINUTE };
			expect(
				passed(strained(NOW - MINUTE, NOW - MINUTE, { strainRenewal: longAgo }), NOW).set
					.strainRenewal,
			).toEqual({ at: NOW + 10 * MINUTE, pauseMs: 20 * MINUTE });
		});
		test('changes nothing while a renewal is planned', () => {
			const planned = strained(NOW, NOW, { renewAt: NOW + HOUR });
			expect(passed(planned, NOW + MINUTE).set.strain).toBeDefined();
			expect(typesOf(passed(planned, NOW + MINUTE))).toEqual([]);
		});
		test('of a replaced subscription is none, and the first sign is kept', () => {
			const sign = (before: SubscriptionSet, id: string, now: number) =>
				reduce(before, { type: 'strained', id, now }).set;
			expect(sign(set(), 'old', NOW).strain).toBeUndefined();
			expect(sign(set({ current: undefined }), 'old', NOW).strain).toBeUndefined();
			const first = sign(set(), 'new', NOW);
			expect(first.strain).toEqual({ since: NOW, at: NOW });
			expect(sign(first, 'new', NOW + SECOND).strain).toEqual({ since: NOW, at: NOW + SECOND });
		});
	});

	describe('subscriptions due for deletion', () => {
		const due = old('old', { deleteAt: NOW });

		test('is deleted from that time on, and no earlier', () => {
			expect(typesOf(passed(set({ retired: [due] }), NOW - 1))).toEqual([]);
			expect(passed(set({ retired: [due] })).effects).toEqual([
				{ type: 'delete', subscriptions: [due] },
			]);
			expect(typesOf(passed(set({ retired: [old('old')] })))).toEqual([]);
		});
		test('never that of another address, unless its deliveries came here', () => {
			const foreign = old('old', { deleteAt: NOW, targetUrl: ELSEWHERE });
			expect(typesOf(passed(set({ retired: [foreign] })))).toEqual([]);
			const leads = set({ retired: [foreign], leadHere: new Set(['old']) });
			expect(typesOf(passed(leads))).toEqual(['delete']);
		});
		test('not while a failed deletion waits', () => {
			const waits = (at: number) =>
				set({ retired: [due], deletions: new Map([['old', { at, pauseMs: MINUTE }]]) });
			expect(typesOf(passed(waits(NOW + 1)))).toEqual([]);
			expect(typesOf(passed(waits(NOW)))).toEqual(['delete']);
		});
		test('before the current one is saved, only what was never saved', () => {
			const never = old('never', { deleteAt: NOW, wasSaved: false });
			const { effects } = passed(set({ trust: 'no', retired: [due, never] }));
			expect(effects).toEqual([{ type: 'delete', subscriptions: [never] }]);
		});
		test.each(['elsewhere', 'late'] as const)(
			'saved by another process (%s): a probe asks first, naming all that may be saved',
			(trust) => {
				const kept = old('kept');
				const before = set({ trust, retired: [due, kept], gone: ['ended'] });
				expect(passed(before).effects).toEqual([
					{ type: 'probe', subscription: before.current, known: ['old', 'kept', 'ended'] },
				]);
				expect(typesOf(passed({ ...before, retired: [kept] }))).toEqual([]);
			},
		);
		test('where a deletion failed before, or none is current, an execution reads back in place of a probe', () => {
			const failed = set({
				trust: 'elsewhere',
				retired: [due],
				deletions: new Map([['old', { at: NOW, pauseMs: MINUTE }]]),
			});
			const save = { type: 'save', deletes: [due], isSettled: true };
			expect(passed(failed).effects).toEqual([save]);
			expect(passed(failed).set.saving).toEqual({ at: NOW + 30 * SECOND, pauseMs: MINUTE });
			const none = set({ trust: 'late', retired: [due], current: undefined });
			expect(passed(none).effects).toEqual([{ ...save, isSettled: false }]);
		});
		test('where one of several deletions failed before, an execution looks for all', () => {
			const all = [due, old('second', { deleteAt: NOW })];
			const deletions = new Map([['second', { at: NOW, pauseMs: MINUTE }]]);
			const failed = set({ trust: 'elsewhere', retired: all, deletions });
			expect(passed(failed).effects).toEqual([{ type: 'save', deletes: all, isSettled: true }]);
		});
		test('an execution that saves is waited for, then tried again after a pause that grows', () => {
			const saving = { at: NOW + 1, pauseMs: MINUTE };
			const waiting = set({ trust: 'elsewhere', retired: [due], saving });
			expect(passed(waiting).effects).toEqual([]);
			const again = passed(waiting, NOW + 1);
			expect(again.effects).toEqual([{ type: 'save', deletes: [due], isSettled: true }]);
			expect(again.set.saving).toEqual({ at: NOW + 1 + MINUTE, pauseMs: 2 * MINUTE });
			// What this process saved itself needs no reading back.
			const here = passed({ ...waiting, trust: 'here' }, NOW + 1);
			expect(here.effects).toEqual([{ type: 'save', deletes: [], isSettled: false }]);
			expect(typesOf(passed({ ...waiting, trust: 'here' }))).toEqual(['delete']);
		});
	});
});

describe('after a clock was put back, nothing is due later than its longest pause', () => {
	const far = NOW + 365 * DAY;
	const plausible = (more: Partial<SubscriptionSet>) => withPlausibleTimes(set(more), OVERLAP, NOW);

	test('times', () => {
		const next = plausible({
			createdAt: far,
			aliveAt: far,
			renewAt: far,
			saving: { at: far, pauseMs: 7 },
			strain: { since: far, at: far },
			strainRenewal: { at: far, pauseMs: 7 },
			lostAnswers: { count: 1, at: far },
			deletions: new Map([['a', { at: far, pauseMs: 7 }]]),
			retired: [old('a', { deleteAt: far, giveUpAt: far }), old('b', { deleteAt: far })],
		});
		expect(next).toMatchObject({
			createdAt: NOW,
			aliveAt: NOW,
			renewAt: NOW + 1.1 * HOUR,
			saving: { at: NOW + HOUR, pauseMs: 7 },
			strain: { since: NOW, at: NOW },
			strainRenewal: { at: NOW + HOUR, pauseMs: 7 },
			lostAnswers: { count: 1, at: NOW },
			retired: [
				{ deleteAt: NOW + OVERLAP, giveUpAt: NOW + 7 * DAY },
				{ deleteAt: NOW + OVERLAP, giveUpAt: null },
			],
		});
		expect(next.deletions.get('a')).toEqual({ at: NOW + HOUR, pauseMs: 7 });
	});
	test('a renewal that was put off for a day stays put off for a day', () => {
		const lostAnswers = { count: 5, at: NOW };
		expect(plausible({ lostAnswers, renewAt: NOW + DAY }).renewAt).toBe(NOW + DAY);
		const ahead = { count: 5, at: NOW + HOUR };
		expect(plausible({ lostAnswers: ahead, renewAt: NOW + HOUR + DAY }).renewAt).toBe(NOW + DAY);
	});
	test('plausible and absent times stay unchanged', () => {
		const kept = {
			createdAt: NOW - 1,
			aliveAt: NOW,
			renewAt: undefined,
			saving: undefined,
			strain: undefined,
			retired: [
				old('a', { deleteAt: NOW + OVERLAP, giveUpAt: NOW + 7 * DAY }),
				old('b'),
				old('c', { deleteAt: NOW + 1, giveUpAt: NOW + 8 * DAY }),
			],
			deletions: new Map([['a', { at: Infinity, pauseMs: 7 }]]),
		};
		const next = plausible(kept);
		expect(next).toMatchObject({ ...kept, retired: expect.anything() });
		expect(next.retired[0]).toBe(kept.retired[0]);
		expect(next.retired[1]).toBe(kept.retired[1]);
		expect(next.retired[2]).toEqual({ ...kept.retired[2], giveUpAt: NOW + 7 * DAY });
	});
});

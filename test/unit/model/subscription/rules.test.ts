/** The rules about a node's subscriptions one by one: what is kept, deleted, renewed and given up, and when. */
import type {
	Outcome,
	SubscriptionEvent,
} from '../../../../nodes/WorkspaceData/model/subscription/events';
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
import {
	putOffUntil,
	renewLater,
	withPlausibleTimes,
} from '../../../../nodes/WorkspaceData/model/subscription/pauses';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import {
	EMPTY_SET,
	type SubscriptionSet,
} from '../../../../nodes/WorkspaceData/model/subscription/state';
import {
	NO_SUBSCRIPTIONS,
	type RetiredSubscription,
	type StoredSubscriptions,
	type Subscription,
} from '../../../../nodes/WorkspaceData/model/subscription/stored';
import { sign } from '../../../../nodes/WorkspaceData/model/signature';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 1);
const HERE = 'https://n8n.example.com/webhook/1';
const ELSEWHERE = 'https://copy.example.com/webhook/1';
const OVERLAP = HOUR;

const one = (id: string, more: Partial<Subscription> = {}): Subscription => ({
	id,
	secret: `secret of ${id}`,
	targetUrl: HERE,
	workspaceId: 'w',
	cardId: 'c',
	since: NOW,
	clockAheadMs: 0,
	generation: 1,
	...more,
});
const old = (id: string, more: Partial<RetiredSubscription> = {}): RetiredSubscription => ({
	...one(id),
	deleteAt: null,
	giveUpAt: null,
	wasSaved: true,
	...more,
});
const set = (more: Partial<SubscriptionSet> = {}): SubscriptionSet => ({
	...EMPTY_SET,
	address: HERE,
	current: one('new', { generation: 9 }),
	trust: 'here',
	createdAt: NOW,
	aliveAt: NOW,
	...more,
});
const saved = (more: Partial<StoredSubscriptions> = {}): StoredSubscriptions => ({
	...NO_SUBSCRIPTIONS,
	...more,
});
const passed = (before: SubscriptionSet, now = NOW, silenceMs = DAY): Outcome =>
	reduce(before, { type: 'passed', silenceMs, overlapMs: OVERLAP, now });
const created = (
	before: SubscriptionSet,
	more: Partial<Extract<SubscriptionEvent, { type: 'created' }>> = {},
): Outcome =>
	reduce(before, {
		type: 'created',
		subscription: one('next'),
		savedByHook: false,
		overlapMs: OVERLAP,
		now: NOW,
		...more,
	});
const wasSaved = (
	before: SubscriptionSet,
	more: Partial<Extract<SubscriptionEvent, { type: 'saved' }>> = {},
): SubscriptionSet =>
	reduce(before, {
		type: 'saved',
		generation: 9,
		here: false,
		deleted: [],
		overlapMs: OVERLAP,
		jitter: 1,
		now: NOW,
		...more,
	}).set;
const delivered = (before: SubscriptionSet, id = 'new', now = NOW): SubscriptionSet =>
	reduce(before, { type: 'delivered', id, overlapMs: OVERLAP, now }).set;
// `toEqual([])` takes a list of undefined for an empty one.
const typesOf = ({ effects }: Outcome) => effects.map(({ type }) => String(type));
const idsOf = (list: readonly Subscription[]) => list.map(({ id }) => id);

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

	describe('what is due to be deleted', () => {
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
	test('what is due in time, never, or not at all stays so', () => {
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
	test('what is saved of a set reads as the same', () => {
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

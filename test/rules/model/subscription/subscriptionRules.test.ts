/** The rules of the trigger, in worlds of n8n and the service: whatever happens, they come to rest, and no other n8n is harmed. */
import fc from 'fast-check';
import { cases } from '../../../support/cases';
import * as rules from '../../../../nodes/WorkspaceData/model/subscription/subscriptionRules';
import { accepted } from '../../../../nodes/WorkspaceData/model/subscription/saved';
import { ADDRESS, MINUTE, type Options, OVERLAP, SILENCE, World } from './world';

const RUNS = cases(1_000).numRuns;

const steps = {
	event: (world: World) => world.event(),
	minute: (world: World) => world.pass(MINUTE),
	overlap: (world: World) => world.pass(OVERLAP),
	silence: (world: World) => world.pass(SILENCE + MINUTE, 10 * MINUTE),
	kill: (world: World) => world.kill(),
	start: (world: World) => world.start(),
	unpublish: (world: World) => world.unpublish(),
	publish: (world: World) => world.start(world.production, true),
	refuse: (world: World) => (world.hindered.refusal += 1),
	loseAnswer: (world: World) => (world.hindered.answer += world.options.onePerAddress ? 0 : 1),
	loseDeletion: (world: World) => (world.hindered.deletion += 1),
	loseSearch: (world: World) => (world.hindered.search += 1),
	failSaving: (world: World) => (world.production.jobs = []),
	pauseAll: (world: World) => world.pauseAll(),
	holdJobs: (world: World) => (world.holdsJobs = true),
	runJobs: (world: World) => {
		world.holdsJobs = false;
		world.runJobs();
	},
	writeBack: (world: World) => {
		const old = world.production.database;
		world.pass(OVERLAP - MINUTE);
		if (world.options.queueMode) world.writeBack(old);
	},
	copy: (world: World) => world.startCopy(),
	copyThatCannotStart: (world: World) => world.startCopy(false),
	unpublishCopy: (world: World) => world.copy && world.unpublish(world.copy),
	killCopy: (world: World) => world.copy && world.kill(world.copy),
	startCopy: (world: World) => world.copy && world.start(world.copy),
} satisfies Record<string, (world: World) => unknown>;

type Event = keyof typeof steps;
const histories = fc.array(fc.constantFrom(...(Object.keys(steps) as Event[])), { maxLength: 25 });
const options = fc.record({
	onePerAddress: fc.boolean(),
	limit: fc.constantFrom(3, 100, 100),
	queueMode: fc.boolean(),
	blindWorkers: fc.boolean(),
});

function play(chosen: Options, history: readonly Event[]): World {
	const world = new World(chosen);
	world.start(world.production, true);
	for (const step of history) steps[step](world);
	return world;
}

test("in any history no copy deletes what isn't its own, each event comes, and n8n rests", () => {
	fc.assert(
		fc.property(options, histories, (chosen, history) => {
			const world = play(chosen, history);
			const isCopyRunning = world.copy?.state !== undefined;
			if (world.copy) world.unpublish(world.copy);
			world.comeToRest();
			// A subscription whose creation nobody was told of is known to nobody: its deliveries pause it.
			expect(world.live.length).toBeLessThanOrEqual(1);
			// A copy that held the place may leave production without: the log said what holds it.
			const isFree = !chosen.onePerAddress && chosen.limit === 100;
			if (isFree || !isCopyRunning) expect(world.live.length + (isFree ? 0 : 1)).toBeGreaterThan(0);
			if (!isFree) return;
			expect([...world.owed.keys()].filter((event) => !world.executed.has(event))).toEqual([]);
			const before = world.tasks;
			world.workAsUsual(6);
			expect(world.tasks).toBe(before);
			expect(world.production.state?.saved.previous).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

type Step = (state: rules.SubscriptionState) => rules.SubscriptionState;

/** What was done in the last steps. */
let done: string[] = [];

const note = (what: string, all: ReadonlyArray<{ id: string }>): void => {
	if (all.length > 0) done.push(`${what} ${namesOf(all)}`);
};
const inTurn =
	(...all: Step[]): Step =>
	(before) =>
		all.reduce((state, step) => step(state), before);
const by =
	<Given>(change: rules.Change<Given>, given: Given & { now: number }): Step =>
	(before) => {
		const state = change(before, given);
		note('leave', rules.abandoned(before, state));
		return state;
	};
const deleteDue =
	(now: number): Step =>
	(state) => {
		note('delete', rules.dueDeletions(state, now));
		return state;
	};
const save =
	(now: number): Step =>
	(state) => {
		if (!rules.isToSave(state, now)) return state;
		done.push('save');
		return rules.onSaving(state, { now });
	};
const search: Step = (state) => {
	const due = rules.dueSearch(state, state.search?.at ?? 0);
	if (!due) return state;
	const { from, to, isWhole } = due;
	done.push(`search ${from / 1_000}-${to / 1_000}${isWhole ? '' : ' with gaps'}`);
	return state;
};

// What happens, and at which minute.
const boot =
	(minute: number, address = ADDRESS): Step =>
	(state) => {
		const stored = state.saved;
		const now = minute * MINUTE;
		return by(rules.onStarted, { address, stored, mark: 'm', overlapMs: OVERLAP, now })(state);
	};
const create =
	(id: string, minute: number, cardId: string | null = null, more: object = {}): Step =>
	(state) => {
		const now = minute * MINUTE;
		const service = { baseUrl: 'https://data/api/v1', workspaceId: 'w' };
		const place = { targetUrl: state.address ?? '', ...service, cardId };
		const subscription = { id, sealed: 's', since: now, ...place };
		const how = { mark: 'm', savedByHook: true, catchesUp: true, ...more };
		const created = by(rules.onCreated, { subscription, ...how, now });
		return inTurn(created, search, deleteDue(now), save(now))(state);
	};
const start = (id: string, minute: number, cardId?: string): Step =>
	inTurn(boot(minute), create(id, minute, cardId));
const renew = (id: string, minute: number): Step =>
	create(id, minute, null, { savedByHook: false });
const move = (id: string, minute: number): Step =>
	inTurn(boot(minute, 'https://new'), create(id, minute));
const refuse = (minute: number): Step =>
	by(rules.onRefused, { isNeeded: false, now: minute * MINUTE });
const doubt = (minute: number): Step => by(rules.onDoubted, { now: minute * MINUTE });
const changeCredential = (minute: number): Step =>
	by(rules.onCredentialChanged, { now: minute * MINUTE });
/** n8n looks. Where it asks the address, the response is the next step. */
const passTo =
	(minute: number): Step =>
	(before) => {
		const now = minute * MINUTE;
		const state = by(rules.onPassed, { now })(before);
		const asks = rules.isToAsk(state, now);
		if (asks) done.push('ask');
		if (rules.isToRenew(state, SILENCE, now)) done.push('create');
		else if (!asks) deleteDue(now)(state);
		return save(now)(state);
	};
const pass = (...minutes: number[]): Step => inTurn(...minutes.map(passTo));
const probe = (result: rules.ProbeResult, minute: number, isOurs = true): Step => {
	const now = minute * MINUTE;
	return inTurn(by(rules.onProbed, { result, isOurs, now }), deleteDue(now), save(now));
};
const deliver = (id: string, minute: number): Step =>
	by(rules.onDelivered, { id, now: minute * MINUTE });
const saved =
	(minute: number, older = 0): Step =>
	(state) =>
		by(rules.onSaved, { version: state.saved.version - older, now: minute * MINUTE })(state);
const remove = (id: string, minute: number): Step =>
	by(rules.onDeleted, { id, isDone: true, now: minute * MINUTE });
const fail = (id: string, minute: number): Step =>
	by(rules.onDeleted, { id, isDone: false, now: minute * MINUTE });
const searched = (seconds: number, cardId: string | null = null): Step =>
	by(rules.onSearched, { to: seconds * 1_000, cardId, now: 3 * MINUTE });
const unpublish = (minute: number): Step =>
	inTurn(by(rules.onUnpublished, { now: minute * MINUTE }), deleteDue(minute * MINUTE));
/** Another process knows only what is saved. */
const otherProcess: Step = ({ saved: stored }) =>
	by(rules.onRead, { stored, now: 0 })(rules.INITIAL);
const crash: Step = ({ saved: stored }) =>
	by(rules.onRead, { stored, address: ADDRESS, now: 0 })(rules.INITIAL);
/** Another n8n responds at the address, also after the subscription was saved again. */
const elsewhere = (minute: number): Step => probe('no', minute, false);
const denied = [elsewhere(2), saved(2), elsewhere(3)];

const namesOf = (all: ReadonlyArray<{ id: string }>): string => all.map(({ id }) => id).join(' ');
const after = (...all: Step[]): rules.SubscriptionState => inTurn(...all)(rules.INITIAL);
function doneIn(all: Step[], isSearch: boolean): string {
	done = [];
	after(...all);
	return done.filter((one) => one.startsWith('search') === isSearch).join(', ');
}

const expectDone = (all: Step[], expected: string): void =>
	expect(doneIn(all, false)).toBe(expected.replace(/, $/, ''));

/** A creation while *Catch Up* is off. */
const off = (id: string, minute: number): Step => create(id, minute, null, { catchesUp: false });

/** `b` has replaced `a`, whose overlap is over at minute 16. */
const two = [start('a', 0), start('b', 1)];
const proven = [...two, deliver('b', 2)];
const first = start('a', 0);
/** Not saved when it is created. */
const fresh = [first, renew('b', 5)];
/** The same, but another process made `a`. */
const earlier = [start('a', 0), crash];
const restarted = [...earlier, start('b', 1)];

const searches = (all: Step[]): string => doneIn(all, true).replaceAll('search ', '');

test.each<[string, Step[], string]>([
	['nothing at first', [start('a', 0)], ''],
	['what no search completed', [...two, searched(62), start('c', 2)], '0-62, 62-122'],
	['all again, with a note, if none was', [...two, start('c', 2)], '0-62, 0-122 with gaps'],
	['nothing twice', [...two, searched(62), searched(9), start('c', 2)], '0-62, 62-122'],
	['what is in the same card', [start('a', 0), start('b', 1, 'x'), start('c', 2, 'x')], '60-122'],
	['its rest when published', [...two, unpublish(2), searched(62), start('c', 3)], '0-62, 62-182'],
	['all in another card', [...two, searched(62, 'x'), start('c', 2)], '0-62, 0-122 with gaps'],
	['the time without publication', [start('a', 0), unpublish(1), start('b', 2)], '0-122'],
	['nothing while it is off', [start('a', 0), off('b', 1), start('c', 2)], ''],
])('Catch Up searches %s', (_what, all, expected) => expect(searches(all)).toBe(expected));

const DAY = 24 * 60;
const refusals = [refuse(1), refuse(200)];
const sixRestarts = Array.from({ length: 7 }, (_, n) => inTurn(crash, start(`s${n}`, n)));
const atOnce = Array.from({ length: 22 }, (_, n) => inTurn(crash, start(`s${n}`, 0)));
/** It fails, as it does when it is tried again after 1 and 2 minutes. */
const failing = [fail('a', 16), pass(16.9, 17), fail('a', 17), pass(18.9, 19), fail('a', 19)];
const lost = [deliver('b', DAY), fail('a', DAY + 15), pass(DAY + 16, DAY + 16.1)];
const nobody = (minute: number): Step => probe('none', minute);
const here = (minute: number): Step => probe('yes', minute);

test.each<[string, Step[], string]>([
	['after its overlap', [...proven, pass(15, 16)], 'delete a'],
	['once', [...proven, pass(16), remove('a', 16), pass(17, 99)], 'delete a'],
	['made earlier once it has asked', [...restarted, pass(2, 15, 16), here(16)], 'ask, delete a'],
	['made earlier not while nobody responds', [...restarted, pass(16), nobody(16), pass(25)], 'ask'],
	['and asks every ten minutes', [...restarted, pass(16), nobody(16), pass(25, 26)], 'ask, ask'],
	['of its own if nobody responds', [...two, pass(16), nobody(16)], 'ask, delete a'],
	['not before b is saved', [...fresh, pass(20), saved(20, 1), nobody(20)], 'save, ask, save'],
	['not after a delivery of it', [...restarted, nobody(2), deliver('a', 3), pass(16)], 'ask'],
	['after one of the new one', [...restarted, deliver('b', 2), nobody(3), pass(16)], 'delete a'],
	['not while a renewal is planned', [...proven, doubt(15), refuse(15), pass(15.5, 16)], 'create'],
	['at once if five newer ones wait', [...sixRestarts, deliver('s6', 7), pass(7)], 'delete s0'],
	['not at an unknown address, where it leaves the 21st', atOnce, 'leave s0'],
	['after 1, 2, 4 minutes', [...proven, ...failing, pass(22.9, 23)], 'delete a, '.repeat(3)],
	['for a day if it fails', [...proven, fail('a', 16), ...lost], 'leave a'],
	[
		'left by unpublishing',
		[first, unpublish(1), fail('a', 1), start('b', 2)],
		'delete a, delete a',
	],
	['not of another address', [start('a', 0), move('b', 1), deliver('b', 2), pass(16)], 'leave a'],
])('deletes an old subscription %s', (_what, ...row) => expectDone(...row));

/** A renewal whose saving is told so many minutes later. */
const renewed = (minutes: number): Step[] => [start('a', 0), renew('b', 5), saved(5 + minutes)];
const late = [1, 11, 21].reduce(
	(before, n) => [...before, renew(`s${n}`, n), saved(n + 0.2), pass(n + 9.2)],
	[first],
);
const retried = [saved(5, 1), pass(5.9, 6, 7.9, 8, 11.9, 12), saved(12)];
/** The address doesn't have it, then it does, or another n8n responds there. */
const gone = [...restarted, pass(16), elsewhere(16), saved(16)];
const found = [...gone, pass(16.1), here(16.1), pass(25.1)];
const other = [...gone, elsewhere(17), pass(26.9, 27)];
const foreign = [...denied, pass(16), elsewhere(16), pass(16)];

test.each<[string, Step[], string]>([
	[
		'again after 1, 2, 4 minutes until it is done',
		[...fresh, ...retried],
		'save, save, save, save',
	],
	['the end of a search at once', [...proven, searched(62), pass(3)], 'save'],
	['in three seconds, and keeps it', [...renewed(0.05), pass(7)], 'save'],
	['in twelve, and renews it', [...renewed(0.2), pass(14.1, 14.2)], 'save, ask, create'],
	[
		'in twelve, and keeps it if it delivers',
		[...fresh, deliver('b', 5.1), saved(5.2), pass(7)],
		'save',
	],
	['in twelve each time, and renews it twice', late, `${'save, ask, create, '.repeat(2)}save, ask`],
	[
		'again if it was lost, and renews it before the old one goes',
		found,
		'ask, save, ask, ask, create',
	],
	['once more if another n8n responds, and asks every ten minutes', other, 'ask, save, ask'],
	['no more, and deletes its own there', [...two, ...foreign], 'save, ask, delete a, delete a'],
	['no more, and deletes nothing else there', [...restarted, ...foreign], 'save, ask'],
])('saves a subscription %s', (_what, ...row) => expectDone(...row));

const thrice = [refuse(1), pass(1.9, 2), refuse(2), pass(3.9, 4), refuse(4), pass(7.9, 8)];
const doubts = [doubt(1), doubt(3), pass(9, 9.9)];
const doubted = [refuse(1), doubt(1), refuse(2), deliver('a', 2)];
const changed = [changeCredential(1), ...doubted];

test.each<[string, Step[], string]>([
	['after silence', [start('a', 0), deliver('a', 1), pass(DAY, DAY + 1)], 'create'],
	['also if its address responds', [start('a', 0), here(9), pass(DAY)], 'create'],
	['also if the one before delivers', [...two, deliver('a', 9), pass(DAY + 1)], 'ask, create'],
	['if the clock was set back', [start('a', 9 * DAY), pass(8 * DAY)], 'create'],
	['after 1, 2, 4 minutes', [start('a', 0), deliver('a', 0), ...thrice], 'create, '.repeat(3)],
	['once an hour after many refusals', [boot(0), ...refusals, pass(259.9, 260)], 'ask, create'],
	['no sooner for silence', [boot(0), create('a', -DAY), ...refusals, pass(259)], ''],
	['nothing if there is none', [boot(0), pass(DAY, 3 * DAY)], ''],
	['ten minutes after a late response', [first, ...doubts, nobody(9.9), pass(10)], 'create'],
	['not after a delivery', [start('a', 0), doubt(1), ...doubted, pass(99)], ''],
	// The new workspace has none.
	['after a delivery if the credential changed', [first, ...changed, pass(3.9, 4)], 'save, create'],
	['nothing in a process that could not start it', [...two, otherProcess, pass(16, 3 * DAY)], ''],
])('renews %s', (_what, ...row) => expectDone(...row));

test.each<[string, Step[], string]>([
	['all', [...proven, unpublish(3)], 'delete a b'],
	['none twice', [...proven, remove('a', 3), unpublish(4)], 'delete b'],
	['all where nobody responds', [...two, crash, nobody(3), unpublish(3)], 'delete a b'],
	['all before the address was asked', [...two, crash, unpublish(3)], 'delete a b'],
	['its own next to others', [...restarted, ...denied, unpublish(5)], 'save, leave a, delete b'],
	['nothing of the original', [...earlier, probe('yes', 1, false), unpublish(1)], 'save, leave a'],
	['all at its own address', [...earlier, probe('no', 1), unpublish(1)], 'save, delete a'],
	['what it finds where it responds', [...earlier, here(1), unpublish(1)], 'delete a'],
	[
		'nothing that came twice',
		[...earlier, start('a', 1), elsewhere(1), unpublish(1)],
		'save, leave a',
	],
	['none of another address', [start('a', 0), move('b', 1), unpublish(2)], 'leave a, delete b'],
])('unpublishing deletes %s', (_what, ...row) => expectDone(...row));

test.each<[string, number, Step[], string]>([
	['of a deleted one during its overlap', 15, [...proven, remove('a', 3)], 'b a'],
	['not after it', 16, [...proven, remove('a', 3), pass(16)], 'b'],
	['of an unpublished one', 15, [start('a', 0), unpublish(1), remove('a', 1)], 'a'],
	['of one that made room, for 15 minutes', 17, [start('a', 0), remove('a', 3)], 'a'],
	['not for years', 15, [start('a', DAY), start('b', DAY), remove('a', DAY), boot(0)], 'b'],
	['once of one that the service returned again', 1, [start('a', 0), start('a', 1)], 'a'],
])('deliveries count %s', (_what, minute, all, ids) => {
	expect(namesOf(accepted(after(...all).saved, minute * MINUTE))).toBe(ids);
});

const again = [...earlier, boot(1)];

test.each<[string, 'address' | 'limit' | 'person', number, Step[], string]>([
	['all of the address', 'address', 3, proven, 'a b'],
	['nothing of an earlier process before it asked', 'address', 3, again, ''],
	['nothing of it while nobody responds', 'address', 3, [...again, probe('none', 1)], ''],
	['nothing of another n8n', 'address', 3, [...again, elsewhere(1)], ''],
	['all if the address is its own', 'address', 99, [...again, probe('yes', 1)], 'a'],
	['what it made itself', 'address', 3, [...two, boot(2), elsewhere(2)], 'a b'],
	['nothing of another address', 'address', 3, [start('a', 0), move('b', 1)], 'b'],
	['the oldest previous one at a limit', 'limit', 3, proven, 'a'],
	['not the current one at a limit', 'limit', 3, [start('a', 0)], ''],
	['the current one at a limit after silence', 'limit', DAY, [start('a', 0)], 'a'],
	['to a person, all where nobody responds', 'person', 1, [...again, probe('none', 1)], 'a'],
	['to a person, all where it responds itself', 'person', 1, [...again, probe('no', 1)], 'a'],
	['to a person, nothing of another n8n', 'person', 1, [...again, elsewhere(1)], ''],
])('gives way to a new one: %s', (_what, why, minute, all, ids) => {
	const isPublishing = why === 'person';
	const want = { reason: isPublishing ? 'address' : why, isPublishing } as const;
	expect(namesOf(rules.roomFor(after(...all), want, SILENCE, minute * MINUTE))).toBe(ids);
});

test('a search that failed is tried again after 1, 2 and 4 minutes, and none is due twice', () => {
	let state = after(...two);
	let now = MINUTE + 5_000;
	expect(rules.dueSearch(state, now - 1)).toBeUndefined();
	for (const minutes of [1, 2, 4]) {
		const failed = state.search;
		const due = { cardId: null, from: 0, to: 62_000, isWhole: true };
		expect(rules.dueSearch(state, now)).toEqual(due);
		state = rules.onSearching(state, { now });
		expect(rules.dueSearch(state, now + 99 * MINUTE)).toBeUndefined();
		state = rules.onSearchFailed(state, { failed, now });
		expect(rules.dueSearch(state, now + minutes * MINUTE - 1)).toBeUndefined();
		now += minutes * MINUTE;
	}
});

test.each<[string, Step]>([
	['a start', boot(0)],
	['a creation', create('c', 0)],
	['a deletion', remove('a', 0)],
	['a search', searched(62)],
	['unpublishing', unpublish(0)],
])('%s counts more than what was saved before, also if the clock was set back', (_what, step) => {
	const before = after(...proven);
	expect(step(before).saved.version).toBeGreaterThan(before.saved.version);
});

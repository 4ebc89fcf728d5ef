/** The rules of the trigger, in worlds of n8n and the service: whatever happens, they come to rest, and no other n8n is harmed. */
import fc from 'fast-check';
import { cases } from '../../../support/cases';
import {
	abandoned,
	type Change,
	dueDeletions,
	INITIAL,
	isToAsk,
	isToRenew,
	isToSave,
	onCreated,
	onDeleted,
	onDelivered,
	onPassed,
	onPlanned,
	onProbed,
	onRead,
	onRefused,
	onSaved,
	onSaving,
	onSearched,
	onStarted,
	onUnpublished,
	type ProbeResult,
	roomFor,
	type SubscriptionState,
} from '../../../../nodes/WorkspaceData/model/subscription/reducer';
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
	refuse: (world: World) => (world.refuses += 1),
	loseAnswer: (world: World) => (world.losesAnswers += world.options.onePerAddress ? 0 : 1),
	loseDeletion: (world: World) => (world.losesDeletions += 1),
	loseSearch: (world: World) => (world.losesSearches += 1),
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

type Step = (state: SubscriptionState) => SubscriptionState;

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
	<Given>(change: Change<Given>, given: Given & { now: number }): Step =>
	(before) => {
		const state = change(before, given);
		note('leave', abandoned(before, state));
		return state;
	};
const deleteDue =
	(now: number): Step =>
	(state) => {
		note('delete', dueDeletions(state, now));
		return state;
	};
const save =
	(now: number): Step =>
	(state) => {
		if (!isToSave(state, now)) return state;
		done.push('save');
		return onSaving(state, { now });
	};
const search: Step = (state) => {
	if (!state.search) return state;
	const { from, to, isWhole } = state.search;
	done.push(`search ${from / 1_000}-${to / 1_000}${isWhole ? '' : ' with gaps'}`);
	return state;
};

// What happens, and at which minute.
const boot =
	(minute: number, address = ADDRESS): Step =>
	(state) => {
		const stored = state.saved;
		const now = minute * MINUTE;
		return by(onStarted, { address, stored, mark: 'm', overlapMs: OVERLAP, now })(state);
	};
const create =
	(id: string, minute: number, cardId: string | null = null, savedByHook = true): Step =>
	(state) => {
		const now = minute * MINUTE;
		const place = { targetUrl: state.address ?? '', workspaceId: 'w', cardId };
		const subscription = { id, secret: 's', since: now, ...place };
		const created = by(onCreated, { subscription, mark: 'm', savedByHook, now });
		return inTurn(created, search, deleteDue(now), save(now))(state);
	};
const start = (id: string, minute: number, cardId?: string): Step =>
	inTurn(boot(minute), create(id, minute, cardId));
const renew = (id: string, minute: number): Step => create(id, minute, null, false);
const move = (id: string, minute: number): Step =>
	inTurn(boot(minute, 'https://new'), create(id, minute));
const refuse = (minute: number): Step => by(onRefused, { isDemanded: false, now: minute * MINUTE });
const plan = (minute: number, isDemanded = false): Step =>
	by(onPlanned, { delayMs: 0, isDemanded, now: minute * MINUTE });
/** n8n looks. Where it asks the address, the response is the next step. */
const passTo =
	(minute: number): Step =>
	(before) => {
		const now = minute * MINUTE;
		const state = by(onPassed, { now })(before);
		const asks = isToAsk(state, now);
		if (asks) done.push('ask');
		if (isToRenew(state, SILENCE, now)) done.push('create');
		else if (!asks) deleteDue(now)(state);
		return save(now)(state);
	};
const pass = (...minutes: number[]): Step => inTurn(...minutes.map(passTo));
const probe = (result: ProbeResult, minute: number, isOurs = true): Step => {
	const now = minute * MINUTE;
	return inTurn(by(onProbed, { result, isOurs, now }), deleteDue(now), save(now));
};
const deliver = (id: string, minute: number): Step => by(onDelivered, { id, now: minute * MINUTE });
const saved =
	(minute: number, older = 0): Step =>
	(state) =>
		by(onSaved, { version: state.saved.version - older, now: minute * MINUTE })(state);
const remove = (id: string, minute: number): Step =>
	by(onDeleted, { id, isDone: true, now: minute * MINUTE });
const fail = (id: string, minute: number): Step =>
	by(onDeleted, { id, isDone: false, now: minute * MINUTE });
const searched = (seconds: number): Step =>
	by(onSearched, { to: seconds * 1_000, now: 3 * MINUTE });
const unpublish = (minute: number): Step =>
	inTurn(by(onUnpublished, { now: minute * MINUTE }), deleteDue(minute * MINUTE));
/** Another process knows only what is saved. */
const otherProcess: Step = ({ saved: stored }) => by(onRead, { stored, now: 0 })(INITIAL);
const crash: Step = ({ saved: stored }) =>
	by(onRead, { stored, address: ADDRESS, now: 0 })(INITIAL);
/** The address never has what is saved. */
const denied = [2, 3, 4].flatMap((minute) => [probe('no', minute), saved(minute)]);

const namesOf = (all: ReadonlyArray<{ id: string }>): string => all.map(({ id }) => id).join(' ');
const after = (...all: Step[]): SubscriptionState => inTurn(...all)(INITIAL);
function doneIn(all: Step[], isSearch: boolean): string {
	done = [];
	after(...all);
	return done.filter((one) => one.startsWith('search') === isSearch).join(', ');
}

const expectDone = (all: Step[], done: string): void => expect(doneIn(all, false)).toBe(done);

/** `b` has replaced `a`, whose overlap is over at minute 16. */
const two = [start('a', 0), start('b', 1)];
const proven = [...two, deliver('b', 2)];

test.each<[string, Step[], string]>([
	['nothing at first', [start('a', 0)], ''],
	['what no search completed', [...two, searched(62), start('c', 2)], 'search 0-62, search 62-122'],
	[
		'all again, with a note, if none was',
		[...two, start('c', 2)],
		'search 0-62, search 0-122 with gaps',
	],
	[
		'nothing twice if an older one ends last',
		[...two, searched(62), searched(9), start('c', 2)],
		'search 0-62, search 62-122',
	],
	[
		'what is in the same card',
		[start('a', 0), start('b', 1, 'x'), start('c', 2, 'x')],
		'search 60-122',
	],
	['nothing unpublished', [start('a', 0), unpublish(1), start('b', 2)], ''],
])('Catch Up searches %s', (_what, all, searches) => {
	expect(doneIn(all, true)).toBe(searches);
});

const DAY = 24 * 60;
const refusals = Array.from({ length: 12 }, () => refuse(1));

test.each<[string, Step[], string]>([
	['after its overlap', [...proven, pass(15, 16)], 'delete a'],
	['once', [...proven, pass(16), remove('a', 16), pass(17, 99)], 'delete a'],
	[
		'after it asked the address',
		[...two, pass(2), probe('yes', 2), pass(3, 15, 16), probe('yes', 16)],
		'ask, ask, delete a',
	],
	[
		'not while nobody responds there, and asks every ten minutes',
		[...two, pass(2), probe('none', 2), pass(3, 12, 16), probe('none', 16), pass(25, 26)],
		'ask, ask, ask',
	],
	[
		'after a delivery of it, which is a response',
		[...two, probe('none', 2), deliver('a', 3), pass(16)],
		'delete a',
	],
	[
		'not after one through another address',
		[
			start('a', 0),
			move('b', 1),
			move('c', 1),
			probe('none', 2),
			deliver('a', 3),
			deliver('x', 3),
			pass(16),
		],
		'leave a, ask',
	],
	[
		'after a delivery, also if nobody responds later',
		[...proven, probe('none', 3), pass(16)],
		'delete a',
	],
	[
		'before its overlap is over if five newer ones wait',
		[...[0, 1, 2, 3, 4, 5, 6].map((n) => start(`s${n}`, n)), deliver('s6', 7), pass(7)],
		'delete s0',
	],
	[
		'not at an unknown address, where it leaves the 21st',
		Array.from({ length: 22 }, (_, n) => start(`s${n}`, 0)),
		'leave s0',
	],
	[
		'again 1, 2, 4 minutes after a failure',
		[
			...proven,
			fail('a', 16),
			pass(16.9, 17),
			fail('a', 17),
			pass(18.9, 19),
			fail('a', 19),
			pass(22.9, 23),
		],
		'delete a, delete a, delete a',
	],
	[
		'for a day if it fails',
		[...proven, fail('a', 16), deliver('b', DAY), fail('a', DAY + 15), pass(DAY + 16, DAY + 16.1)],
		'leave a',
	],
	[
		'at publishing if it failed at unpublishing',
		[start('a', 0), unpublish(1), fail('a', 1), start('b', 2)],
		'delete a, delete a',
	],
	[
		'not if it has another address',
		[start('a', 0), move('b', 1), deliver('b', 2), pass(15, 16, 17)],
		'leave a',
	],
])('deletes an old subscription %s', (_what, ...row) => expectDone(...row));

test.each<[string, Step[], string]>([
	[
		'again after 1, 1, 2 minutes until it is done',
		[
			start('a', 0),
			renew('b', 5),
			saved(5, 1),
			pass(5.9, 6, 6.9, 7, 8, 8.9, 9),
			saved(9),
			pass(9.5),
		],
		'save, ask, save, ask, save, ask, save, ask',
	],
	[
		'before it asks the address',
		[start('a', 0), renew('b', 5), pass(5.5), saved(5.05), pass(5.6)],
		'save, ask',
	],
	['the end of a search at once', [...proven, searched(62), pass(3)], 'save'],
	[
		'in three seconds, and keeps it',
		[start('a', 0), renew('b', 5), saved(5.05), probe('yes', 6), pass(6.25)],
		'save',
	],
	[
		'in twelve, and renews it: it may be paused',
		[start('a', 0), renew('b', 5), saved(5.2), probe('yes', 6), pass(6.2, 6.25)],
		'save, create',
	],
	[
		'in twelve each time, and renews it three times',
		[
			start('a', 0),
			...[1, 3, 5, 7].flatMap((n) => [
				renew(`s${n}`, n),
				saved(n + 0.2),
				probe('yes', n + 0.5),
				pass(n + 1.6),
			]),
		],
		'save, create, save, create, save, create, save',
	],
	[
		'after it was asked for, and renews it',
		[start('a', 0), renew('b', 5), probe('no', 5), saved(5), probe('yes', 6), pass(6, 6.25)],
		'save, create',
	],
	[
		'again if the address lost it, and renews it before the old one goes',
		[...two, probe('no', 15), saved(15), probe('yes', 16), pass(16, 16.25)],
		'save, create',
	],
	[
		'twice more if another n8n responds there',
		[start('a', 0), ...denied, pass(5, 15)],
		'save, save',
	],
	[
		'no more, and deletes its own there',
		[...two, ...denied, pass(16), probe('no', 16)],
		'save, save, ask, delete a',
	],
	[
		'no more, and deletes nothing else there',
		[start('a', 0), crash, start('b', 1), ...denied, pass(16), probe('no', 16), pass(17)],
		'save, save, ask',
	],
])('saves a subscription %s', (_what, ...row) => expectDone(...row));

test.each<[string, Step[], string]>([
	['after silence', [start('a', 0), deliver('a', 1), pass(DAY, DAY + 1)], 'create'],
	['also if its address responds', [start('a', 0), probe('yes', 9), pass(DAY)], 'create'],
	[
		'after silence if the clock was set back',
		[start('a', 9 * DAY), deliver('a', 9 * DAY), pass(8 * DAY)],
		'create',
	],
	[
		'again 15, 30, 60 seconds after a refusal',
		[
			start('a', 0),
			deliver('a', 0),
			refuse(1),
			pass(1.2, 1.25),
			refuse(1.25),
			pass(1.7, 1.75),
			refuse(1.75),
			pass(2.7, 2.75),
		],
		'create, create, create',
	],
	['once an hour after many refusals', [boot(0), ...refusals, pass(60.9, 61)], 'create'],
	[
		'no sooner for silence after refusals',
		[boot(0), create('a', -DAY), ...refusals, pass(60)],
		'ask',
	],
	['nothing if there is none', [boot(0), pass(DAY, 3 * DAY)], ''],
	[
		'ten minutes after a late response',
		[start('a', 0), plan(10), plan(12), pass(9), probe('yes', 9), pass(10)],
		'ask, create',
	],
	[
		'not after a delivery, whatever was refused before',
		[start('a', 0), plan(1), refuse(1), plan(20), refuse(2), deliver('a', 3), pass(99)],
		'',
	],
	[
		'after a delivery if the credential changed: the new workspace has none',
		[
			start('a', 0),
			plan(1, true),
			refuse(1),
			plan(20),
			refuse(2),
			deliver('a', 2),
			pass(2.2, 2.25),
		],
		'save, create',
	],
	[
		'nothing in a process that could not start it, which forgets nothing',
		[...two, otherProcess, pass(16, 3 * DAY)],
		'',
	],
])('renews %s', (_what, ...row) => expectDone(...row));

test.each<[string, Step[], string]>([
	['all', [...proven, unpublish(3)], 'delete a b'],
	['none twice', [...proven, remove('a', 3), unpublish(4)], 'delete b'],
	['all where nobody responds', [...two, crash, probe('none', 3), unpublish(3)], 'delete a b'],
	[
		'its own where another n8n responds',
		[start('a', 0), crash, start('b', 1), ...denied, unpublish(5)],
		'save, save, leave a, delete b',
	],
	[
		'its own before the address was asked',
		[start('a', 0), crash, start('b', 1), unpublish(1)],
		'leave a, delete b',
	],
	[
		'nothing because the original has the mark that it copied',
		[start('a', 0), crash, probe('yes', 1, false), unpublish(1)],
		'save, leave a',
	],
	[
		'what it finds at an address where it responds itself',
		[start('a', 0), crash, probe('yes', 1), unpublish(1)],
		'delete a',
	],
	[
		'nothing that the service returned once more',
		[start('a', 0), crash, start('a', 1), unpublish(1)],
		'leave a',
	],
	['none of another address', [start('a', 0), move('b', 1), unpublish(2)], 'leave a, delete b'],
])('unpublishing deletes %s', (_what, ...row) => expectDone(...row));

test.each<[string, number, Step[], string]>([
	['of a deleted one during its overlap', 15, [...proven, remove('a', 3)], 'b a'],
	['not after it', 16, [...proven, remove('a', 3), pass(16)], 'b'],
	['of an unpublished one', 15, [start('a', 0), unpublish(1), remove('a', 1)], 'a'],
	['of one that made room, for 15 minutes', 17, [start('a', 0), remove('a', 3)], 'a'],
	[
		'not for years if the clock was wrong',
		15,
		[start('a', DAY), start('b', DAY), remove('a', DAY), boot(0)],
		'b',
	],
	['once of one that the service returned again', 1, [start('a', 0), start('a', 1)], 'a'],
])('deliveries count %s', (_what, minute, all, ids) => {
	expect(namesOf(accepted(after(...all).saved, minute * MINUTE))).toBe(ids);
});

test.each<[string, 'address' | 'limit', number, Step[], string]>([
	['all of the address', 'address', 3, proven, 'a b'],
	['nothing of another n8n', 'address', 3, [start('a', 0), crash, boot(1)], ''],
	['nothing of another address', 'address', 3, [start('a', 0), move('b', 1)], 'b'],
	['nothing at a limit', 'limit', DAY, proven, ''],
	['the oldest after silence', 'limit', DAY + 2, proven, 'a'],
])('gives way to a new one: %s', (_what, reason, minute, all, ids) => {
	expect(namesOf(roomFor(after(...all), reason, SILENCE, minute * MINUTE))).toBe(ids);
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

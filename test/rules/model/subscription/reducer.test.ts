/** The rules of the trigger, in worlds of n8n and the service: whatever happens, they come to rest, and no other n8n is harmed. */
import fc from 'fast-check';
import { cases } from '../../../support/cases';
import {
	INITIAL,
	onCreated,
	onDelivered,
	onPassed,
	onPlanned,
	onProbed,
	onRead,
	onRefused,
	onSaved,
	onStarted,
	type Outcome,
	type SubscriptionState,
} from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import { NOTHING_SAVED } from '../../../../nodes/WorkspaceData/model/subscription/saved';
import { MINUTE, type Mutation, type Options, OVERLAP, SILENCE, World } from './world';

const RUNS = cases(1_000).numRuns;

const REGULAR: Options = {
	onePerAddress: false,
	limit: 100,
	queueMode: false,
	blindWorkers: false,
};

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

type Step = keyof typeof steps;
const histories = fc.array(fc.constantFrom(...(Object.keys(steps) as Step[])), { maxLength: 25 });
const options = fc.record({
	onePerAddress: fc.boolean(),
	limit: fc.constantFrom(3, 100, 100),
	queueMode: fc.boolean(),
	blindWorkers: fc.boolean(),
});

function play(chosen: Options, history: readonly Step[], mutation?: Mutation): World {
	const world = new World(chosen, mutation);
	world.start(world.production, true);
	for (const step of history) steps[step](world);
	return world;
}

test("in any history no copy deletes what isn't its own, and one subscription delivers in the end", () => {
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
			if (isFree) expect(world.executed).toContain(world.happened.at(-1));
		}),
		{ numRuns: RUNS },
	);
});

const copied: Step[] = ['copy', 'overlap', 'minute'];
const written: Step[] = ['kill', 'refuse', 'start', 'writeBack', 'minute', 'minute'];
test.each<[string, Mutation, Partial<Options>, Step[]]>([
	['P1: a copy that takes every response for its own', { believesEveryAnswer: true }, {}, copied],
	['P1: a copy that asks nobody', { asksNobody: true }, {}, copied],
	[
		"P1: a copy that couldn't start and takes the original's mark for its own",
		{ believesEveryMark: true },
		{},
		['copyThatCannotStart', 'unpublishCopy'],
	],
	[
		'P1: a copy for which all gives way',
		{ makesRoomAlways: true },
		{ onePerAddress: true },
		['copy'],
	],
	[
		'C5: an old copy is written back, nobody asks',
		{ asksNobody: true },
		{ queueMode: true },
		written,
	],
])('the world finds %s', (_name, mutation, chosen, history) => {
	expect(() => play({ ...REGULAR, ...chosen }, history, mutation)).toThrow();
	expect(() => play({ ...REGULAR, ...chosen }, history)).not.toThrow();
});

const subscription = {
	...{ id: 's1', secret: 's', targetUrl: 'https://n8n', workspaceId: 'w', cardId: null },
	...{ since: 0, clockAheadMs: 0 },
};
const address = subscription.targetUrl;
const stored = { ...NOTHING_SAVED, current: subscription, version: 1 };
const started = { address, stored, mark: 'm', overlapMs: OVERLAP, now: 0 };
const after = (...happened: Array<(state: SubscriptionState) => Outcome>) =>
	happened.reduce((state, step) => step(state).state, INITIAL);

describe('a renewal that the service refuses, when the subscription delivers again', () => {
	/** Planned at a minute, refused twice, then the current one delivers. */
	const renewalAfter = (isDemanded: boolean) =>
		after(
			(state) => onStarted(state, started),
			(state) => onPlanned(state, { at: MINUTE, isDemanded }),
			(state) => onRefused(state, { isDemanded: false, now: MINUTE }),
			(state) => onPlanned(state, { at: 20 * MINUTE, isDemanded: false }),
			(state) => onRefused(state, { isDemanded: false, now: 2 * MINUTE }),
			(state) => onDelivered(state, { id: 's1', now: 3 * MINUTE }),
		).renewal.at;

	test('is called off if a response was late (K12)', () => {
		expect(renewalAfter(false)).toBe(Infinity);
	});

	test('is tried again if the credential changed: the new workspace has none yet (K15)', () => {
		expect(renewalAfter(true)).toBeLessThan(5 * MINUTE);
	});
});

// Its deliveries were refused until then, which may have paused it at the service.
test.each([
	[4, false],
	[20, true],
])('a subscription that is saved after %i s is renewed once more: %s', (seconds, isRenewed) => {
	const { renewal } = after(
		(state) => onStarted(state, { ...started, stored: NOTHING_SAVED }),
		(state) => onCreated(state, { subscription, savedByHook: false, mark: 'm', now: 0 }),
		(state) => onSaved(state, { version: state.saved.version, now: seconds * 1_000 }),
		(state) => onProbed(state, { result: 'yes', isOurs: true, now: MINUTE }),
	);
	expect(renewal.at < Infinity).toBe(isRenewed);
});

test('a delivery that comes while nobody responds at the address proves it', () => {
	const end = after(
		(state) => onStarted(state, { ...started, stored: NOTHING_SAVED }),
		(state) => onCreated(state, { subscription, savedByHook: true, mark: 'm', now: 0 }),
		(state) => onDelivered(state, { id: 's1', now: 1 }),
		(state) => onProbed(state, { result: 'none', isOurs: false, now: 2 }),
	);
	expect(end.standing).toBe('mine');
});

test("a process that couldn't start the node forgets no subscription that is to be deleted (P9)", () => {
	const old = {
		id: 's1',
		secret: 's',
		targetUrl: 'https://n8n',
		workspaceId: 'w',
		cardId: null,
		since: 0,
		clockAheadMs: 0,
		deleteAt: 0,
	};
	const stored = { ...NOTHING_SAVED, previous: [old], version: 1 };
	const end = after(
		(state) => onRead(state, { stored }),
		(state) => onPassed(state, { silenceMs: SILENCE, now: OVERLAP }),
	);
	expect(end.saved).toEqual(stored);
});

/** The rules for a node's subscriptions, driven through thousands of sequences of what can happen. */
import fc from 'fast-check';
import { NO_SUBSCRIPTIONS } from '../../../../nodes/WorkspaceData/model/subscription/stored';
import { type ProbeWay, SILENCE_MS } from './simulatedN8n';
import { type Mutation, World, type WorldOptions } from './subscriptionModel';

/** A command is a step of the world, with a name for the counter-example. */
class Step implements fc.Command<object, World> {
	private readonly name: string;

	private readonly step: (world: World) => void;

	constructor(name: string, step: (world: World) => void) {
		this.name = name;
		this.step = step;
	}

	check(): boolean {
		return true;
	}

	run(_model: object, world: World): void {
		this.step(world);
		expect(world.lost).toEqual([]);
	}

	toString(): string {
		return this.name;
	}
}

const step = (name: string, run: (world: World) => void) => fc.constant(new Step(name, run));
const minutes = fc.constantFrom(0.1, 0.5, 1, 5, 14, 16, 70);

const steps = [
	minutes.map((n) => new Step(`${n} min pass`, (world) => world.pass(n * 60_000))),
	fc
		.constant(SILENCE_MS + 60_000)
		.map((ms) => new Step('a day passes', (world) => world.pass(ms, 300_000))),
	step('an event', (world) => void world.event()),
	step('a job runs', (world) => world.n8n.runJob()),
	step('a job fails', (world) => world.n8n.failJob()),
	step('the end of the next job is not heard', (world) => world.n8n.missEnd()),
	step('a long execution begins', (world) => world.n8n.beginLong()),
	step('it ends', (world) => world.n8n.endLong()),
	step('n8n is killed', (world) => world.n8n.kill()),
	step('n8n starts', (world) => world.n8n.start()),
	step('publish', (world) => world.n8n.start(world.n8n.original, true)),
	step('unpublish', (world) => world.n8n.unpublish()),
	fc
		.constantFrom(400, 401, 403, 404, 422, 500)
		.map(
			(status) =>
				new Step(`the next is refused with ${status}`, (world) => world.service.refuse(status)),
		),
	step('the next answer is lost', (world) => world.service.loseAnswer()),
	step('the next deletion fails', (world) => world.service.loseDeletion()),
	fc
		.constantFrom<ProbeWay>('lost', 'hangs', 'slowThere', 'slowBack')
		.map((way) => new Step(`the next probe: ${way}`, (world) => world.n8n.delayProbe(way))),
	step('a slow probe is answered', (world) => world.n8n.answerProbe()),
	step('a copy starts elsewhere', (world) => world.n8n.copy()),
	fc
		.constantFrom(-3, 0, 3, 10 * 365 * 24)
		.map(
			(hours) =>
				new Step(`n8n's clock is ${hours} h ahead`, (world) =>
					world.n8n.setClock(hours * 3_600_000),
				),
		),
	step('n8n answers late', (world) => world.n8n.answerLate(true)),
	step('n8n answers in time', (world) => world.n8n.answerLate(false)),
	step('n8n is off for eight days', (world) => world.sleep(8 * 24 * 3_600_000)),
];

const WORLDS: WorldOptions[] = [
	{ queueMode: false, processors: 0, onePerAddress: false, prompt: true },
	{ queueMode: false, processors: 0, onePerAddress: false, prompt: false },
	{ queueMode: false, processors: 0, onePerAddress: true, prompt: false },
	{ queueMode: true, processors: 0, onePerAddress: false, prompt: false },
	{ queueMode: true, processors: 1, onePerAddress: false, prompt: false },
	{ queueMode: true, processors: 2, onePerAddress: false, prompt: false },
	{ queueMode: true, processors: 2, onePerAddress: false, prompt: true },
	{ queueMode: true, processors: 2, onePerAddress: false, prompt: false, blindWorkers: true },
	{ queueMode: true, processors: 1, onePerAddress: false, prompt: true, blindWorkers: true },
	{
		queueMode: true,
		processors: 1,
		onePerAddress: false,
		prompt: true,
		blindWorkers: true,
		probesWork: true,
	},
	{
		queueMode: true,
		processors: 2,
		onePerAddress: false,
		prompt: false,
		blindWorkers: true,
		probesWork: true,
	},
];
const property = fc.property(
	fc.constantFrom(...WORLDS),
	fc.commands(steps, { size: '+1', maxCommands: 40 }),
	(options, commands) => {
		const world = new World(options);
		world.n8n.start(world.n8n.original, true);
		fc.modelRun(() => ({ model: {}, real: world }), commands);
		world.comeToRest();
		expect(world.lost).toEqual([]);
		expect(world.live).toHaveLength(1);
		// Every event from now on has its execution.
		const event = world.event();
		world.pass(300_000);
		expect(world.n8n.executions.get(event)).toBeGreaterThanOrEqual(1);
		// A day without events costs a POST and a DELETE.
		const { calls } = world.service;
		const { saves } = world.n8n;
		world.pass(23 * 3_600_000, 300_000);
		expect(world.service.calls - calls).toBeLessThanOrEqual(2 * world.n8n.installations.length);
		// And an execution, as probes are answered now.
		expect(world.n8n.saves - saves).toBeLessThanOrEqual(world.n8n.installations.length);
	},
);

/** The same sequences in every run; `SUBSCRIPTION_SEED=$RANDOM npm run jest -- reducer` looks at others. */
const SEED = Number(process.env.SUBSCRIPTION_SEED ?? 20_261_121);

/** How many; `SUBSCRIPTION_RUNS=10000 npm run jest -- reducer` tries more. */
const RUNS = Number(process.env.SUBSCRIPTION_RUNS ?? 1_000);

test(`C3, C5, C6, C7 hold in ${RUNS} sequences of what can happen, seed ${SEED}`, () => {
	fc.assert(property, {
		numRuns: RUNS,
		seed: SEED,
		verbose: fc.VerbosityLevel.Verbose,
	});
}, 600_000);

const REGULAR: WorldOptions = {
	queueMode: false,
	processors: 0,
	onePerAddress: false,
	prompt: true,
};
const QUEUE: WorldOptions = { ...REGULAR, queueMode: true, processors: 1 };
const BLIND: WorldOptions = { ...QUEUE, blindWorkers: true, probesWork: true };

const aDay = (world: World) => world.pass(SILENCE_MS + 60_000, 300_000);

/** An old copy of the saved data is written back while a renewal is under way, and its probe is not answered. */
function writeBackUnderWay(world: World): void {
	aDay(world);
	world.n8n.runJob();
	world.pass(30_000);
	world.n8n.beginLong();
	world.n8n.failJob();
	world.n8n.delayProbe('lost');
	world.n8n.runJob();
	aDay(world);
}

/** An execution that ran long deletes the saved subscriptions before the overlap is over. */
function loseSaved(world: World): void {
	aDay(world);
	world.n8n.beginLong();
	world.pass(70 * 60_000);
}

/** Rules of 0.1.0, or ones that suggest themselves, each with the shortest story in which it does harm. */
const mutations: Array<[string, Mutation, WorldOptions, (world: World) => void]> = [
	[
		'C3: an event waits for a subscription that was not seen to deliver',
		{ leavesToNew: true },
		REGULAR,
		(world) => {
			world.n8n.kill();
			world.event();
			world.n8n.start();
			world.pass(6_000);
		},
	],
	[
		'C5: the saved data is not read back',
		{ readsNothingBack: true },
		{ ...QUEUE, prompt: false },
		writeBackUnderWay,
	],
	[
		'C5: a probe is verified against the memory of a process',
		{ probesMemory: true },
		BLIND,
		loseSaved,
	],
	[
		'C5: replaced subscriptions are deleted whatever becomes of a probe',
		{ believesAnyAnswer: true },
		BLIND,
		loseSaved,
	],
	[
		'C6: a copy of the database deletes the original’s subscription',
		{ deletesForeign: true },
		REGULAR,
		(world) => world.n8n.copy(),
	],
	[
		'C7: the old one gives way to any refusal',
		{ anyRefusalIsConflict: true },
		REGULAR,
		(world) => {
			world.service.refuse(400);
			aDay(world);
		},
	],
];

test.each(mutations)('the world finds %s', (_name, mutation, options, story) => {
	const tell = (world: World) => {
		world.n8n.start(world.n8n.original, true);
		story(world);
		if (world.lost.length > 0) throw new Error(`${world.lost.join(', ')} was lost`);
	};
	expect(() => tell(new World(options))).not.toThrow();
	expect(() => tell(new World(options, mutation))).toThrow(/was lost|was deleted/);
});

const DAYS = 10;
test.each(WORLDS)(
	'a silent day costs little, and the saved data does not grow, in %j',
	(options) => {
		const world = new World({ ...options, prompt: true });
		world.n8n.start(world.n8n.original, true);
		const { calls } = world.service;
		world.pass(DAYS * (SILENCE_MS + 3_600_000), 60_000);
		// A service that takes one subscription for an address refuses the first POST.
		const callsADay = options.onePerAddress ? 3 : 2;
		expect(world.service.calls - calls).toBeGreaterThanOrEqual((DAYS - 1) * callsADay);
		expect(world.service.calls - calls).toBeLessThanOrEqual(DAYS * callsADay);
		expect(world.n8n.saves).toBeLessThanOrEqual(DAYS);
		expect(world.n8n.original.database.retired.length).toBeLessThanOrEqual(1);
	},
);

test('C5 what others delete every five minutes is renewed after pauses that grow', () => {
	const world = new World({
		queueMode: true,
		processors: 2,
		onePerAddress: false,
		prompt: true,
		blindWorkers: true,
		probesWork: true,
	});
	world.n8n.start(world.n8n.original, true);
	world.pass(SILENCE_MS);
	const { calls } = world.service;
	const { saves } = world.n8n;
	for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
		world.n8n.original.database = NO_SUBSCRIPTIONS;
		world.pass(300_000);
	}
	// About once in 75 minutes: an hour's pause and the overlap.
	expect(world.service.calls - calls).toBeLessThanOrEqual(2 * 30);
	expect(world.n8n.saves - saves).toBeLessThanOrEqual(2 * 30);
});

test.each(WORLDS.filter(({ queueMode }) => queueMode))(
	'G12 ends that are not heard delay saving by half a minute, one minute, two, in %j',
	(options) => {
		const world = new World({ ...options, prompt: true });
		world.n8n.start(world.n8n.original, true);
		for (let n = 0; n < 3; n += 1) world.n8n.missEnd();
		const { saves } = world.n8n;
		world.pass(SILENCE_MS);
		const trusted = () => world.n8n.original.main?.set.trust !== 'no';
		expect([trusted(), world.n8n.saves - saves]).toEqual([false, 1]);
		for (const [seconds, more] of [
			[30, 2],
			[60, 3],
		] as const) {
			world.pass(seconds * 1_000);
			expect([trusted(), world.n8n.saves - saves]).toEqual([false, more]);
		}
		world.pass(120_000);
		expect([trusted(), world.n8n.saves - saves]).toEqual([true, 4]);
		world.pass(2 * 3_600_000);
		expect(world.live).toHaveLength(1);
	},
);

/** The limit of requests at once, against services of many kinds, in simulated time. */
import fc from 'fast-check';
import {
	atOnce,
	MAX_PARALLEL,
	MAX_UNTOLD,
	requestEnded,
	requestSent,
	START,
	unknownParallelism,
	type Outcome,
	type Parallelism,
} from '../../../../nodes/WorkspaceData/transport/http/parallelism';

/** A service that works on so many requests at once; the others wait. */
interface Service {
	capacity: number;
	/** Time that a request takes, in ms, at a time since the start; `chance` is from 0 to 1. */
	takes(now: number, chance: number): number;
	told: boolean;
	/** The outcome of a request; undefined: nothing special. */
	fails?(now: number, underWay: number): boolean;
}

/** A plain pseudo-random sequence: the same run for the same seed. */
function chances(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/**
 * Sends requests to a service, as many at once as the limit says.
 *
 * @param fixed a limit that stays, in place of the model's
 */
function simulate(
	service: Service,
	count: number,
	{ fixed, seed = 1 }: { fixed?: number; seed?: number } = {},
) {
	const chance = chances(seed);
	let state = unknownParallelism(0);
	let now = 0;
	let left = count;
	let underWay = 0;
	/** When each of the service's hands is free. */
	const free = new Array<number>(service.capacity).fill(0);
	const answers: Array<{ at: number; sentAt: number; number: number; failed: boolean }> = [];
	const history: Array<{ now: number; limit: number; underWay: number; state: Parallelism }> = [];
	while (left > 0 || answers.length > 0) {
		while (left > 0 && underWay < (fixed ?? atOnce(state))) {
			const number = state.next;
			state = requestSent(state);
			left -= 1;
			underWay += 1;
			const failed = service.fails?.(now, underWay) ?? false;
			free.sort((a, b) => a - b);
			const at = failed ? now + 1 : Math.max(now, free[0] ?? 0) + service.takes(now, chance());
			if (!failed) free[0] = at;
			answers.push({ at, sentAt: now, number, failed });
		}
		answers.sort((a, b) => a.at - b.at);
		const answer = answers.shift();
		if (!answer) break;
		now = answer.at;
		underWay -= 1;
		const outcome: Outcome = {
			number: answer.number,
			kind: 'POST',
			ms: now - answer.sentAt,
			how: answer.failed ? 'overloaded' : 'answered',
			told: service.told,
		};
		state = requestEnded(state, outcome, now);
		history.push({ now, limit: state.limit, underWay, state });
	}
	return { ms: now, history, state };
}

const steady = (capacity: number, ms: number, told: boolean, jitter = 0): Service => ({
	capacity,
	takes: (_, chance) => ms * (1 + jitter * chance),
	told,
});
const ceilingOf = ({ told }: Service): number => (told ? MAX_PARALLEL : MAX_UNTOLD);
const bestFixed = (service: Service, count: number): number =>
	Math.min(
		...[service.capacity, 8, 16, 32, 64]
			.filter((fixed) => fixed <= ceilingOf(service))
			.map((fixed) => simulate(service, count, { fixed }).ms),
	);

test('starts at 4, and doubles with each round of answers while none is slow', () => {
	const { history } = simulate(steady(1_000, 50, true), 500);
	const limits = [...new Set(history.map(({ limit }) => limit))];
	expect(atOnce(unknownParallelism(0))).toBe(START);
	expect(limits).toEqual([START, 8, 16, 32, MAX_PARALLEL]);
	expect(history.find(({ limit }) => limit === MAX_PARALLEL)?.now).toBeLessThanOrEqual(5 * 50);
});

test('a service that does not tell how many it allows gets at most 16 at once', () => {
	const { history } = simulate(steady(1_000, 50, false), 500);
	expect(Math.max(...history.map(({ limit }) => limit))).toBe(MAX_UNTOLD);
});

test('a service that stops telling is taken back to 16 with the first such answer', () => {
	let state = simulate(steady(1_000, 50, true), 500).state;
	expect(state.limit).toBe(MAX_PARALLEL);
	const { next: number } = state;
	state = requestSent(state);
	state = requestEnded(
		state,
		{ number, kind: 'POST', ms: 50, how: 'answered', told: false },
		9_000,
	);
	expect(atOnce(state)).toBe(MAX_UNTOLD);
});

test('any service: within the bounds, and nearly as quick as the best fixed number', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 80 }),
			fc.integer({ min: 1, max: 400 }),
			fc.boolean(),
			fc.double({ min: 0, max: 0.4, noNaN: true }),
			fc.integer({ min: 1, max: 1_000_000 }),
			(capacity, ms, told, jitter, seed) => {
				const service = steady(capacity, ms, told, jitter);
				const { ms: taken, history } = simulate(service, 600, { seed });
				for (const { limit, state } of history) {
					expect(limit).toBeGreaterThanOrEqual(START);
					expect(limit).toBeLessThanOrEqual(ceilingOf(service));
					expect(atOnce(state)).toBeGreaterThanOrEqual(1);
				}
				// Doubling from 4 to 64 takes four rounds.
				expect(taken).toBeLessThanOrEqual(1.15 * bestFixed(service, 600) + 5 * ms);
			},
		),
		{ numRuns: 30 },
	);
});

test('any service that tells: few requests wait for each other once the limit is known', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 40 }),
			fc.integer({ min: 5, max: 200 }),
			(capacity, ms) => {
				const { history } = simulate(steady(capacity, ms, true), 3_000);
				const settled = history.slice(Math.floor(history.length / 2));
				const most = Math.max(...settled.map(({ underWay }) => underWay));
				// TOLERANCE lets half as many wait as are worked on, and the root looks for more, one round late.
				expect(most).toBeLessThanOrEqual(
					Math.max(START + 4, 1.5 * capacity + 2 * Math.sqrt(MAX_PARALLEL)),
				);
			},
		),
		{ numRuns: 30 },
	);
});

test.each<Outcome['how']>(['overloaded'])(
	'%s: halves at once, and only once for all under way then',
	(how) => {
		let state = simulate(steady(1_000, 50, true), 500).state;
		const numbers: number[] = [];
		for (let n = 0; n < 60; n += 1) {
			numbers.push(state.next);
			state = requestSent(state);
		}
		const limits: number[] = [];
		for (const number of numbers) {
			state = requestEnded(state, { number, kind: 'POST', ms: 1, how, told: true }, 9_000);
			limits.push(atOnce(state));
		}
		expect(new Set(limits)).toEqual(new Set([MAX_PARALLEL / 2]));
		const again = state.next;
		state = requestEnded(
			requestSent(state),
			{ number: again, kind: 'POST', ms: 1, how, told: true },
			9_100,
		);
		expect(atOnce(state)).toBe(MAX_PARALLEL / 4);
	},
);

test('failures without end leave one at a time, and the first answers lead up again', () => {
	const service: Service = { ...steady(1_000, 50, true), fails: (now) => now < 200 };
	const { history } = simulate(service, 4_000);
	expect(Math.min(...history.map(({ limit }) => limit))).toBe(1);
	expect(history.at(-1)?.limit).toBe(MAX_PARALLEL);
});

test('a service that fails whenever more than 20 are under way: the others get through', () => {
	const service: Service = { ...steady(1_000, 50, true), fails: (_, underWay) => underWay > 20 };
	const { history, ms } = simulate(service, 4_000);
	const failed = history.filter(
		({ state }, place) => state.reducedFrom !== history[place - 1]?.state.reducedFrom,
	);
	expect(failed.length).toBeLessThan(4_000 / 20);
	// At 20 at once, all would take 10 s.
	expect(ms).toBeLessThan(20_000);
});

test('slow answers shrink the limit within a round, but not below 4', () => {
	const service: Service = {
		capacity: 1_000,
		told: true,
		takes: (now) => (now < 1_000 ? 50 : 500),
	};
	const { history } = simulate(service, 1_500);
	const before = history.filter(({ now }) => now < 1_000).at(-1);
	expect(before?.limit).toBe(MAX_PARALLEL);
	const after = history.filter(({ now }) => now > 1_600 && now < 2_700).map(({ limit }) => limit);
	expect(after[0]).toBeLessThanOrEqual(MAX_PARALLEL / 2 + 8);
	expect(Math.min(...after)).toBeGreaterThanOrEqual(START);
});

test('a service that stays slower is measured again, and gets as many requests as before', () => {
	const service: Service = {
		capacity: 1_000,
		told: true,
		takes: (now) => (now < 1_000 ? 20 : 100),
	};
	const { history } = simulate(service, 12_000);
	expect(history.at(-1)?.limit).toBe(MAX_PARALLEL);
	const settled = history.filter(({ now }) => now > 15_000).map(({ limit }) => limit);
	expect(settled.filter((limit) => limit < MAX_PARALLEL / 2).length).toBeLessThan(
		settled.length / 5,
	);
});

test('a service that becomes much slower gets as many requests again, in rounds and not in seconds', () => {
	const service: Service = { capacity: 1_000, told: true, takes: (now) => (now < 50 ? 1 : 50) };
	const { history, ms } = simulate(service, 4_000);
	expect(history.at(-1)?.limit).toBe(MAX_PARALLEL);
	expect(ms).toBeLessThan(8_000);
});

test('few requests at once prove nothing: the limit stays', () => {
	let state = unknownParallelism(0);
	for (let n = 0; n < 100; n += 1) {
		const number = state.next;
		state = requestSent(state);
		const outcome = {
			number,
			kind: 'GET',
			ms: 5 + (n % 9) * 40,
			how: 'answered',
			told: true,
		} as const;
		state = requestEnded(state, outcome, n * 300);
		expect(state.limit).toBe(START);
	}
});

test('a listing, with two requests under way and a slow one now and then, is never held up to measure', () => {
	let state = requestSent(unknownParallelism(0));
	for (let n = 0; n < 500; n += 1) {
		const number = state.next - 1;
		state = requestSent(state);
		const ms = n % 3 === 0 ? 30 : 6;
		state = requestEnded(state, { number, kind: 'GET', ms, how: 'answered', told: true }, n * 10);
		expect(atOnce(state)).toBe(START);
	}
});

test('kinds of request are compared with themselves: slow reads do not slow quick writes down', () => {
	let state = unknownParallelism(0);
	const kinds = { GET: 300, POST: 10 };
	for (let round = 0; round < 40; round += 1) {
		const numbers = Array.from({ length: atOnce(state) }, () => {
			const number = state.next;
			state = requestSent(state);
			return number;
		});
		const kind = round % 2 === 0 ? 'GET' : 'POST';
		for (const number of numbers) {
			state = requestEnded(
				state,
				{ number, kind, ms: kinds[kind], how: 'answered', told: true },
				round * 300,
			);
		}
	}
	expect(state.limit).toBe(MAX_PARALLEL);
});

test('memory is bounded, however many kinds exist', () => {
	let state = unknownParallelism(0);
	for (let n = 0; n < 1_000; n += 1) {
		const number = state.next;
		state = requestEnded(
			requestSent(state),
			{ number, kind: `kind ${n}`, ms: 5, how: 'answered', told: true },
			n,
		);
	}
	expect(state.quickest.size).toBeLessThanOrEqual(100);
});

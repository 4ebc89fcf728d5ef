/** The limit of requests at once, against services of many kinds, in simulated time. */
import fc from 'fast-check';
import {
	atOnce,
	MAX_PARALLEL,
	MAX_WITHOUT_LIMIT,
	requestEnded,
	requestSent,
	START,
	unknownParallelism,
	type Kind,
	type Outcome,
	type Parallelism,
	type Sent,
} from '../../../../nodes/WorkspaceData/transport/http/adaptiveLimit';
import { cases } from '../../../support/cases';

const READ: Kind = { write: false, repeatable: true };
const UPDATE: Kind = { write: true, repeatable: true };
const CREATE: Kind = { write: true, repeatable: false };
const MINUTE = 60_000;

/** A service that works on so many requests at once; the others wait. */
interface Service {
	capacity: number;
	/** Time that a request takes, in ms, at a time since the start; `chance` is from 0 to 1. */
	takes(now: number, chance: number): number;
	told: boolean;
	/** Whether it refuses a request; it is sent again then, if it can be. */
	refuses?(now: number, underWay: number): boolean;
}

/** A plain pseudo-random sequence: the same run for the same seed. */
function chances(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

interface Run {
	ms: number;
	state: Parallelism;
	/** Refusals, and the limit after each answer. */
	refused: number;
	history: Array<{ now: number; limit: number; underWay: number }>;
}

/**
 * Sends requests to a service, as many at once as the limit says.
 *
 * @param fixed a limit that stays, in place of the model's
 */
function simulate(
	service: Service,
	count: number,
	{
		kind = UPDATE,
		fixed,
		seed = 1,
		from = unknownParallelism,
		startsAt = 0,
	}: { kind?: Kind; fixed?: number; seed?: number; from?: Parallelism; startsAt?: number } = {},
): Run {
	const chance = chances(seed);
	let state = from;
	let now = startsAt;
	let left = count;
	let underWay = 0;
	let refused = 0;
	/** When each of the service's hands is free. */
	const free = new Array<number>(service.capacity).fill(0);
	const answers: Array<{ at: number; sent: Sent; isRefused: boolean }> = [];
	const history: Run['history'] = [];
	while (left > 0 || answers.length > 0) {
		while (left > 0 && underWay < (fixed ?? atOnce(state, kind, service.told, now))) {
			const started = requestSent(state, kind);
			state = started.state;
			left -= 1;
			underWay += 1;
			const isRefused = service.refuses?.(now, underWay) ?? false;
			free.sort((a, b) => a - b);
			const at = isRefused ? now + 1 : Math.max(now, free[0] ?? 0) + service.takes(now, chance());
			if (!isRefused) free[0] = at;
			answers.push({ at, sent: started.sent, isRefused });
		}
		answers.sort((a, b) => a.at - b.at);
		const answer = answers.shift();
		if (!answer) break;
		now = answer.at;
		underWay -= 1;
		if (answer.isRefused) {
			refused += 1;
			if (kind.repeatable) left += 1;
		}
		const outcome = answer.isRefused ? 'refused' : 'succeeded';
		state = requestEnded(state, answer.sent, outcome, service.told, now);
		history.push({ now, limit: state.limit, underWay });
	}
	return { ms: now - startsAt, history, state, refused };
}

const steady = (capacity: number, ms: number, told: boolean, jitter = 0): Service => ({
	capacity,
	takes: (_, chance) => ms * (1 + jitter * chance),
	told,
});
const refusing = (capacity: number, told: boolean): Service => ({
	...steady(1_000, 50, told),
	refuses: (_, underWay) => underWay > capacity,
});
const ceilingOf = ({ told }: Service): number => (told ? MAX_PARALLEL : MAX_WITHOUT_LIMIT);
const bestFixed = (service: Service, count: number): number =>
	Math.min(
		...[service.capacity, 8, 16, 32, 64]
			.filter((fixed) => fixed <= ceilingOf(service))
			.map((fixed) => simulate(service, count, { fixed }).ms),
	);
/** The state after so many updates that all succeeded. */
const learned = (service = steady(1_000, 50, true), count = 1_000): Parallelism =>
	simulate(service, count).state;

describe('requests that can be repeated', () => {
	test('start at 8, and double with each round of answers', () => {
		const { history } = simulate(steady(1_000, 50, true), 500);
		expect(atOnce(unknownParallelism, READ, true, 0)).toBe(START);
		expect(history.find(({ limit }) => limit === MAX_PARALLEL)?.now).toBeLessThanOrEqual(4 * 50);
	});

	test('a service that does not tell how many it allows gets at most 16 at once', () => {
		const { history } = simulate(steady(1_000, 50, false), 500);
		expect(Math.max(...history.map(({ limit }) => limit))).toBe(MAX_WITHOUT_LIMIT);
	});

	test('a service that stops telling gets 16 with the next request', () => {
		const state = learned();
		expect(atOnce(state, UPDATE, true, 9_000)).toBe(MAX_PARALLEL);
		expect(atOnce(state, UPDATE, false, 9_000)).toBe(MAX_WITHOUT_LIMIT);
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
					for (const { limit, underWay } of history) {
						expect(limit).toBeGreaterThanOrEqual(START);
						expect(limit).toBeLessThanOrEqual(ceilingOf(service));
						expect(underWay).toBeLessThanOrEqual(ceilingOf(service));
					}
					// Doubling from 8 to 64 takes three rounds.
					expect(taken).toBeLessThanOrEqual(1.05 * bestFixed(service, 600) + 4 * ms * (1 + jitter));
				},
			),
			cases(30),
		);
	});

	test.each([5, 10, 20, 40])(
		'a service that serves %d at once and refuses more: at most a quarter slower than the best fixed number',
		(capacity) => {
			const { ms, refused } = simulate(refusing(capacity, true), 4_000);
			expect(ms).toBeLessThanOrEqual(1.25 * ((4_000 / capacity) * 50));
			expect(refused).toBeLessThan(4_000 / 50);
		},
	);

	test('a level that failed is tried again after a minute, so more capacity is found', () => {
		const { state } = simulate(refusing(10, true), 500);
		const { history } = simulate(steady(1_000, 50, true), 20_000, { from: state, startsAt: 5_000 });
		const within = (from: number, to: number) =>
			history.filter(({ now }) => now >= from && now < to).map(({ limit }) => limit);
		expect(Math.max(...within(5_000, MINUTE))).toBeLessThanOrEqual(16);
		expect(Math.max(...within(MINUTE, 4 * MINUTE))).toBe(MAX_PARALLEL);
	});

	test('a service that becomes much slower gets as many requests as before', () => {
		const service: Service = { capacity: 1_000, told: true, takes: (now) => (now < 50 ? 1 : 50) };
		const { history, ms } = simulate(service, 4_000);
		expect(history.at(-1)?.limit).toBe(MAX_PARALLEL);
		expect(ms).toBeLessThan(4_000);
	});

	test('few requests at once prove nothing: the limit stays', () => {
		let state = unknownParallelism;
		for (let n = 0; n < 300; n += 1) {
			const first = requestSent(state, READ);
			const second = requestSent(first.state, READ);
			state = requestEnded(second.state, first.sent, 'succeeded', true, n * 10);
			state = requestEnded(state, second.sent, 'succeeded', true, n * 10 + 5);
			expect(state.limit).toBe(START);
		}
	});
});

describe('a refusal', () => {
	test('halves the limit, once for all requests that were under way', () => {
		let state = learned();
		const burst: Sent[] = [];
		for (let n = 0; n < MAX_PARALLEL; n += 1) {
			const started = requestSent(state, UPDATE);
			state = started.state;
			burst.push(started.sent);
		}
		const limits = burst.map((sent) => {
			state = requestEnded(state, sent, 'refused', true, 9_000);
			return state.limit;
		});
		expect(new Set(limits)).toEqual(new Set([MAX_PARALLEL / 2]));
		const again = requestSent(state, UPDATE);
		state = requestEnded(again.state, again.sent, 'refused', true, 9_100);
		expect(state.limit).toBeLessThanOrEqual(MAX_PARALLEL / 4);
	});

	test('that has another reason changes nothing', () => {
		for (const outcome of ['answered', 'unknown'] satisfies Outcome[]) {
			const { state, sent } = requestSent(unknownParallelism, CREATE);
			expect(requestEnded(state, sent, outcome, true, 0).limit).toBe(START);
		}
	});

	test('without end leaves one at a time, and answers lead up again', () => {
		const service: Service = { ...steady(1_000, 50, true), refuses: (now) => now < 200 };
		const { history } = simulate(service, 4_000);
		expect(Math.min(...history.map(({ limit }) => limit))).toBe(1);
		expect(history.at(-1)?.limit).toBe(MAX_PARALLEL);
	});
});

describe('creates (H12)', () => {
	test('never look for more: 8 at once, however many succeed', () => {
		const { history } = simulate(steady(1_000, 50, true), 2_000, { kind: CREATE });
		expect(new Set(history.map(({ limit }) => limit))).toEqual(new Set([START]));
		expect(Math.max(...history.map(({ underWay }) => underWay))).toBeLessThan(START);
	});

	test.each([8, 10, 20, 40])(
		'1,000 against a service that serves %d at once and refuses more: none is refused',
		(capacity) => {
			for (const told of [true, false]) {
				const service = refusing(capacity, told);
				expect(simulate(service, 1_000, { kind: CREATE }).refused).toBe(0);
				// Nor after updates, or the user's own creates, have looked for the capacity.
				for (const before of [UPDATE, { ...CREATE, maxParallel: 64 }]) {
					const from = simulate(service, 3_000, { kind: before }).state;
					const startsAt = 10 * MINUTE;
					const { refused } = simulate(service, 1_000, { kind: CREATE, from, startsAt });
					expect(refused).toBe(0);
				}
			}
		},
	);

	test('are sent at the level at which updates have succeeded, for an hour', () => {
		const state = learned();
		expect(atOnce(state, CREATE, true, 30 * MINUTE)).toBe(MAX_PARALLEL);
		expect(atOnce(state, CREATE, true, 62 * MINUTE)).toBe(START);
		expect(atOnce(state, CREATE, false, 30 * MINUTE)).toBe(MAX_WITHOUT_LIMIT);
	});

	test.each<[string, Kind, Outcome, number]>([
		['reads that are answered next to twelve updates prove nothing', READ, 'succeeded', START],
		[
			'updates that the service answers without doing them prove nothing',
			UPDATE,
			'answered',
			START,
		],
		['updates that succeed next to eleven others show that twelve work', UPDATE, 'succeeded', 12],
	])('%s', (_, kind, outcome, expected) => {
		let state = unknownParallelism;
		for (let n = 0; n < 11; n += 1) state = requestSent(state, UPDATE).state;
		if (!kind.write) state = requestSent(state, UPDATE).state;
		for (let n = 0; n < 100; n += 1) {
			const { state: sending, sent } = requestSent(state, kind);
			state = requestEnded(sending, sent, outcome, true, n);
		}
		expect(atOnce(state, CREATE, true, 100)).toBe(expected);
	});

	test('reads prove nothing for them', () => {
		const { state } = simulate(steady(1_000, 50, true), 1_000, { kind: READ });
		expect(state.limit).toBe(MAX_PARALLEL);
		expect(atOnce(state, CREATE, true, 1_000)).toBe(START);
	});

	test('with the user’s own number: as many as that, within rounds; and then for others, too', () => {
		const own = { ...CREATE, maxParallel: 64 };
		for (const told of [true, false]) {
			const { history, state, ms } = simulate(steady(1_000, 50, told), 1_000, { kind: own });
			expect(history.at(-1)?.limit).toBe(64);
			expect(ms).toBeLessThanOrEqual(4 * 50 + (1_000 / 64) * 50);
			expect(atOnce(state, CREATE, told, ms)).toBe(ceilingOf({ told } as Service));
		}
	});

	test('a small number of the user’s own is no limit for other executions', () => {
		expect(atOnce(unknownParallelism, { ...CREATE, maxParallel: 1 }, true, 0)).toBe(START);
	});

	test.each([1, 2, 3, 5, 7])(
		'a service that serves %d at once: refused a few times, and never again at such a level',
		(capacity) => {
			const first = simulate(refusing(capacity, false), 1_000, { kind: CREATE });
			expect(first.refused).toBeLessThanOrEqual(START + 4 + 2);
			const startsAt = 30 * MINUTE;
			const later = simulate(refusing(capacity, false), 1_000, {
				kind: CREATE,
				from: first.state,
				startsAt,
			});
			expect(later.refused).toBe(0);
			// An hour later it is tried again.
			expect(atOnce(first.state, CREATE, false, 70 * MINUTE)).toBeLessThanOrEqual(START);
		},
	);

	test('after a moment of refusals: most of the speed within the run, all of it after an hour', () => {
		const service: Service = {
			...steady(1_000, 50, false),
			refuses: (now) => now > 1_000 && now < 1_010,
		};
		const { state, refused } = simulate(service, 1_000, { kind: CREATE });
		expect(refused).toBeLessThanOrEqual(START);
		expect(atOnce(state, CREATE, false, 5 * MINUTE)).toBeGreaterThanOrEqual(6);
		const later = simulate(steady(1_000, 50, false), 500, {
			kind: CREATE,
			from: state,
			startsAt: 90 * MINUTE,
		});
		expect(later.state.limit).toBe(START);
	});

	test('after an outage, in which even single requests were refused: all of the speed', () => {
		const service: Service = {
			...steady(1_000, 50, false),
			refuses: (now) => now > 1_000 && now < 3_000,
		};
		const { state } = simulate(service, 3_000, { kind: CREATE });
		expect(atOnce(state, CREATE, false, 5 * MINUTE)).toBe(START);
	});
});

test('a level works once as many updates in a row have succeeded at it, whatever succeeds at lower ones meanwhile', () => {
	let state: Parallelism = { ...unknownParallelism, limit: MAX_PARALLEL };
	const succeeds = (level: number) => {
		const sent = { ...UPDATE, number: 0, level, writeLevel: level };
		state = requestEnded({ ...state, underWay: level }, sent, 'succeeded', true, 0);
	};
	for (let n = 0; n < 9; n += 1) succeeds(10);
	succeeds(3);
	expect(atOnce(state, CREATE, true, 0)).toBe(START);
	succeeds(10);
	expect(atOnce(state, CREATE, true, 0)).toBe(10);
});

describe('the level that is taken to work after one has failed', () => {
	/** The state after so many creates were under way and the last one was refused. */
	function failedAt(level: number, from = unknownParallelism): Parallelism {
		let state = from;
		const sent: Sent[] = [];
		for (let n = 0; n < level; n += 1) {
			const started = requestSent(state, CREATE);
			state = started.state;
			sent.push(started.sent);
		}
		for (const one of sent.toReversed()) {
			const outcome = one.number === level - 1 ? 'refused' : 'unknown';
			state = requestEnded(state, one, outcome, false, 0);
		}
		// Only the limit for repeatable requests is as it would be after many more answers.
		return { ...state, limit: MAX_PARALLEL };
	}

	test.each([
		[2, 1],
		[4, 2],
		[8, 4],
		[9, 6],
		[10, 7],
		[12, 8],
		[40, 8],
	])('%d at once failed: creates stay at %d', (level, safe) => {
		expect(atOnce(failedAt(level), CREATE, true, MINUTE)).toBe(safe);
		expect(atOnce(failedAt(level), CREATE, true, 60 * MINUTE)).toBe(safe);
		expect(atOnce(failedAt(level), CREATE, true, 60 * MINUTE + 1)).toBe(START);
	});

	test('a level at which updates had succeeded counts for creates up to three quarters of what failed later', () => {
		const state = failedAt(40, { ...learned(), next: 0, reducedFrom: 0 });
		expect(atOnce(state, CREATE, true, MINUTE)).toBe(30);
	});

	test('a single request that is refused says nothing about the number', () => {
		expect(atOnce(failedAt(1), CREATE, true, MINUTE)).toBe(START);
	});

	test('others stay below it for a minute, creates with their own number for an hour', () => {
		const state = failedAt(12);
		expect(atOnce(state, UPDATE, true, MINUTE)).toBe(11);
		expect(atOnce(state, UPDATE, true, MINUTE + 1)).toBe(MAX_PARALLEL);
		const own = { ...CREATE, maxParallel: 20 };
		expect(atOnce(state, own, true, 60 * MINUTE)).toBe(11);
		expect(atOnce(state, own, true, 60 * MINUTE + 1)).toBe(20);
	});

	test('a clock that is put back makes nothing last longer', () => {
		expect(atOnce(failedAt(12), UPDATE, true, -1)).toBe(MAX_PARALLEL);
	});

	test('a user’s own number never exceeds 64', () => {
		const state = { ...unknownParallelism, limit: 1_000 };
		expect(atOnce(state, { ...CREATE, maxParallel: 500 }, true, 0)).toBe(64);
		expect(atOnce(state, { ...UPDATE, maxParallel: 500 }, false, 0)).toBe(64);
	});
});

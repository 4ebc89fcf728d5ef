import { createSharedLimiter } from '../../../../nodes/WorkspaceData/transport/http/limiter';
import { createTestClock } from '../../../support/clock';
import type { Kind } from '../../../../nodes/WorkspaceData/transport/http/adaptiveLimit';
import { workMs } from '../../../support/cpuTime.mts';

const UPDATE: Kind = { write: true, repeatable: true };
const CREATE: Kind = { write: true, repeatable: false };
const atMost = (maxParallel: number) => ({ ...UPDATE, maxParallel });

async function highest(limits: number[]): Promise<{ most: number; order: number[] }> {
	const clock = createTestClock();
	const limited = createSharedLimiter(() => Infinity)();
	let running = 0;
	let most = 0;
	const order: number[] = [];
	await Promise.allSettled(
		limits.map(
			async (limit, place) =>
				await limited(atMost(limit), async () => {
					order.push(place);
					running += 1;
					most = Math.max(most, running);
					await clock.sleep(place % 3);
					running -= 1;
					if (place % 5 === 0) throw new Error('a task that fails');
				}),
		),
	);
	return { most, order };
}

test.each([1, 3, 10])(
	'runs at most %d tasks at once, in the order in which they came',
	async (limit) => {
		const { most, order } = await highest(Array.from({ length: 40 }, () => limit));
		expect(most).toBe(limit);
		expect(order).toEqual(Array.from({ length: 40 }, (_, place) => place));
	},
);

test('each task brings its own limit', async () => {
	const { most, order } = await highest([1, 1, 5, 5, 5, 5, 1]);
	expect(most).toBeLessThanOrEqual(5);
	expect(order).toHaveLength(7);
});

test.each([0, -1])('a limit of %d is one of 1', async (limit) => {
	expect(await highest([limit, limit, limit])).toEqual({ most: 1, order: [0, 1, 2] });
});

test('executions share the limit of parallel requests, and alternate', async () => {
	const clock = createTestClock();
	const open = createSharedLimiter(() => 3);
	const order: string[] = [];
	let running = 0;
	let most = 0;
	const execution = async (name: string, count: number, limit: number) => {
		const limited = open();
		const task = async () => {
			order.push(name);
			running += 1;
			most = Math.max(most, running);
			await clock.sleep(10);
			running -= 1;
		};
		await Promise.all(
			Array.from({ length: count }, async () => await limited(atMost(limit), task)),
		);
	};
	await Promise.all([
		execution('long', 30, 10),
		execution('own limit', 6, 1),
		execution('short', 3, 10),
	]);
	expect(most).toBe(3);
	expect(order).toHaveLength(39);
	expect(order.lastIndexOf('short')).toBeLessThan(15);
	expect(order.lastIndexOf('own limit')).toBeLessThan(25);
});

test('a limit that grows and shrinks counts at once', async () => {
	const clock = createTestClock();
	let limit = 1;
	const limited = createSharedLimiter(() => limit)();
	const seen: number[] = [];
	let running = 0;
	const tasks = Array.from({ length: 60 }, (_, place) =>
		limited(atMost(100), async () => {
			running += 1;
			seen.push(running);
			await clock.sleep(10);
			running -= 1;
			limit = place < 20 ? 8 : 2;
		}),
	);
	await Promise.all(tasks);
	expect(Math.max(...seen.slice(0, 1))).toBe(1);
	expect(Math.max(...seen.slice(0, 25))).toBe(8);
	expect(Math.max(...seen.slice(-10))).toBe(2);
});

test('a hundred thousand tasks that wait are started in no time', async () => {
	const limited = createSharedLimiter(() => 4)();
	const work = await workMs(async () => {
		await Promise.all(
			Array.from({ length: 100_000 }, async () => await limited(atMost(10), async () => {})),
		);
	});
	// A list that is moved for each start would take many times as long.
	expect(work).toBeLessThan(10_000);
});

test('tasks that hang keep other executions waiting for half a minute at most', async () => {
	const clock = createTestClock();
	const began = clock.now();
	const open = createSharedLimiter(() => 3, clock);
	const hanging = open();
	const never = new Promise<never>(() => {});
	let started = 0;
	const hang = async () => {
		started += 1;
		await never;
	};
	for (let n = 0; n < 10; n += 1) void hanging(atMost(5), hang);
	const other = open();
	const waited = await other(atMost(5), async () => await Promise.resolve(clock.now() - began));
	expect(waited).toBe(30_000);
	// Their own execution's limit still holds for them.
	await clock.sleep(120_000);
	expect(started).toBe(5);
});

describe('a task that cannot be repeated, and allows for fewer at once', () => {
	const fewer = (kind: Kind) => (kind.repeatable ? 20 : 4);

	/** Runs tasks of several executions. @returns how many were running when each started */
	async function run(executions: Array<{ kind: Kind; count: number; startsAt: number }>) {
		const clock = createTestClock();
		const open = createSharedLimiter(fewer, clock);
		const running = new Set<object>();
		const seen: Array<{ kind: Kind; at: number; running: number; fewer: boolean }> = [];
		await Promise.all(
			executions.map(async ({ kind, count, startsAt }) => {
				await clock.sleep(startsAt);
				const limited = open();
				const task = async () => {
					const token = { kind };
					running.add(token);
					const isFewer = [...running].some((one) => (one as { kind: Kind }).kind === CREATE);
					seen.push({ kind, at: clock.now(), running: running.size, fewer: isFewer });
					await clock.sleep(10);
					running.delete(token);
				};
				await Promise.all(Array.from({ length: count }, async () => await limited(kind, task)));
			}),
		);
		return seen;
	}

	test('starts only then, and no other task makes it more than that (H12)', async () => {
		const seen = await run([
			{ kind: UPDATE, count: 200, startsAt: 0 },
			{ kind: CREATE, count: 20, startsAt: 25 },
		]);
		expect(Math.max(...seen.map(({ running }) => running))).toBe(20);
		const during = seen.filter((one) => one.fewer).map(({ running }) => running);
		expect(during.length).toBeGreaterThan(20);
		expect(Math.max(...during)).toBe(4);
	});

	test('does not wait for ever while others keep coming, nor do they', async () => {
		const seen = await run([
			{ kind: UPDATE, count: 400, startsAt: 0 },
			{ kind: CREATE, count: 40, startsAt: 5 },
			{ kind: UPDATE, count: 40, startsAt: 5 },
		]);
		expect(seen.findLastIndex(({ kind }) => kind === CREATE)).toBeLessThan(200);
		expect(seen.length).toBe(480);
	});

	test('a request that goes ahead starts at once, and counts', async () => {
		const clock = createTestClock();
		const limited = createSharedLimiter(fewer, clock)();
		const start = clock.now();
		const times: number[] = [];
		const task = async () => {
			times.push(clock.now() - start);
			await clock.sleep(10);
		};
		const creates = Array.from({ length: 4 }, async () => await limited(CREATE, task));
		const ahead = limited({ ...UPDATE, ahead: true }, task);
		const later = limited(CREATE, task);
		await Promise.all([...creates, ahead, later]);
		expect(times).toEqual([0, 0, 0, 0, 0, 10]);
	});
});

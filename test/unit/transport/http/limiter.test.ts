import { createSharedLimiter } from '../../../../nodes/WorkspaceData/transport/http/limiter';
import { createTestClock } from '../../../support/clock';
import { workMs } from '../../../support/cpuTime.mts';

async function highest(limits: number[]): Promise<{ most: number; order: number[] }> {
	const clock = createTestClock();
	const inTurn = createSharedLimiter(() => Infinity)();
	let running = 0;
	let most = 0;
	const order: number[] = [];
	await Promise.allSettled(
		limits.map(
			async (limit, place) =>
				await inTurn(limit, async () => {
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

test('executions share the limit of parallel requests, and take turns', async () => {
	const clock = createTestClock();
	const open = createSharedLimiter(() => 3);
	const order: string[] = [];
	let running = 0;
	let most = 0;
	const execution = async (name: string, count: number, limit: number) => {
		const inTurn = open();
		const task = async () => {
			order.push(name);
			running += 1;
			most = Math.max(most, running);
			await clock.sleep(10);
			running -= 1;
		};
		await Promise.all(Array.from({ length: count }, async () => await inTurn(limit, task)));
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
	const inTurn = createSharedLimiter(() => limit)();
	const seen: number[] = [];
	let running = 0;
	const tasks = Array.from({ length: 60 }, (_, place) =>
		inTurn(100, async () => {
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
	const inTurn = createSharedLimiter(() => 4)();
	const work = await workMs(async () => {
		await Promise.all(
			Array.from({ length: 100_000 }, async () => await inTurn(10, async () => {})),
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
	for (let n = 0; n < 10; n += 1) void hanging(5, hang);
	const other = open();
	const waited = await other(5, async () => await Promise.resolve(clock.now() - began));
	expect(waited).toBe(30_000);
	// Their own execution's limit still holds for them.
	await clock.sleep(120_000);
	expect(started).toBe(5);
});

/** What the gate makes of a window of the rate limit that begins, ends, or is told of in parts. */
import type { Headers } from '../../../../nodes/WorkspaceData/transport/http/rateLimitHeaders';
import { Lane } from '../../../../nodes/WorkspaceData/transport/http/pace';
import { createTestClock, type TestClock } from '../../../support/clock';
import { openGate } from '../../../support/gate';

const SECOND = 1_000;

/** Ends what still waits after a test. */
let lane = new Lane();
afterEach(() => {
	lane.cancel();
	lane = new Lane();
});

/** What an answer tells; the reset in seconds from now. */
function told(clock: TestClock, remaining: number, limit?: number, resetS?: number): Headers {
	return {
		date: new Date(clock.now()).toUTCString(),
		'x-ratelimit-remaining': String(remaining),
		...(limit !== undefined && { 'x-ratelimit-limit': String(limit) }),
		...(resetS !== undefined && { 'x-ratelimit-reset': String(resetS) }),
	};
}

/** A gate through which one request has passed, with this answer. */
async function gateAfter(tells: (clock: TestClock) => Headers) {
	const clock = createTestClock();
	const gate = openGate(clock);
	await gate.enter();
	gate.leave(tells(clock));
	const start = clock.now();
	const passed: number[] = [];
	/** So many requests wait at the gate from now on. */
	const queue = (count: number) => {
		for (let n = 0; n < count; n += 1) {
			void gate.enter({}, lane).then(
				() => passed.push(clock.now() - start),
				() => {},
			);
		}
	};
	return { clock, gate, start, passed, queue };
}

describe('a new window', () => {
	test('begins with one request; silent, it holds the others back for a second, not for its whole time-out', async () => {
		const { clock, passed, queue } = await gateAfter((at) => told(at, 0, 4, 10));
		queue(6);
		await clock.sleep(30 * SECOND);
		// As many as the limit allows, the silent one included.
		expect(passed).toEqual([10_000, 11_000, 11_000, 11_000]);
	});

	test('answered soon, lets the others follow at once', async () => {
		const { clock, gate, passed, queue } = await gateAfter((at) => told(at, 0, 4, 10));
		queue(6);
		await clock.sleep(10_100);
		expect(passed).toEqual([10_000]);
		gate.leave(told(clock, 3, 4, 10));
		await clock.sleep(100);
		expect(passed).toEqual([10_000, 10_100, 10_100, 10_100]);
	});

	test('whose first answer is lost begins with another request', async () => {
		const { clock, gate, passed, queue } = await gateAfter((at) => told(at, 0, 4, 10));
		queue(2);
		await clock.sleep(10_100);
		gate.leave(undefined);
		await clock.sleep(100);
		expect(passed).toEqual([10_000, 10_100]);
	});

	test('of a service that tells no limit begins with one request that must be answered', async () => {
		const { clock, gate, passed, queue } = await gateAfter((at) => told(at, 0, undefined, 10));
		queue(3);
		await clock.sleep(30 * SECOND);
		expect(passed).toEqual([10_000]);
		gate.leave(told(clock, 5, undefined, 10));
		await clock.sleep(100);
		expect(passed).toEqual([10_000, 30_000, 30_000]);
	});
});

test('a service that tells no reset gets as many requests as it says remain, then one at a time', async () => {
	const { clock, gate, passed, queue } = await gateAfter((at) => told(at, 2, 50));
	queue(5);
	await clock.sleep(5 * SECOND);
	expect(passed).toEqual([0, 0]);
	gate.leave(told(clock, 0, 50));
	await clock.sleep(SECOND);
	expect(passed).toEqual([0, 0]);
	gate.leave(told(clock, 0, 50));
	await clock.sleep(SECOND);
	expect(passed).toEqual([0, 0, 6_000]);
});

test('a request that is under way counts as one of those that remain', async () => {
	const { clock, gate, passed, queue } = await gateAfter((at) => told(at, 3, 50, 60));
	queue(4);
	await clock.sleep(5 * SECOND);
	expect(passed).toEqual([0, 0, 0]);
	gate.leave(undefined);
	await clock.sleep(SECOND);
	expect(passed).toEqual([0, 0, 0, 5_000]);
});

describe('answers of one window', () => {
	/** How many requests pass after two answers, the second of which tells another reset. */
	async function passedAfter(first: number, second: number, resetMs: number) {
		const clock = createTestClock();
		const gate = openGate(clock);
		await gate.enter();
		gate.leave(told(clock, 5, 50, 100));
		await Promise.all([gate.enter(), gate.enter()]);
		gate.leave(told(clock, first, 50, 100));
		gate.leave(told(clock, second, 50, 100 + resetMs / SECOND));
		let passed = 0;
		for (let n = 0; n < 10; n += 1) {
			void gate.enter({}, lane).then(
				() => (passed += 1),
				() => {},
			);
		}
		await clock.sleep(50);
		return passed;
	}

	test('that come in another order than they were given allow no more than the least of them', async () => {
		expect(await passedAfter(1, 4, 0)).toBe(1);
		expect(await passedAfter(4, 1, 0)).toBe(1);
		// A reset in whole seconds may be told a second earlier or later.
		expect(await passedAfter(1, 4, 1_499)).toBe(1);
		expect(await passedAfter(1, 4, -1_499)).toBe(1);
	});

	test('no longer count once the next window has begun', async () => {
		expect(await passedAfter(1, 4, 1_500)).toBe(4);
		expect(await passedAfter(1, 4, 60_000)).toBe(4);
	});
});

test('a service that begins to tell its limit is held to it', async () => {
	const { clock, gate, passed, queue } = await gateAfter(() => ({}));
	await gate.enter();
	gate.leave(told(clock, 1, 50, 10));
	queue(3);
	await clock.sleep(SECOND);
	expect(passed).toEqual([0]);
});

test('an earlier end of a pause does not shorten a later one', async () => {
	const { gate, clock, start, passed, queue } = await gateAfter(() => ({}));
	await Promise.all([gate.enter(), gate.enter()]);
	gate.leave({}, start + 5_000);
	gate.leave({}, start + 2_000);
	queue(1);
	await clock.sleep(10_000);
	expect(passed).toEqual([5_000]);
});

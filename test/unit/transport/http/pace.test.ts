import type { Headers } from '../../../../nodes/WorkspaceData/transport/http/rateLimitHeaders';
import { Lane } from '../../../../nodes/WorkspaceData/transport/http/pace';
import { createTestClock } from '../../../support/clock';
import { openGate } from '../../../support/gate';

const SECOND = 1_000;

/** A service with fixed windows that start with their first request. */
function limitedService(
	clock: ReturnType<typeof createTestClock>,
	limit: number,
	windowMs: number,
) {
	let window = { endsAt: 0, used: 0 };
	const sent: number[] = [];
	return {
		sent,
		refused: 0,
		request(): Headers {
			if (clock.now() >= window.endsAt) window = { endsAt: clock.now() + windowMs, used: 0 };
			if (window.used >= limit) this.refused += 1;
			else window.used += 1;
			sent.push(clock.now());
			return {
				date: new Date(clock.now()).toUTCString(),
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': String(limit - window.used),
				'x-ratelimit-reset': String(Math.ceil(window.endsAt / SECOND)),
			};
		},
	};
}

async function sendThrough(
	requests: number,
	clock: ReturnType<typeof createTestClock>,
	service: ReturnType<typeof limitedService>,
): Promise<void> {
	const gate = openGate(clock);
	await Promise.all(
		Array.from({ length: requests }, async (_, place) => {
			await gate.enter({ maxParallel: 10 });
			await clock.sleep(20 + (place % 7) * 5);
			gate.leave(service.request());
		}),
	);
}

describe('the gate', () => {
	test.each([
		[5, 10_000],
		[60, 60_000],
		[1, 2_000],
	])('uses a limit of %d in %d ms up, but does not overrun it', async (limit, windowMs) => {
		const clock = createTestClock();
		const service = limitedService(clock, limit, windowMs);
		const windows = 4;
		await sendThrough(limit * windows, clock, service);
		expect(service.refused).toBe(0);
		const first = service.sent[0] ?? 0;
		const last = service.sent.at(-1) ?? 0;
		// Reset is told in whole seconds: at most two are lost for each window.
		expect(last - first).toBeLessThanOrEqual((windows - 1) * (windowMs + 2 * SECOND) + SECOND);
	});

	test('sends the first request of all alone, then the rest side by side', async () => {
		const clock = createTestClock();
		const service = limitedService(clock, 100, 60_000);
		await sendThrough(30, clock, service);
		expect(service.refused).toBe(0);
		expect((service.sent.at(-1) ?? 0) - (service.sent[0] ?? 0)).toBeLessThan(SECOND);
	});

	test('does not hold back a service that sends no such headers', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		await gate.enter();
		gate.leave({});
		await Promise.all(Array.from({ length: 64 }, async () => await gate.enter()));
		expect(clock.now()).toBe(createTestClock().now());
	});

	test('continues after lost answers', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		for (let request = 0; request < 5; request += 1) {
			await gate.enter();
			gate.leave(undefined);
		}
		expect(clock.now()).toBe(createTestClock().now());
	});

	test('B20: looks again after a minute where the reset is said to be far away, one request at a time', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		const service = limitedService(clock, 1, 365 * 86_400_000);
		await gate.enter();
		gate.leave(service.request());
		const start = clock.now();
		const passed: number[] = [];
		const enter = async () => {
			await gate.enter();
			passed.push(clock.now() - start);
		};
		const both = [enter(), enter()];
		await Promise.race(both);
		expect(passed).toEqual([60_000]);
		await clock.sleep(30_000);
		gate.leave(service.request());
		await Promise.all(both);
		expect(passed).toEqual([60_000, 150_000]);
	});

	test('holds everybody back after a refusal', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		await gate.enter();
		const start = clock.now();
		gate.leave({}, start + 5_000);
		await Promise.all([gate.enter(), gate.enter()]);
		expect(clock.now() - start).toBe(5_000);
	});

	test('lets whoever cannot wait pass after that time', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		await gate.enter();
		gate.leave(limitedService(clock, 1, 3_600_000).request());
		const start = clock.now();
		await gate.enter({ impatient: true });
		expect(clock.now() - start).toBe(5_000);
	});

	test.each(['held', 'waiting for the window'])(
		'lets go of whoever is %s when the execution is cancelled',
		async (how) => {
			const clock = createTestClock();
			const gate = openGate(clock);
			await gate.enter();
			const closedUntil = how === 'held' ? clock.now() + 3_600_000 : 0;
			gate.leave(limitedService(clock, 1, 3_600_000).request(), closedUntil);
			const lane = new Lane();
			const start = clock.now();
			const waiting = gate.enter({}, lane).catch((error: unknown) => error);
			await clock.sleep(100);
			lane.cancel();
			expect(await waiting).toMatchObject({ name: 'Cancelled' });
			expect(clock.now() - start).toBeLessThan(SECOND);
		},
	);
});

describe('requests per second', () => {
	/** Sends requests of several executions. @returns when each was sent, in ms from the start */
	async function send(executions: Array<{ count: number; requestsPerSecond?: number }>) {
		const clock = createTestClock();
		const gate = openGate(clock);
		const start = clock.now();
		const sent: Array<{ execution: number; at: number }> = [];
		await Promise.all(
			executions.map(async ({ count, ...how }, execution) => {
				const lane = new Lane();
				for (let request = 0; request < count; request += 1) {
					await gate.enter(how, lane);
					sent.push({ execution, at: clock.now() - start });
					await clock.sleep(7);
					gate.leave({});
				}
			}),
		);
		return sent;
	}

	test.each([0.5, 1, 3, 20])('%d: never more, whatever is waiting, and no fewer', async (rate) => {
		const executions = Array.from({ length: 5 }, () => ({ count: 4, requestsPerSecond: rate }));
		const times = (await send(executions)).map(({ at }) => at);
		for (const [place, at] of times.entries()) {
			if (place > 0) expect(at - (times[place - 1] ?? 0)).toBeGreaterThanOrEqual(1_000 / rate - 1);
		}
		expect(times.at(-1)).toBeLessThanOrEqual((19 * 1_000) / rate + 20);
	});

	test('count for all executions of the key, and end with the execution that asks for them', async () => {
		const sent = await send([{ count: 3, requestsPerSecond: 2 }, { count: 40 }]);
		const times = sent.map(({ at }) => at);
		const slowest = sent.findLast(({ execution }) => execution === 0)?.at ?? 0;
		const during = times.filter((at) => at <= slowest);
		expect(during.length).toBeLessThanOrEqual(slowest / 500 + 1);
		expect((times.at(-1) ?? 0) - slowest).toBeLessThan(1_000);
	});

	test('a cancelled wait no longer slows the others down', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		await gate.enter();
		gate.leave({});
		const lane = new Lane();
		const slow = { requestsPerSecond: 0.001 };
		const waiting = gate.enter(slow, lane).catch((error: unknown) => error);
		await clock.sleep(50);
		lane.cancel();
		expect(await waiting).toMatchObject({ name: 'Cancelled' });
		const start = clock.now();
		await gate.enter();
		expect(clock.now() - start).toBe(0);
	});

	test('the local clock is set back by an hour: nobody waits for it to catch up', async () => {
		const clock = createTestClock();
		const gate = openGate(clock);
		const how = { requestsPerSecond: 1 };
		await gate.enter(how);
		gate.leave({});
		clock.pass(-3_600_000);
		const start = clock.now();
		await gate.enter(how);
		expect(clock.now() - start).toBeLessThanOrEqual(SECOND);
	});
});

test('G8: a service that is silent from the start is asked once a second, not once for each time-out', async () => {
	const clock = createTestClock();
	const gate = openGate(clock);
	const start = clock.now();
	const sent = await Promise.all(
		Array.from({ length: 5 }, async () => {
			await gate.enter();
			const at = clock.now() - start;
			await clock.sleep(30 * SECOND);
			gate.leave(undefined);
			return at;
		}),
	);
	expect(sent).toEqual([0, 1, 2, 3, 4].map((seconds) => seconds * SECOND));
});

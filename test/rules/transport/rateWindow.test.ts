/** When requests may be sent: a limit is used up and not exceeded, whatever a service tells of it. */
import {
	refusalWait,
	type Headers,
} from '../../../nodes/WorkspaceData/transport/http/rateLimitHeaders';
import { Lane, Pace, type Place } from '../../../nodes/WorkspaceData/transport/http/pace';
import type { ReadOptions } from '../../../nodes/WorkspaceData/transport/request';
import { createTestClock, type TestClock } from '../../support/clock';

/** The pace of a key about which nothing is known, for requests that nothing but the rate limit holds back. */
function openGate(clock: TestClock) {
	const pace = new Pace(clock);
	const underWay: Place[] = [];
	const usual = new Lane();
	return {
		/** Waits until a request may be sent. @param lane its execution */
		async enter(request: ReadOptions = {}, lane = usual) {
			const sent = await pace.enter(lane, { maxParallel: 64, ...request });
			if (sent) underWay.push(sent);
			return sent;
		},
		/** Ends all waiting requests of an execution. */
		cancel: (lane: Lane) => pace.cancel(lane),
		/** The response to the request that was sent first; undefined if there was none. */
		leave(headers: Headers | undefined, closedUntil?: number) {
			const sent = underWay.shift();
			if (sent) pace.leave(sent, headers, closedUntil);
		},
	};
}

const SECOND = 1_000;
const LATENCY_MS = 20;

interface Kind {
	windowMs: number;
	limit: number;
	/** How the end of the window becomes whole seconds. */
	rounding: 'ceil' | 'floor' | 'round';
	/** Whether windows begin at full multiples of their length; else with their first request. */
	aligned?: boolean;
	/** The service's clock minus ours, in ms. */
	offset?: number;
	/** When the first request is sent within its second, in ms. */
	phase: number;
}

/** Sends as much as several windows take. @returns what each window lost, and its refusals */
async function run(
	{ windowMs, limit, rounding, aligned, offset = 0, phase }: Kind,
	windows: number,
) {
	const clock = createTestClock(Date.UTC(2026, 0, 1) + phase);
	const gate = openGate(clock);
	const serviceNow = () => clock.now() + offset;
	let window = { endsAt: -Infinity, used: 0 };
	const seen: Array<{ openedAt: number; firstAt: number; refused: number }> = [];
	let refused = 0;

	/** @returns the answer's headers, and whether the request was refused */
	function answer(): { headers: Headers; isRefused: boolean } {
		const now = serviceNow();
		if (now >= window.endsAt) {
			const openedAt = window.endsAt;
			const begin = aligned ? Math.floor(now / windowMs) * windowMs : now;
			window = { endsAt: begin + windowMs, used: 0 };
			seen.push({ openedAt, firstAt: now, refused });
			refused = 0;
		}
		const isRefused = window.used >= limit;
		if (isRefused) refused += 1;
		else window.used += 1;
		const headers = {
			date: new Date(now).toUTCString(),
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(limit - window.used),
			'x-ratelimit-reset': String(Math[rounding](window.endsAt / SECOND)),
		};
		return { headers, isRefused };
	}

	async function request(): Promise<void> {
		for (let refusals = 1; ; refusals += 1) {
			await gate.enter({ maxParallel: 16 });
			await clock.sleep(LATENCY_MS / 2);
			const { headers, isRefused } = answer();
			await clock.sleep(LATENCY_MS / 2);
			const now = clock.now();
			gate.leave(headers, isRefused ? now + refusalWait(headers, now, refusals) : 0);
			if (!isRefused) return;
		}
	}

	await Promise.all(Array.from({ length: windows * limit }, request));
	return seen.slice(1).map((one) => ({ lost: one.firstAt - one.openedAt, refused: one.refused }));
}

describe.each([0, 730, 999])('first request %d ms after a full second', (phase) => {
	describe.each(['ceil', 'floor', 'round'] as const)('the reset is rounded by %s', (rounding) => {
		test.each<[string, Partial<Kind>]>([
			['windows that begin with their first request', {}],
			['the same, of a minute', { windowMs: 60_000 }],
			['the same, a clock that is 3.4 s ahead', { offset: 3_400 }],
			['the same, a clock that is 7.7 s behind', { offset: -7_700 }],
			['windows that begin on the clock', { aligned: true }],
		])('%s: continues within a second or so of the reset', async (_, more) => {
			const windows = await run({ windowMs: 10_000, limit: 20, rounding, phase, ...more }, 6);
			expect(windows).toHaveLength(5);
			for (const { lost, refused } of windows) {
				// Rounded up: up to a second too late. Rounded down: one request is too early, and waits a second.
				expect(lost).toBeLessThanOrEqual(SECOND + 2 * LATENCY_MS);
				expect(refused).toBeLessThanOrEqual(rounding === 'ceil' ? 0 : 1);
			}
		});
	});
});

/** A key with one request sent and answered, and requests that wait from then on. */
async function keyAfter(tells: (now: number) => Headers, closedMs = 0) {
	const clock = createTestClock();
	const gate = openGate(clock);
	const lane = new Lane();
	await gate.enter({}, lane);
	gate.leave(tells(clock.now()), closedMs && clock.now() + closedMs);
	const start = clock.now();
	const passed: number[] = [];
	const queue = (count: number, how = {}) => {
		for (let n = 0; n < count; n += 1) {
			void gate.enter(how, lane).then((sent) => sent && passed.push(clock.now() - start));
		}
	};
	/** How long one more request waits. */
	const waitOf = async (how = {}) => {
		const from = clock.now();
		await gate.enter(how);
		return clock.now() - from;
	};
	return { clock, gate, lane, passed, queue, waitOf };
}
const told = (remaining: number, limit?: number, resetS?: number): Headers => ({
	'x-ratelimit-remaining': String(remaining),
	...(limit !== undefined && { 'x-ratelimit-limit': String(limit) }),
	...(resetS !== undefined && { 'x-ratelimit-reset': String(resetS) }),
});

const used = told(0, 4, 3);
test.each<[string, Headers, Array<Headers | 'lost'>, number[]]>([
	['a service that tells no limit: all at once', {}, [], [0, 0, 0, 0]],
	['requests under way count as those that remain', told(3, 50, 60), ['lost'], [0, 0, 0, 3_500]],
	['no reset: as many as remain, then one at a time', told(2, 50), [], [0, 0]],
	['a new window: one; silent, another after a second', used, [], [3_000, 4_000, 5_000, 6_000]],
	['answered, the others follow', used, [told(3, 4, 9)], [3_000, 3_500, 3_500, 3_500]],
	['lost, another one follows', told(0, undefined, 3), ['lost'], [3_000, 3_500, 4_500, 5_500]],
	['a reset a year away is asked about at once, by one request', told(0, 1, 9_000_000), [], [0]],
])('%s', async (_, first, later, expected) => {
	const { clock, gate, lane, passed, queue } = await keyAfter(() => first);
	queue(4);
	await clock.sleep(3_500);
	for (const response of later) gate.leave(response === 'lost' ? undefined : response);
	await clock.sleep(60_000);
	gate.cancel(lane);
	expect(passed).toEqual(expected);
});

test('responses of one window allow no more than the least of them, in whatever order they come', async () => {
	for (const [remaining, resetS, allowed] of [
		[[1, 4], 100, 1],
		[[4, 1], 100, 1],
		// A reset in whole seconds may be told a second earlier or later.
		[[1, 4], 101, 1],
		[[1, 4], 160, 4],
	] as const) {
		const { clock, gate, passed, queue } = await keyAfter(() => told(5, 50, 100));
		await Promise.all([gate.enter(), gate.enter()]);
		gate.leave(told(remaining[0], 50, 100));
		gate.leave(told(remaining[1], 50, resetS));
		queue(10);
		await clock.sleep(50);
		expect(passed).toHaveLength(allowed);
	}
});

test("a refusal holds everybody back, an earlier end of a pause ends none, and whoever can't wait passes after five seconds", async () => {
	const { clock, gate, passed, queue } = await keyAfter(() => ({}), 8_000);
	const other = gate.enter({ impatient: true });
	await other;
	gate.leave({}, clock.now() + 1_000);
	queue(2);
	await clock.sleep(9_000);
	expect(passed).toEqual([8_000, 8_000]);
});

test.each<[string, Headers, number]>([
	['a refusal', {}, SECOND],
	['a window that is used up', told(0, 50, 10), 0],
])(
	'%s: at most five minutes of waiting, even if the local clock is set back',
	async (_, headers, ms) => {
		const { clock, waitOf } = await keyAfter(() => headers, ms);
		clock.pass(-3_600_000);
		expect(await waitOf()).toBeLessThanOrEqual(300 * SECOND);
	},
);

test('a service that is silent from the start is asked once a second, not once for each time-out', async () => {
	const clock = createTestClock();
	const gate = openGate(clock);
	const start = clock.now();
	const sent = Array.from({ length: 5 }, async () => {
		await gate.enter();
		return clock.now() - start;
	});
	expect(await Promise.all(sent)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
});

describe('requests per second', () => {
	test.each([0.5, 3, 20])('%d: never more, of all executions, and no fewer', async (rate) => {
		const { clock, passed, queue } = await keyAfter(() => ({}));
		queue(10, { requestsPerSecond: rate });
		queue(10);
		await clock.sleep(60_000);
		const gaps = passed.slice(1).map((at, place) => at - (passed[place] ?? 0));
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000 / rate - 1);
		expect(passed.at(-1)).toBeLessThanOrEqual((20 * 1_000) / rate + 20);
	});

	test('hold up no other execution after the last request that asks for them', async () => {
		const { gate, waitOf } = await keyAfter(() => ({}));
		await gate.enter({ requestsPerSecond: 0.01 }, new Lane());
		gate.leave({});
		expect(await waitOf()).toBe(0);
	});

	test('end with the execution that asks for them, and with the local clock being set back', async () => {
		const { clock, gate, waitOf } = await keyAfter(() => ({}));
		const lane = new Lane();
		const waiting = gate.enter({ requestsPerSecond: 0.001 }, lane);
		await clock.sleep(50);
		gate.cancel(lane);
		expect(await waiting).toBeUndefined();
		await gate.enter({ requestsPerSecond: 1 });
		gate.leave({});
		clock.pass(-3_600_000);
		expect(await waitOf({ requestsPerSecond: 1 })).toBeLessThanOrEqual(SECOND);
	});
});

/** When requests may be sent: a limit is used up and not exceeded, and executions take turns. */
import fc from 'fast-check';
import { Limiter, type Turn } from '../../../nodes/WorkspaceData/transport/limiter';
import { createTestClock } from '../../support/clock';

const SECOND = 1_000;
const LATENCY_MS = 20;

const turnOf = (more: Partial<Turn> = {}): Turn => ({
	owner: {},
	width: 64,
	patienceMs: 300 * SECOND,
	signals: [],
	isAgain: false,
	...more,
});

/** A service with windows that begin with their first request, and a clock of its own. */
interface Service {
	windowMs: number;
	limit: number;
	rounding: 'ceil' | 'floor';
	/** Its clock minus ours, in ms. */
	offset: number;
	/** When the first request is sent within its second, in ms. */
	phase: number;
}

/** Sends as much as several windows take. @returns how late each window was begun, and its refusals */
async function useUp({ windowMs, limit, rounding, offset, phase }: Service, windows: number) {
	const clock = createTestClock(Date.UTC(2026, 0, 1) + phase);
	const limiter = new Limiter(clock);
	const turn = turnOf({ width: 16 });
	let window = { endsAt: -Infinity, used: 0 };
	const seen: Array<{ lost: number; refused: number }> = [];
	const respond = () => {
		const now = clock.now() + offset;
		if (now >= window.endsAt) {
			seen.push({ lost: now - window.endsAt, refused: 0 });
			window = { endsAt: now + windowMs, used: 0 };
		}
		const isRefused = window.used >= limit;
		if (!isRefused) window.used += 1;
		const last = seen.at(-1);
		if (isRefused && last) last.refused += 1;
		const headers = {
			date: new Date(now).toUTCString(),
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(limit - window.used),
			'x-ratelimit-reset': String(Math[rounding](window.endsAt / SECOND)),
		};
		return { status: isRefused ? 429 : 200, headers };
	};
	const request = async () => {
		for (let isAgain = false; ; isAgain = true) {
			await limiter.enter({ ...turn, isAgain });
			await clock.sleep(LATENCY_MS / 2);
			const response = respond();
			await clock.sleep(LATENCY_MS / 2);
			limiter.learn(response);
			limiter.leave(turn);
			if (response.status === 200) return;
		}
	};
	await Promise.all(Array.from({ length: windows * limit }, request));
	return seen.slice(1);
}

test('a limit is used up, with at most one refusal a window, whatever the clocks say', async () => {
	const service = fc.record<Service>({
		windowMs: fc.constantFrom(5_000, 10_000, 60_000),
		limit: fc.integer({ min: 1, max: 30 }),
		rounding: fc.constantFrom('ceil', 'floor'),
		// n8n's clock may be a minute slow or fast.
		offset: fc.integer({ min: -60_000, max: 60_000 }),
		phase: fc.integer({ min: 0, max: 999 }),
	});
	await fc.assert(
		fc.asyncProperty(service, async (one) => {
			const windows = await useUp(one, 5);
			expect(windows).toHaveLength(4);
			for (const { lost, refused } of windows) {
				// Rounded up: up to a second too late. Rounded down: a request is too early, and waits a second.
				expect(lost).toBeLessThanOrEqual(2 * SECOND + 2 * LATENCY_MS);
				expect(refused).toBeLessThanOrEqual(one.rounding === 'ceil' ? 0 : 1);
			}
		}),
		{ numRuns: 40 },
	);
});

/** A limiter after one response, and when further requests are sent, in ms. */
async function after(response: { status?: number; headers?: Record<string, unknown> }) {
	const clock = createTestClock();
	const limiter = new Limiter(clock);
	const first = turnOf();
	await limiter.enter(first);
	limiter.learn({ status: 200, headers: {}, ...response });
	limiter.leave(first);
	const start = clock.now();
	const sent: Array<number | string> = [];
	const queue = (count: number, turn = turnOf()) => {
		for (let n = 0; n < count; n += 1) {
			limiter.enter(turn).then(
				() => sent.push(clock.now() - start),
				(error: Error) => sent.push(error.message),
			);
		}
	};
	return { clock, limiter, sent, queue };
}

const inSeconds = (seconds: number) => String(Date.UTC(2026, 0, 1) / SECOND + seconds);
const dateAt = (seconds: number) => new Date(Number(inSeconds(seconds)) * SECOND).toUTCString();
const limits = (remaining: number, resetS: number) => ({
	'x-ratelimit-remaining': String(remaining),
	'x-ratelimit-reset': inSeconds(resetS),
});

test.each<[string, Record<string, unknown>, number[]]>([
	['no limit is stated: all at once', {}, [0, 0, 0]],
	['as many as remain; a new window begins with one', limits(1, 3), [0, 3_000, 4_000]],
	['a reset beyond five minutes is asked about by one request', limits(0, 900), [0]],
])('%s', async (_what, headers, expected) => {
	const { clock, sent, queue } = await after({ headers });
	queue(3);
	await clock.sleep(60_000);
	expect(sent).toEqual(expected);
});

test.each<[string, Record<string, unknown>, number]>([
	['Retry-After', { 'retry-after': '7', ...limits(0, 9) }, 7_000],
	['the reset', limits(0, 9), 9_000],
	['neither', {}, 1_000],
	['a reset in the past', limits(0, -9), 1_000],
	['a Retry-After that is a date', { 'retry-after': dateAt(7), ...limits(0, 9) }, 7_000],
	['a date, by a clock that is slow', { 'retry-after': dateAt(7), date: dateAt(-60) }, 67_000],
	['a date in the past', { 'retry-after': dateAt(-7) }, 1_000],
	['a Retry-After that is no time', { 'retry-after': 'soon' }, 1_000],
])('a refusal pauses all requests: %s', async (_what, headers, ms) => {
	const { clock, sent, queue } = await after({ status: 429, headers });
	queue(1);
	await clock.sleep(100_000);
	expect(sent).toEqual([ms]);
});

test('a pause that nobody states doubles with each refusal, up to a minute', async () => {
	const { clock, limiter } = await after({ status: 429 });
	const turn = turnOf();
	const pauses: number[] = [];
	for (let n = 0; n < 8; n += 1) {
		const begun = clock.now();
		await limiter.enter(turn);
		pauses.push((clock.now() - begun) / SECOND);
		limiter.learn({ status: 429, headers: {} });
		limiter.leave(turn);
	}
	expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test('a wait beyond the patience is refused with the time; those who have more wait', async () => {
	const { clock, sent, queue } = await after({ status: 429, headers: { 'retry-after': '10' } });
	queue(1, turnOf({ patienceMs: 5_000 }));
	queue(1);
	await clock.sleep(60_000);
	expect(sent).toEqual([
		'Rate limit reached: the service is open again at 2026-01-01 00:01 UTC',
		10_000,
	]);
});

test('executions take turns, each with no more than its width', async () => {
	const { clock, limiter } = await after({});
	const [many, few, one] = [16, 16, 1].map((width) => turnOf({ width })) as [Turn, Turn, Turn];
	const order: string[] = [];
	const queue = (turn: Turn, name: string, count: number) => {
		for (let n = 0; n < count; n += 1) void limiter.enter(turn).then(() => order.push(name));
	};
	queue(many, 'many', 30);
	queue(few, 'few', 4);
	queue(one, 'one', 2);
	await clock.sleep(0);
	expect(order).toEqual(Array.from({ length: 16 }, () => 'many'));
	// Whoever has the fewest under way is next.
	for (let n = 0; n < 6; n += 1) limiter.leave(many);
	await clock.sleep(0);
	expect(order.slice(16)).toEqual(['few', 'one', 'few', 'few', 'few', 'many']);
});

test('a cancelled wait ends, and leaves no listener; a request that was sent before goes first', async () => {
	const { clock, limiter } = await after({ status: 429, headers: { 'retry-after': '5' } });
	const controller = new AbortController();
	const removed = jest.spyOn(controller.signal, 'removeEventListener');
	const order: string[] = [];
	const cancelled = limiter.enter(turnOf({ signals: [controller.signal] }));
	const owner = turnOf({ width: 1 });
	void limiter.enter(owner).then(() => order.push('new'));
	void limiter.enter({ ...owner, isAgain: true }).then(() => order.push('again'));
	controller.abort();
	await expect(cancelled).rejects.toThrow('The execution was canceled');
	expect(removed).toHaveBeenCalledTimes(1);
	await expect(limiter.enter(turnOf({ signals: [controller.signal] }))).rejects.toThrow('canceled');
	await clock.sleep(6_000);
	expect(order).toEqual(['again']);
	limiter.leave(owner);
	await clock.sleep(0);
	expect(order).toEqual(['again', 'new']);
});

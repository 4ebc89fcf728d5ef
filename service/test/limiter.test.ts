/** Windows of the rate limit, by a clock of the test's own. */
import { Limiter, type Rate, rateHeaders, Rates } from '../foundation/limiter.ts';

/** A limiter at a time that the test sets, in ms. */
function limiterAt(start: number) {
	let now = start;
	const limiter = new Limiter({ monotonic: () => now });
	return { limiter, goTo: (ms: number) => (now = ms) };
}

const two = { limit: 2, windowMs: 1_000 };

describe('a window', () => {
	test('never ends later than it lasts, whatever the fraction of its start: no client waits a second more', () => {
		for (let n = 1; n <= 1_000; n++) {
			const { limiter } = limiterAt(n * Math.PI * 100);
			expect(limiter.take('a', two).resetsInMs).toBe(1_000);
		}
	});

	test('counts down, refuses what is beyond, and does not count what it refuses', () => {
		const { limiter, goTo } = limiterAt(5_000);
		expect(limiter.take('a', two)).toEqual({
			allowed: true,
			limit: 2,
			remaining: 1,
			resetsInMs: 1_000,
		});
		goTo(5_400);
		expect(limiter.take('a', two)).toMatchObject({ allowed: true, remaining: 0, resetsInMs: 600 });
		for (let n = 0; n < 5; n++) {
			expect(limiter.take('a', two)).toMatchObject({
				allowed: false,
				remaining: 0,
				resetsInMs: 600,
			});
		}
		goTo(5_999);
		expect(limiter.take('a', two).allowed).toBe(false);
		goTo(6_000);
		expect(limiter.take('a', two)).toMatchObject({
			allowed: true,
			remaining: 1,
			resetsInMs: 1_000,
		});
	});

	test('is the caller’s own', () => {
		const { limiter } = limiterAt(0);
		for (let n = 0; n < 3; n++) limiter.take('a', two);
		expect(limiter.take('a', two).allowed).toBe(false);
		expect(limiter.take('b', two)).toMatchObject({ allowed: true, remaining: 1 });
	});

	test('starts over for a caller that is forgotten, or for all', () => {
		const { limiter } = limiterAt(0);
		const isAllowed = (caller: string) =>
			limiter.take(caller, { limit: 1, windowMs: 1_000 }).allowed;
		expect(['a', 'b', 'a', 'b'].map(isAllowed)).toEqual([true, true, false, false]);
		limiter.forget('a');
		expect(['a', 'b'].map(isAllowed)).toEqual([true, false]);
		limiter.forget();
		expect(['a', 'b'].map(isAllowed)).toEqual([true, true]);
	});

	test('does not stretch when its clock stands still or steps back', () => {
		const { limiter, goTo } = limiterAt(10_000);
		limiter.take('a', two);
		goTo(1_000);
		expect(limiter.take('a', two)).toMatchObject({ allowed: true, remaining: 0 });
		expect(limiter.take('a', two).allowed).toBe(false);
	});
});

describe('the limit that holds for a caller', () => {
	const ratesOf = (initial: Rate) => {
		const { limiter } = limiterAt(0);
		return { limiter, rates: new Rates(initial, limiter) };
	};

	test('is its own, or that of its tier, or everybody’s', () => {
		const { rates } = ratesOf({ limit: 7, windowSeconds: 3 });
		expect(rates.of('a')).toEqual({ limit: 7, windowMs: 3_000 });
		expect(rates.of('a', null)).toEqual({ limit: 7, windowMs: 3_000 });
		expect(rates.of('a', 'free')).toEqual({ limit: 60, windowMs: 60_000 });
		expect(rates.of('a', 'standard')).toEqual({ limit: 600, windowMs: 60_000 });
		expect(rates.of('a', 'business')).toEqual({ limit: 6_000, windowMs: 60_000 });
		rates.set({ limit: 5 }, 'a');
		expect(rates.of('a', 'free')).toEqual({ limit: 5, windowMs: 60_000 });
		expect(rates.of('b', 'free')).toEqual({ limit: 60, windowMs: 60_000 });
		expect(rates.of('b')).toEqual({ limit: 7, windowMs: 3_000 });
	});

	test('set for all replaces limits set for one caller, and restarts all windows', () => {
		const { limiter, rates } = ratesOf({ tier: 'enterprise' });
		expect(rates.of('a')).toEqual({ limit: 1_000_000, windowMs: 60_000 });
		rates.set({ limit: 1 }, 'a');
		for (const caller of ['a', 'b']) limiter.take(caller, { limit: 1, windowMs: 60_000 });
		rates.set({ limit: 1 }, 'a');
		expect(limiter.take('b', { limit: 1, windowMs: 60_000 }).allowed).toBe(false);
		expect(limiter.take('a', { limit: 1, windowMs: 60_000 }).allowed).toBe(true);
		rates.set({ limit: 9 });
		expect(rates.of('a')).toEqual({ limit: 9, windowMs: 60_000 });
		expect(limiter.take('b', { limit: 1, windowMs: 60_000 }).allowed).toBe(true);
	});

	test.each([
		{ limit: 0 },
		{ limit: 1.5 },
		{ limit: 1, windowSeconds: 0.05 },
		{ limit: 1, windowSeconds: 2 ** 31 },
		{ limit: 1, burst: 2 },
		{ tier: 'gold' },
		{ tier: 'free', limit: 1 },
	])('cannot be %j', (rate) => {
		const { rates } = ratesOf({ limit: 1 });
		expect(() => rates.set(rate as never)).toThrow();
	});

	test.each([
		[{ limit: 1, windowSeconds: 0.1 }, 100],
		[{ limit: 1, windowSeconds: 2 ** 31 - 1 }, (2 ** 31 - 1) * 1_000],
	])('can be %j', (rate, windowMs) => {
		expect(ratesOf(rate).rates.of('a')).toEqual({ limit: 1, windowMs });
	});
});

describe('the headers of an answer', () => {
	const clock = { now: () => 10_000 };
	const state = { allowed: true, limit: 5, remaining: 3, resetsInMs: 1_500 };

	test('say limit, rest and the second in which the window has ended', () => {
		expect(rateHeaders(state, clock)).toEqual({
			'x-ratelimit-limit': '5',
			'x-ratelimit-remaining': '3',
			'x-ratelimit-reset': '12',
		});
	});

	test.each([
		[1_001, '2'],
		[1_000, '1'],
		[1, '1'],
		[0, '1'],
	])('say to wait where a request is refused %d ms before the end: %s s', (resetsInMs, wait) => {
		expect(rateHeaders({ ...state, allowed: false, resetsInMs }, clock)['retry-after']).toBe(wait);
	});
});

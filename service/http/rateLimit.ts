import type { RateLimitOptions } from '@fastify/rate-limit';
import { z } from 'zod/v4';
import type { Clock } from '../foundation/clock.ts';

/** Requests per window of 60 s, by subscription tier (DECISIONS.md, part 8). */
export const tiers = {
	free: 60,
	standard: 600,
	business: 6_000,
	enterprise: 1_000_000,
} as const;

/** A limit: by the name of a tier, or written out. */
export const rateSchema = z.union([
	z.object({ tier: z.enum(['free', 'standard', 'business', 'enterprise']) }).strict(),
	z
		.object({
			/** Requests in a window. */
			limit: z.number().int().min(1),
			/** Length of a window, in seconds. */
			windowSeconds: z
				.number()
				.min(0.1)
				.max(2 ** 31 - 1)
				.default(60),
		})
		.strict(),
]);

/** A limit as given in options and control. */
export type Rate = z.input<typeof rateSchema>;

/** The state of a caller's window after a request. */
export interface RateState {
	allowed: boolean;
	limit: number;
	remaining: number;
	/** Time until the window resets, in ms. */
	resetsInMs: number;
}

/** Counts requests by caller in fixed windows. */
export interface RateLimiter {
	/** Counts a request. Refused requests do not count. */
	take(caller: string): RateState;
	/** Sets the limit of one caller, or of all where none is named, and starts new windows. */
	set(rate: Rate, caller?: string): void;
	/** Requests in a window of a caller that has no limit of its own. */
	readonly standard: number;
}

const resolve = (rate: Rate) => {
	const parsed = rateSchema.parse(rate);
	return 'tier' in parsed
		? { limit: tiers[parsed.tier], windowMs: 60_000 }
		: { limit: parsed.limit, windowMs: parsed.windowSeconds * 1000 };
};

/** Windows that are kept before the expired ones are cleared away. */
const maximumWindows = 10_000;

/** Fixed windows by caller, on the clock that never steps back. A window starts with its first request. */
function createWindows(clock: Clock) {
	const windows = new Map<string, { used: number; endsAt: number }>();
	return {
		/** The window of a caller; a new one where the last has ended. */
		of(caller: string, windowMs: number) {
			const now = clock.monotonic();
			let window = windows.get(caller);
			if (!window || window.endsAt <= now) {
				if (windows.size >= maximumWindows) {
					for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
				}
				window = { used: 0, endsAt: now + windowMs };
				windows.set(caller, window);
			}
			return { window, leftMs: window.endsAt - now };
		},
		delete: (caller: string) => windows.delete(caller),
		clear: () => windows.clear(),
	};
}

/**
 * Makes the limiter of keys and accounts. It is ours because a refused request must not count, and
 * because X-RateLimit-Reset is a timestamp here.
 * @see service interface, part 8
 */
export function createRateLimiter(initial: Rate, clock: Clock): RateLimiter {
	let standard = resolve(initial);
	const own = new Map<string, ReturnType<typeof resolve>>();
	const windows = createWindows(clock);

	return {
		take(caller) {
			const { limit, windowMs } = own.get(caller) ?? standard;
			const { window, leftMs } = windows.of(caller, windowMs);
			const allowed = window.used < limit;
			if (allowed) window.used += 1;
			return { allowed, limit, remaining: limit - window.used, resetsInMs: leftMs };
		},
		set(rate, caller) {
			if (caller === undefined) {
				standard = resolve(rate);
				own.clear();
				windows.clear();
			} else {
				own.set(caller, resolve(rate));
				windows.delete(caller);
			}
		},
		get standard() {
			return standard.limit;
		},
	};
}

/** The three headers, and Retry-After where the request was refused. */
export function rateHeaders(state: RateState, clock: Clock): Record<string, string> {
	const { allowed, limit, remaining, resetsInMs } = state;
	const waitSeconds = Math.max(1, Math.ceil(resetsInMs / 1000));
	return {
		'x-ratelimit-limit': String(limit),
		'x-ratelimit-remaining': String(remaining),
		'x-ratelimit-reset': String(Math.ceil((clock.now() + resetsInMs) / 1000)),
		...(allowed ? {} : { 'retry-after': String(waitSeconds) }),
	};
}

/**
 * The windows of `@fastify/rate-limit`, by address and on the clock that never steps back: the library's
 * own would last as long as a clock is set back.
 */
export function addressWindows(clock: Clock): NonNullable<RateLimitOptions['store']> {
	return class {
		readonly #windows = createWindows(clock);
		incr(
			key: string,
			done: (error: Error | null, result?: { current: number; ttl: number }) => void,
			windowMs = 60_000,
		) {
			const { window, leftMs } = this.#windows.of(key, windowMs);
			window.used += 1;
			done(null, { current: window.used, ttl: leftMs });
		}
		child() {
			return new (addressWindows(clock))({});
		}
	} as unknown as NonNullable<RateLimitOptions['store']>;
}

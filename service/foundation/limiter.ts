/** Rate limits: who may send how many requests in a window of time. */
import { FifoMap } from 'toad-cache';
import { z } from 'zod/v4';
import type { Clock } from './clock.ts';
import { maximumTimerMs, tierNames, tiers } from './settings.ts';

/** A limit: by the name of a tier, or written out. */
export const rateSchema = z.union([
	z.strictObject({ tier: z.enum(tierNames) }),
	z.strictObject({
		/** Requests in a window. */
		limit: z.int().min(1),
		/** Length of a window, in seconds. */
		windowSeconds: z.number().min(0.1).max(maximumTimerMs).default(60),
	}),
]);

/** A limit as given in options and control. */
export type Rate = z.input<typeof rateSchema>;

/** How many requests a caller may send in a window. */
export interface Allowance {
	limit: number;
	windowMs: number;
}

/** The state of a caller's window. */
export interface RateState {
	allowed: boolean;
	limit: number;
	remaining: number;
	/** Time until the window resets, in ms. */
	resetsInMs: number;
}

/** An allowance for a minute. */
export const perMinute = (limit: number): Allowance => ({ limit, windowMs: 60_000 });

/** Attempts to sign in, and requests with a wrong credential, by address and minute. */
export const signInsPerMinute = 10;
export const wrongCredentialsPerMinute = 300;

/** Callers whose windows are kept; beyond, the oldest window ends early. */
const maximumWindows = 100_000;

const resolve = (rate: Rate): Allowance => {
	const parsed = rateSchema.parse(rate);
	return 'tier' in parsed
		? perMinute(tiers[parsed.tier])
		: { limit: parsed.limit, windowMs: parsed.windowSeconds * 1000 };
};

/**
 * Counts requests of keys, accounts and addresses in fixed windows, on a clock that never steps back. A refused request
 * doesn't count.
 * @see service interface, part 8
 */
export class Limiter {
	/** The limit of everybody who has no other. */
	standard: Allowance;
	readonly #byCaller = new Map<string, Allowance>();
	readonly #clock: Clock;
	readonly #windows = new FifoMap<{ used: number; startedAt: number }>(maximumWindows);

	constructor(standard: Rate, clock: Clock) {
		this.standard = resolve(standard);
		this.#clock = clock;
	}

	/** Counts a request unless the window is used up. */
	take(caller: string, allowance = this.#byCaller.get(caller) ?? this.standard): RateState {
		const { limit, windowMs } = allowance;
		const now = this.#clock.monotonic();
		let window = this.#windows.get(caller);
		if (!window || now - window.startedAt >= windowMs) {
			window = { used: 0, startedAt: now };
			this.#windows.set(caller, window);
		}
		const allowed = window.used < limit;
		if (allowed) window.used += 1;
		// In this order, so that rounding never adds to a whole second.
		const resetsInMs = windowMs - (now - window.startedAt);
		return { allowed, limit, remaining: Math.max(0, limit - window.used), resetsInMs };
	}

	/** Sets the limit of one caller, or of all if none is named, and starts new windows. */
	set(rate: Rate, caller?: string): void {
		if (caller === undefined) {
			this.standard = resolve(rate);
			this.#byCaller.clear();
			this.#windows.clear();
		} else {
			this.#byCaller.set(caller, resolve(rate));
			this.#windows.delete(caller);
		}
	}

	/** The three headers, and Retry-After if the request was refused. */
	headersOf({ allowed, limit, remaining, resetsInMs }: RateState): Record<string, string> {
		const waitSeconds = Math.max(1, Math.ceil(resetsInMs / 1000));
		return {
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(remaining),
			'x-ratelimit-reset': String(Math.ceil((this.#clock.now() + resetsInMs) / 1000)),
			...(allowed ? {} : { 'retry-after': String(waitSeconds) }),
		};
	}
}

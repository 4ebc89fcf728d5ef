/** Rate limits: who may send how many requests in a window of time. */
import { FifoMap } from 'toad-cache';
import { z } from 'zod/v4';
import type { Clock } from './clock.ts';
import { maximumTimerMs } from './settings.ts';

/** Requests in a window of 60 s, by subscription tier (DECISIONS.md). */
const tiers = { free: 60, standard: 600, business: 6_000, enterprise: 1_000_000 };
/** Name of a tier. */
export type Tier = keyof typeof tiers;
/** Names of the tiers, smallest first. */
export const tierNames = Object.keys(tiers) as Tier[];

/** How many requests a caller may send in a window. */
export interface Allowance {
	limit: number;
	windowMs: number;
}

/** An allowance for a minute. */
export const perMinute = (limit: number): Allowance => ({ limit, windowMs: 60_000 });

/** A limit: by the name of a tier, or written out. */
export const rateSchema = z.union([
	z.strictObject({ tier: z.enum(tierNames) }).transform(({ tier }) => perMinute(tiers[tier])),
	z
		.strictObject({
			/** Requests in a window. */
			limit: z.int().min(1),
			/** Length of a window, in seconds. */
			windowSeconds: z.number().min(0.1).max(maximumTimerMs).default(60),
		})
		.transform(({ limit, windowSeconds }) => ({ limit, windowMs: windowSeconds * 1000 })),
]);

/** A limit as given in options and control. */
export type Rate = z.input<typeof rateSchema>;

/** Callers whose windows are kept; beyond, the oldest window ends early. */
const maximumWindows = 100_000;

/**
 * Counts requests of keys, accounts and addresses in fixed windows, on a clock that never steps back. A refused request
 * doesn't count.
 * @see service interface, part 8
 */
export class Limiter {
	#standard: Allowance;
	readonly #clock: Clock;
	readonly #windows = new FifoMap<{ used: number; startedAt: number }>(maximumWindows);

	constructor(standard: Allowance, clock: Clock) {
		this.#standard = standard;
		this.#clock = clock;
	}

	/** Sets the limit of everybody, and starts new windows. */
	set(standard: Allowance): void {
		this.#standard = standard;
		this.#windows.clear();
	}

	/** Counts a request unless the window is used up. @returns whether it may pass, and headers for its response */
	take(caller: string, { limit, windowMs }: Allowance = this.#standard) {
		const now = performance.now();
		let window = this.#windows.get(caller);
		if (!window || now - window.startedAt >= windowMs) {
			window = { used: 0, startedAt: now };
			this.#windows.set(caller, window);
		}
		const isAllowed = window.used < limit;
		if (isAllowed) window.used += 1;
		// In this order, so that rounding never adds to a whole second.
		const resetsInMs = windowMs - (now - window.startedAt);
		const headers: Record<string, string> = {
			'x-ratelimit-limit': String(limit),
			'x-ratelimit-remaining': String(Math.max(0, limit - window.used)),
			'x-ratelimit-reset': String(Math.ceil((this.#clock.now() + resetsInMs) / 1000)),
		};
		if (!isAllowed) headers['retry-after'] = String(Math.max(1, Math.ceil(resetsInMs / 1000)));
		return { isAllowed, limit, headers };
	}
}

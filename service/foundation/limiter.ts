/** Rate limits: who may do how much in a window of time. */
import { FifoMap } from 'toad-cache';
import { z } from 'zod/v4';
import type { Clock } from './clock.ts';
import { type Tier, tierNames, tiers } from './tiers.ts';

/** A limit: by the name of a tier, or written out. */
export const rateSchema = z.union([
	z.object({ tier: z.enum(tierNames) }).strict(),
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

/** How much a caller may use in a window: requests or bytes. */
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

/** Counts what callers use, in fixed windows. */
export interface Limiter {
	/**
	 * Counts something unless the window is used up; what is refused does not count. The last thing in a window may
	 * cost more than remains: the next windows pay for that.
	 */
	take(caller: string, allowance: Allowance, cost?: number): RateState;
	/** Counts something that is already done. */
	charge(caller: string, allowance: Allowance, cost: number): void;
	/** Starts new windows for one caller, or for all. */
	forget(caller?: string): void;
}

/** Callers whose windows are kept; beyond, the oldest window ends early. Each takes some 100 bytes. */
const maximumWindows = 100_000;

/**
 * Makes the limiter of the service: for keys, accounts and addresses, for requests and bytes. It is ours because a
 * refused request must not count, and because windows must not stretch when the clock is set back.
 * @see service interface, part 8
 */
export function createLimiter(clock: Pick<Clock, 'monotonic'>): Limiter {
	interface Window {
		used: number;
		startedAt: number;
	}
	const windows = new FifoMap<Window>(maximumWindows);

	/** The window of a caller; a new one where the last has ended, with what was used beyond the limit. */
	const windowOf = (caller: string, { limit, windowMs }: Allowance, now: number) => {
		const known = windows.get(caller);
		const passed = known ? Math.max(0, Math.floor((now - known.startedAt) / windowMs)) : 0;
		if (known && passed === 0) return known;
		const used = known ? Math.max(0, known.used - limit * passed) : 0;
		const window = { used, startedAt: now };
		windows.set(caller, window);
		return window;
	};

	return {
		take(caller, allowance, cost = 1) {
			const { limit, windowMs } = allowance;
			const now = clock.monotonic();
			const window = windowOf(caller, allowance, now);
			const allowed = window.used < limit;
			if (allowed) window.used += cost;
			const windowsInDebt = Math.max(1, Math.floor(window.used / limit));
			return {
				allowed,
				limit,
				remaining: Math.max(0, limit - window.used),
				// In this order, so that rounding never adds to a whole second.
				resetsInMs: windowMs * (allowed ? 1 : windowsInDebt) - (now - window.startedAt),
			};
		},
		charge(caller, allowance, cost) {
			windowOf(caller, allowance, clock.monotonic()).used += cost;
		},
		forget(caller) {
			if (caller === undefined) windows.clear();
			else windows.delete(caller);
		},
	};
}

/** Which limit holds for whom. */
export interface Rates {
	/** The limit of a caller: set for it alone, that of its tier, or everybody's. */
	of(caller: string, tier?: Tier | null): Allowance;
	/** Sets the limit of one caller, or of all where none is named, and starts new windows. */
	set(rate: Rate, caller?: string): void;
}

const resolve = (rate: Rate): Allowance => {
	const parsed = rateSchema.parse(rate);
	return 'tier' in parsed
		? { limit: tiers[parsed.tier], windowMs: 60_000 }
		: { limit: parsed.limit, windowMs: parsed.windowSeconds * 1000 };
};

/** @param initial everybody's limit */
export function createRates(initial: Rate, limiter: Limiter): Rates {
	let standard = resolve(initial);
	const byCaller = new Map<string, Allowance>();
	const byTier = new Map(tierNames.map((tier) => [tier, resolve({ tier })]));
	return {
		of: (caller, tier = null) =>
			byCaller.get(caller) ?? (tier === null ? undefined : byTier.get(tier)) ?? standard,
		set(rate, caller) {
			if (caller === undefined) {
				standard = resolve(rate);
				byCaller.clear();
			} else byCaller.set(caller, resolve(rate));
			limiter.forget(caller);
		},
	};
}

/** The three headers, and Retry-After where the request was refused. */
export function rateHeaders(state: RateState, clock: Pick<Clock, 'now'>): Record<string, string> {
	const { allowed, limit, remaining, resetsInMs } = state;
	const waitSeconds = Math.max(1, Math.ceil(resetsInMs / 1000));
	return {
		'x-ratelimit-limit': String(limit),
		'x-ratelimit-remaining': String(remaining),
		'x-ratelimit-reset': String(Math.ceil((clock.now() + resetsInMs) / 1000)),
		...(allowed ? {} : { 'retry-after': String(waitSeconds) }),
	};
}

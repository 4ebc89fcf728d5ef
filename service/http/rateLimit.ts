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

/** How a refusal for the rate looks; all but the first of each is for trying clients. */
export const rateAnswerSchema = z
	.object({
		status: z.literal([429, 403, 503]).default(429),
		/** Whether there is a Retry-After header. */
		retryAfter: z.boolean().default(true),
		/** What X-RateLimit-Reset says, on every answer. */
		reset: z.enum(['seconds', 'milliseconds', 'past', 'far', 'missing']).default('seconds'),
	})
	.strict();

/** How a refusal for the rate looks. */
export type RateAnswer = z.output<typeof rateAnswerSchema>;

/** The state of a caller's window after a request. */
export interface RateState {
	allowed: boolean;
	limit: number;
	remaining: number;
	/** When the window resets, in ms since 1970 on the machine's clock. */
	resetAt: number;
}

/** Counts requests by caller in fixed windows. */
export interface RateLimiter {
	/** Counts a request. Refused requests do not count. */
	take(caller: string): RateState;
	/** Sets the limit of one caller, or of all where none is named, and starts new windows. */
	set(rate: Rate, caller?: string): void;
	/** The three headers, and Retry-After where the request was refused. */
	headers(state: RateState): Record<string, string>;
	answer: RateAnswer;
}

const resolve = (rate: Rate) => {
	const parsed = rateSchema.parse(rate);
	return 'tier' in parsed
		? { limit: tiers[parsed.tier], windowMs: 60_000 }
		: { limit: parsed.limit, windowMs: parsed.windowSeconds * 1000 };
};

/** Windows that are kept before the expired ones are cleared away. */
const maximumWindows = 10_000;

/**
 * Makes the limiter. A caller's window starts with the first request after the last one ended.
 * @see service interface, part 8
 */
export function createRateLimiter(initial: Rate, clock: Clock): RateLimiter {
	let standard = resolve(initial);
	const own = new Map<string, ReturnType<typeof resolve>>();
	const windows = new Map<string, { used: number; endsAt: number }>();

	return {
		answer: rateAnswerSchema.parse({}),
		take(caller) {
			const now = Date.now();
			const { limit, windowMs } = own.get(caller) ?? standard;
			let window = windows.get(caller);
			if (!window || window.endsAt <= now) {
				if (windows.size >= maximumWindows) {
					for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
				}
				window = { used: 0, endsAt: now + windowMs };
				windows.set(caller, window);
			}
			const allowed = window.used < limit;
			if (allowed) window.used += 1;
			return { allowed, limit, remaining: limit - window.used, resetAt: window.endsAt };
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
		headers({ allowed, limit, remaining, resetAt }) {
			const resetSeconds = Math.ceil((resetAt + clock.offsetSeconds * 1000) / 1000);
			const reset = {
				seconds: resetSeconds,
				milliseconds: resetSeconds * 1000,
				past: resetSeconds - 86_400,
				far: resetSeconds + 365 * 86_400,
				missing: undefined,
			}[this.answer.reset];
			const waitSeconds = Math.max(1, Math.ceil((resetAt - Date.now()) / 1000));
			return {
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': String(remaining),
				...(reset === undefined ? {} : { 'x-ratelimit-reset': String(reset) }),
				...(allowed || !this.answer.retryAfter ? {} : { 'retry-after': String(waitSeconds) }),
			};
		},
	};
}

/** The service's time, learned from its responses. */
import type { Clock } from './clock';
import { dateOf, type Headers } from './rateLimitHeaders';

/** How long a learned difference is valid, in ms, because either clock may be corrected. */
const VALID_FOR_MS = 60_000;
/** No response takes longer, in ms. If the difference exceeds this, the service's clock was set back. */
const MAX_DELAY_MS = 60_000;

/** The service's time, shared by everything in this process that uses one key. Times are in ms since the epoch. */
export interface ServiceClock {
	/** The service's time minus the local time, in ms; undefined before the first response. */
	readonly aheadMs: number | undefined;
	/** The service's time now. @param fallbackAheadMs the difference to use before the first response */
	now(fallbackAheadMs?: number): number;
	/** Returns true if the difference is unknown or more than a minute old. */
	isStale(): boolean;
	/** Learns from a response that has just arrived. A response without a date changes nothing. */
	learn(headers: Headers): void;
}

/** Creates a clock that hasn't learned anything yet. */
export function createServiceClock(clock: Pick<Clock, 'now'>): ServiceClock {
	let aheadMs: number | undefined;
	let learnedAt = -Infinity;

	// If the local clock was set back, the time of learning is in the future.
	const isStale = (now = clock.now()) => now - learnedAt > VALID_FOR_MS || now < learnedAt;

	return {
		get aheadMs() {
			return aheadMs;
		},
		now: (fallbackAheadMs = 0) => clock.now() + (aheadMs ?? fallbackAheadMs),
		isStale: () => isStale(),
		learn(headers) {
			const date = dateOf(headers);
			if (date === undefined) return;
			const now = clock.now();
			// The header is rounded down and the response took time, so the largest difference is the most exact.
			const behindMs = (aheadMs ?? NaN) - (date - now);
			if (behindMs >= 0 && behindMs < MAX_DELAY_MS && !isStale(now)) return;
			aheadMs = date - now;
			learnedAt = now;
		},
	};
}

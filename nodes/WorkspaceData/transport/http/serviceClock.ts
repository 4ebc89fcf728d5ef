/** The time at the service, as its answers tell it. */
import type { Clock } from './clock';
import { dateOf, type Headers } from './rateLimitHeaders';

/** How long a learned difference counts, in ms: either clock may be corrected. */
const VALID_FOR_MS = 60_000;
/** No answer takes longer, in ms: by more than this, the service's clock was put back. */
const MAX_DELAY_MS = 60_000;

/** The time at the service, shared by everything in this process that uses one key. Times are ms since the epoch. */
export interface ServiceClock {
	/** The service's time minus the local time, in ms; undefined if no answer has told it yet. */
	readonly aheadMs: number | undefined;
	/** The service's time now. @param fallbackAheadMs the difference to use if no answer has told it yet */
	now(fallbackAheadMs?: number): number;
	/** Whether the difference is unknown or more than a minute old. */
	isStale(): boolean;
	/** Learns from an answer that has just come. An answer without a date changes nothing. */
	learn(headers: Headers): void;
}

/** Creates a clock that has learned nothing yet. */
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
			// The header is rounded down, and the answer took some time: the largest difference is the most exact.
			const behindMs = (aheadMs ?? NaN) - (date - now);
			if (behindMs >= 0 && behindMs < MAX_DELAY_MS && !isStale(now)) return;
			aheadMs = date - now;
			learnedAt = now;
		},
	};
}

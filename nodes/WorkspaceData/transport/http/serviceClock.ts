/** The service's time, learned from its responses. */
import type { Clock } from './clock';
import { dateOf, type Headers } from './rateLimitHeaders';

/** How long a learned difference is valid, in ms, because either clock may be corrected. */
const VALID_FOR_MS = 60_000;
/** No response takes longer, in ms. If the difference exceeds this, the service's clock was set back. */
const MAX_DELAY_MS = 60_000;

/** The service's time, shared by everything in this process that uses one key. Times are in ms since the epoch. */
export class ServiceClock {
	private readonly clock: Pick<Clock, 'now'>;
	private learnedAt = -Infinity;
	/** The service's time minus the local time, in ms; undefined before the first response. */
	aheadMs: number | undefined;

	constructor(clock: Pick<Clock, 'now'>) {
		this.clock = clock;
	}

	/** The service's time now; the local time before the first response. */
	now(): number {
		return this.clock.now() + (this.aheadMs ?? 0);
	}

	/** Returns true if the difference is unknown or more than a minute old. */
	isStale(now = this.clock.now()): boolean {
		// If the local clock was set back, the time of learning is in the future.
		return now - this.learnedAt > VALID_FOR_MS || now < this.learnedAt;
	}

	/** Learns from a response that has just arrived. A response without a date changes nothing. */
	learn(headers: Headers): void {
		const date = dateOf(headers);
		if (date === undefined) return;
		const now = this.clock.now();
		// The header is rounded down and the response took time, so the largest difference is the most exact.
		const behindMs = (this.aheadMs ?? NaN) - (date - now);
		if (behindMs >= 0 && behindMs < MAX_DELAY_MS && !this.isStale(now)) return;
		this.aheadMs = date - now;
		this.learnedAt = now;
	}
}

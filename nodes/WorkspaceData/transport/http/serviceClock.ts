/** The service's time, learned from its responses. */
import type { Clock } from './clock';
import { dateOf, type Headers } from './rateLimitHeaders';

/** How long a learned difference is valid, in ms, because either clock may be corrected. */
const VALID_FOR_MS = 60_000;

/** The service's time, shared by everything in this process that uses one key. Times are in ms since the epoch. */
export class ServiceClock {
	private readonly clock: Pick<Clock, 'now'>;
	private learnedAt = -Infinity;
	/** The service's time minus the local time, in ms; undefined before the first response. */
	aheadMs: number | undefined;

	constructor(clock: Pick<Clock, 'now'>) {
		this.clock = clock;
	}

	/** The service's time now. @param fallbackAheadMs the difference to use before the first response */
	now(fallbackAheadMs = 0): number {
		return this.clock.now() + (this.aheadMs ?? fallbackAheadMs);
	}

	/** Returns true if the difference is unknown or more than a minute old. */
	isStale(): boolean {
		// If the local clock was set back, the time of learning is in the future.
		return Math.abs(this.clock.now() - this.learnedAt) > VALID_FOR_MS;
	}

	/** Learns from a response that has just arrived. A response without a date changes nothing. */
	learn(headers: Headers): void {
		const date = dateOf(headers);
		if (date === undefined) return;
		const now = this.clock.now();
		// The header is rounded down and the response took time, so the largest difference is the most exact.
		if (date - now <= (this.aheadMs ?? -Infinity) && !this.isStale()) return;
		this.aheadMs = date - now;
		this.learnedAt = now;
	}
}

/** The rate limit's window of one key, learned from the service's responses. */
import { MAX_WAIT_MS, readRemaining, readResetAt, type Headers } from './rateLimitHeaders';
import type { ServiceClock } from './serviceClock';

/** How long a request runs alone while nothing is known, in ms: one without a response must not delay all others. */
const ALONE_MS = 1_000;

/**
 * Decides when requests may be sent, so that the rate limit is used up but not exceeded. The first request of each
 * window runs alone to learn the limit. A service that sends no such headers isn't delayed. Times are in ms since the
 * epoch.
 */
export class RateWindow {
	private readonly serviceClock: ServiceClock;
	/** The number of requests left in the window; undefined if unknown, Infinity if the service states no limit. */
	private remaining: number | undefined;
	private resetAt = Infinity;

	constructor(serviceClock: ServiceClock) {
		this.serviceClock = serviceClock;
	}

	/**
	 * Returns 0 or less if a request may be sent; else ms to wait; Infinity if a response must come first.
	 *
	 * @param underWay the number of requests of the key that are under way
	 * @param sentAt when the last one was sent
	 */
	delay(now: number, underWay: number, sentAt: number): number {
		if (now >= this.resetAt) {
			this.remaining = undefined;
			this.resetAt = Infinity;
		}
		if (this.remaining === undefined) return underWay === 0 ? 0 : sentAt + ALONE_MS - now;
		if (this.remaining > underWay) return 0;
		const ms = this.resetAt - now;
		if (ms <= MAX_WAIT_MS) return ms;
		// The reset is unknown, or so far away that it may be wrong: one request at a time asks.
		return underWay === 0 ? 0 : Infinity;
	}

	/** Learns from the headers of a response that has just arrived. */
	learn(headers: Headers, now: number): void {
		const remaining = readRemaining(headers);
		if (remaining === undefined) {
			this.remaining ??= Infinity;
			return;
		}
		const resetAt = readResetAt(headers, now, this.serviceClock.now()) ?? Infinity;
		const isSameWindow = Math.abs(resetAt - this.resetAt) < 1_500;
		this.remaining = isSameWindow ? Math.min(this.remaining ?? Infinity, remaining) : remaining;
		this.resetAt = resetAt;
	}
}

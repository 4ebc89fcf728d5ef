/** The rate limit's window of one key, learned from the service's responses. */
import { MAX_WAIT_MS, readRateLimit, type Headers, type RateLimit } from './rateLimitHeaders';
import type { ServiceClock } from './serviceClock';

/**
 * How long the first request of a window runs alone, in ms, and each request as long as nothing is known. A
 * request without a response must not delay all others.
 */
const ALONE_MS = 1_000;

/**
 * Decides when requests may be sent, so that the rate limit is used up but not exceeded. The very first request runs
 * alone to learn the limit. A service that sends no such headers isn't delayed. Times are in ms since the epoch.
 */
export class RateWindow {
	private readonly serviceClock: ServiceClock;
	private knowledge: 'nothing' | 'unlimited' | 'window' = 'nothing';
	/** Has no reset while the first request of a new window is under way. */
	private window: RateLimit = { limit: undefined, remaining: 0, resetAt: undefined };
	/** Until when the first request of a window runs alone; 0 if none does. */
	private aloneUntil = 0;
	/** When to send one request to check the limit, however far away the stated reset is. */
	private lookAgainAt = 0;

	constructor(serviceClock: ServiceClock) {
		this.serviceClock = serviceClock;
	}

	sent(now: number): void {
		if (this.knowledge === 'nothing') this.aloneUntil = now + ALONE_MS;
	}

	/**
	 * Returns 0 or less if a request may be sent; else ms to wait; Infinity if a response must come first.
	 *
	 * @param underWay the number of requests of the key that are under way
	 */
	delay(now: number, underWay: number): number {
		if (this.knowledge === 'unlimited') return 0;
		if (this.knowledge === 'nothing') return underWay === 0 ? 0 : this.aloneUntil - now;
		this.turn(now);
		if (this.window.remaining > underWay) return 0;
		const { resetAt } = this.window;
		if (resetAt === undefined && underWay === 0) return 0;
		if (resetAt === undefined) return this.aloneUntil > 0 ? this.aloneUntil - now : Infinity;
		// The local clock may have been set back.
		this.lookAgainAt = Math.min(this.lookAgainAt, now + MAX_WAIT_MS);
		return Math.min(resetAt, underWay === 0 ? this.lookAgainAt : Infinity) - now;
	}

	/** Learns from the headers of a response that has just arrived. */
	learn(headers: Headers, now: number): void {
		const stated = readRateLimit(headers, now, this.serviceClock.now());
		if (!stated) {
			if (this.knowledge !== 'nothing') return;
			this.knowledge = 'unlimited';
			this.aloneUntil = 0;
			return;
		}
		const { remaining, resetAt } = this.window;
		const isSameWindow = Math.abs((stated.resetAt ?? NaN) - (resetAt ?? NaN)) < 1_500;
		this.knowledge = 'window';
		this.window = {
			...stated,
			remaining: isSameWindow ? Math.min(remaining, stated.remaining) : stated.remaining,
		};
		this.aloneUntil = 0;
		this.lookAgainAt = now + MAX_WAIT_MS;
	}

	/** Starts the next window when the known one should be over. One request goes first to learn the limit. */
	private turn(now: number): void {
		const { limit, resetAt } = this.window;
		if (now >= (resetAt ?? Infinity)) {
			this.window = { limit, remaining: 1, resetAt: undefined };
			this.aloneUntil = now + ALONE_MS;
		} else if (this.aloneUntil > 0 && now >= this.aloneUntil) {
			this.window.remaining = limit ?? 1;
			this.aloneUntil = 0;
		}
	}
}

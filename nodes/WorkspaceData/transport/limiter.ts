/** Paces the requests of one key in this process: executions take turns, within a number at once and the rate limit. */
import type { Clock } from './clock';
import { Cancelled, RequestError } from './errors';

/** Parallel requests of a key, unless the user sets another number. */
export const AT_ONCE = 16;
/** A longer wait for the rate limit, in ms, isn't begun. */
export const MAX_WAIT_MS = 5 * 60_000;
/** The first pause after a refusal that doesn't say how long, in ms; it doubles up to the maximum. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** How long a request runs alone while nothing is known of the limit, in ms. */
const ALONE_MS = 1_000;
/** How long a difference between the clocks counts, in ms, because either may be corrected. */
const CLOCK_VALID_MS = 60_000;

/** What a request needs for its turn. */
export interface Turn {
	/** The execution. */
	owner: object;
	/** How many requests the execution may have under way. */
	width: number;
	/** The longest wait for the rate limit, in ms. */
	patienceMs: number;
	signals: readonly AbortSignal[];
}

interface Waiting extends Turn {
	start(): void;
	fail(error: Error): void;
}

/** The headers of a response, with names in lower case. */
type Headers = Record<string, unknown>;

const numberIn = (headers: Headers, name: string): number => Number(headers[name] ?? NaN);

/** Times are in ms since the epoch. */
export class Limiter {
	private readonly clock: Clock;
	private waiting: Waiting[] = [];
	/** The owners of the requests under way, once for each. */
	private readonly underWay: object[] = [];
	private sentAt = 0;
	/** Requests left in the window; undefined if unknown. */
	private remaining: number | undefined;
	/** The end of the window, by the service's clock. */
	private resetAt = Infinity;
	/** Nothing is sent before this time. */
	private pausedUntil = 0;
	/** Refusals in a row. */
	private refusals = 0;
	/** The service's time minus this clock's, in ms. */
	private ahead = { ms: 0, learnedAt: -Infinity };
	private wakeAt = Infinity;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Waits until a request may be sent. `leave` must follow.
	 *
	 * @param isAgain true if it goes before the others of its execution, because it was sent before
	 * @throws RequestError if the rate limit holds it for longer than its patience
	 * @throws Cancelled if one of its signals is aborted
	 */
	async enter(turn: Turn, isAgain = false): Promise<void> {
		if (turn.signals.some(({ aborted }) => aborted)) throw new Cancelled();
		let cancel = (): void => {};
		await new Promise<void>((start, fail) => {
			const waiting = { ...turn, start, fail };
			cancel = () => {
				this.waiting = this.waiting.filter((one) => one !== waiting);
				fail(new Cancelled());
			};
			for (const signal of turn.signals) signal.addEventListener('abort', cancel);
			this.waiting[isAgain ? 'unshift' : 'push'](waiting);
			this.startMore();
		}).finally(() => {
			for (const signal of turn.signals) signal.removeEventListener('abort', cancel);
		});
	}

	/**
	 * Ends a request, and learns from its response.
	 *
	 * @returns how long the service refuses requests, in ms
	 */
	leave({ owner }: Turn, response?: { status: number; headers: Headers }): number {
		this.underWay.splice(this.underWay.indexOf(owner), 1);
		const now = this.clock.now();
		if (response) this.learn(response.headers, now);
		const ms = response?.status === 429 ? this.pause(response.headers, now) : 0;
		if (response && ms === 0) this.refusals = 0;
		this.startMore();
		return ms;
	}

	/** Learns from the headers. @see service interface, part 8 */
	private learn(headers: Headers, now: number): void {
		const aheadMs = Date.parse(String(headers.date)) - now;
		const isOld = Math.abs(now - this.ahead.learnedAt) > CLOCK_VALID_MS;
		// Date is rounded down and the response took time, so the largest difference is the most exact.
		if (aheadMs > this.ahead.ms || (isOld && !Number.isNaN(aheadMs))) {
			this.ahead = { ms: aheadMs, learnedAt: now };
		}
		const remaining = numberIn(headers, 'x-ratelimit-remaining');
		const resetAt = numberIn(headers, 'x-ratelimit-reset') * 1_000;
		const isSameWindow = resetAt === this.resetAt;
		if (Number.isNaN(remaining + resetAt)) this.remaining ??= Infinity;
		else
			this.remaining = isSameWindow ? Math.min(this.remaining ?? Infinity, remaining) : remaining;
		if (!Number.isNaN(resetAt)) this.resetAt = resetAt;
	}

	/** Pauses until `Retry-After` or the reset; else for a second, doubled after each refusal. */
	private pause(headers: Headers, now: number): number {
		if (now >= this.pausedUntil) this.refusals += 1;
		const unstated = Math.min(FIRST_PAUSE_MS * 2 ** (this.refusals - 1), MAX_PAUSE_MS);
		const stated = [numberIn(headers, 'retry-after') * 1_000, this.untilReset(now)];
		const ms = Math.max(stated.find(Number.isFinite) ?? 0, unstated);
		this.pausedUntil = Math.max(this.pausedUntil, now + ms);
		this.remaining = undefined;
		return this.pausedUntil - now;
	}

	private untilReset(now: number): number {
		return this.resetAt - this.ahead.ms - now;
	}

	/** How long the rate limit allows no request, in ms; Infinity until a response comes. */
	private heldFor(now: number): number {
		if (this.pausedUntil > now) return this.pausedUntil - now;
		const ms = this.untilReset(now);
		if (ms <= 0) [this.remaining, this.resetAt] = [undefined, Infinity];
		const isIdle = this.underWay.length === 0;
		// The first request of a window runs alone.
		if (this.remaining === undefined) return isIdle ? 0 : this.sentAt + ALONE_MS - now;
		if (this.remaining > this.underWay.length) return 0;
		// A far reset is tried with one request at a time.
		return ms <= MAX_WAIT_MS ? ms : isIdle ? 0 : Infinity;
	}

	/** The request of the execution with the fewest under way. */
	private next(): Waiting | undefined {
		const sent = (owner: object) => this.underWay.filter((one) => one === owner).length;
		return this.waiting
			.filter(({ owner, width }) => sent(owner) < width)
			.filter(({ width }) => this.underWay.length < Math.max(AT_ONCE, width))
			.reduce<Waiting | undefined>(
				(best, one) => (!best || sent(one.owner) < sent(best.owner) ? one : best),
				undefined,
			);
	}

	/** Starts all requests that may start, and looks again when more may. */
	private startMore(): void {
		for (let first = this.next(); first; first = this.next()) {
			const now = this.clock.now();
			const ms = this.heldFor(now);
			const impatient = ms < Infinity && this.waiting.find(({ patienceMs }) => patienceMs < ms);
			if (ms > 0 && !impatient) return this.wakeIn(ms, now);
			const chosen = impatient || first;
			this.waiting = this.waiting.filter((one) => one !== chosen);
			if (impatient) impatient.fail(closedUntil(now + ms));
			else this.start(chosen, now);
		}
	}

	private start({ owner, start }: Waiting, now: number): void {
		this.underWay.push(owner);
		this.sentAt = now;
		start();
	}

	private wakeIn(ms: number, now: number): void {
		if (now + ms >= this.wakeAt) return;
		this.wakeAt = now + ms;
		void this.clock.sleep(ms).then(() => {
			if (this.wakeAt !== now + ms) return;
			this.wakeAt = Infinity;
			this.startMore();
		});
	}
}

/** The error for a wait that isn't begun. @param ms when the service is open again, by this clock */
export function closedUntil(ms: number): RequestError {
	// The latest that JavaScript knows if it is later.
	const time = new Date(Math.min(ms + 60_000, 8.64e15))
		.toISOString()
		.slice(0, 16)
		.replace('T', ' ');
	return new RequestError(`Rate limit reached: the service is open again at ${time} UTC`, {
		status: 429,
		isTransient: true,
		advice: 'Try again after the limit resets.',
	});
}

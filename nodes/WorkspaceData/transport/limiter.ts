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

interface Waiting {
	turn: Turn;
	start(): void;
	fail(error: Error): void;
}

/** The requests of one execution. */
interface Lane {
	waiting: Waiting[];
	underWay: number;
}

/** The headers of a response, with names in lower case. */
export type Headers = Record<string, unknown>;

const numberIn = (headers: Headers, name: string): number | undefined => {
	const number = Number(headers[name] ?? NaN);
	return Number.isFinite(number) ? number : undefined;
};

/** Times are in ms since the epoch. */
export class Limiter {
	/** How long the rate limit has held requests, in ms. */
	heldMs = 0;
	private readonly clock: Clock;
	/** The next execution first. */
	private readonly lanes = new Map<object, Lane>();
	private underWay = 0;
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
	 * @param isFirst true if it goes before the others of its execution
	 * @throws RequestError if the rate limit holds it for longer than its patience
	 * @throws Cancelled if one of its signals is aborted
	 */
	async enter(turn: Turn, isFirst = false): Promise<void> {
		if (turn.signals.some(({ aborted }) => aborted)) throw new Cancelled();
		const lane = this.lanes.get(turn.owner) ?? { waiting: [], underWay: 0 };
		this.lanes.set(turn.owner, lane);
		let cancel = (): void => {};
		await new Promise<void>((start, fail) => {
			const waiting = { turn, start, fail };
			cancel = () => {
				lane.waiting = lane.waiting.filter((one) => one !== waiting);
				this.forget(turn.owner);
				fail(new Cancelled());
				this.startMore();
			};
			for (const signal of turn.signals) signal.addEventListener('abort', cancel);
			lane.waiting[isFirst ? 'unshift' : 'push'](waiting);
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
		this.underWay -= 1;
		const lane = this.lanes.get(owner);
		if (lane) lane.underWay -= 1;
		this.forget(owner);
		const now = this.clock.now();
		if (response) this.learn(response.headers, now);
		const ms = response?.status === 429 ? this.pause(response.headers, now) : 0;
		if (response && ms === 0) this.refusals = 0;
		this.startMore();
		return ms;
	}

	/** Forgets an execution without requests. */
	private forget(owner: object): void {
		const lane = this.lanes.get(owner);
		if (lane?.underWay === 0 && lane.waiting.length === 0) this.lanes.delete(owner);
	}

	/** Learns from the headers. @see service interface, part 8 */
	private learn(headers: Headers, now: number): void {
		const date = Date.parse(String(headers.date));
		const isOld = Math.abs(now - this.ahead.learnedAt) > CLOCK_VALID_MS;
		// Date is rounded down and the response took time, so the largest difference is the most exact.
		if (date - now > this.ahead.ms || (isOld && !Number.isNaN(date))) {
			this.ahead = { ms: date - now, learnedAt: now };
		}
		const remaining = numberIn(headers, 'x-ratelimit-remaining');
		const reset = numberIn(headers, 'x-ratelimit-reset');
		if (remaining === undefined || reset === undefined) {
			this.remaining ??= Infinity;
			return;
		}
		const isSameWindow = reset * 1_000 === this.resetAt;
		this.remaining = isSameWindow ? Math.min(this.remaining ?? Infinity, remaining) : remaining;
		this.resetAt = reset * 1_000;
	}

	/** Pauses until `Retry-After` or the reset; else for a second, doubled after each refusal. */
	private pause(headers: Headers, now: number): number {
		if (now >= this.pausedUntil) this.refusals += 1;
		const unstated = Math.min(FIRST_PAUSE_MS * 2 ** (this.refusals - 1), MAX_PAUSE_MS);
		const retryAfter = numberIn(headers, 'retry-after');
		const stated = retryAfter === undefined ? this.untilReset(now) : retryAfter * 1_000;
		const ms = Math.max(Number.isFinite(stated) ? stated : 0, unstated);
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
		// The first request of a window runs alone.
		if (this.remaining === undefined) return this.underWay === 0 ? 0 : this.sentAt + ALONE_MS - now;
		if (this.remaining > this.underWay) return 0;
		// A far reset is tried with one request at a time.
		return ms <= MAX_WAIT_MS ? ms : this.underWay === 0 ? 0 : Infinity;
	}

	/** Starts all requests that may start, and looks again when more may. */
	private startMore(): void {
		for (;;) {
			const now = this.clock.now();
			const ms = this.heldFor(now);
			if (this.pausedUntil > now || ms > 0) this.refuseImpatient(ms, now);
			const next = [...this.lanes.values()].find(
				({ waiting: [first], underWay }) => first && underWay < first.turn.width,
			);
			const first = next?.waiting[0];
			if (!next || !first || this.underWay >= Math.max(AT_ONCE, first.turn.width)) return;
			if (ms > 0) return this.wakeIn(ms, now);
			this.start(next, first, now);
		}
	}

	private start(lane: Lane, first: Waiting, now: number): void {
		lane.waiting.shift();
		lane.underWay += 1;
		this.underWay += 1;
		this.sentAt = now;
		// This execution goes to the end of the line.
		this.lanes.delete(first.turn.owner);
		this.lanes.set(first.turn.owner, lane);
		first.start();
	}

	/** Ends the waits of requests that the rate limit holds for longer than their patience. */
	private refuseImpatient(ms: number, now: number): void {
		for (const lane of this.lanes.values()) {
			const refused =
				ms === Infinity ? [] : lane.waiting.filter(({ turn }) => turn.patienceMs < ms);
			lane.waiting = lane.waiting.filter((one) => !refused.includes(one));
			for (const { turn, fail } of refused) {
				this.forget(turn.owner);
				fail(closedUntil(now + ms));
			}
		}
	}

	private wakeIn(ms: number, now: number): void {
		if (ms === Infinity || now + ms >= this.wakeAt) return;
		this.wakeAt = now + ms;
		const isLimited = this.remaining !== undefined || this.pausedUntil > now;
		void this.clock.sleep(ms).then(() => {
			if (this.wakeAt !== now + ms) return;
			if (isLimited) this.heldMs += ms;
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

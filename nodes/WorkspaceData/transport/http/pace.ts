/** Paces the requests of one key: executions take turns, within a number at once and the rate limit. */
import type { ReadOptions } from '../request';
import type { Clock } from './clock';
import { type Headers, MAX_WAIT_MS } from './rateLimitHeaders';
import { RateWindow } from './rateWindow';
import { IMPATIENT_WAIT_MS } from './retryPolicy';
import { ServiceClock } from './serviceClock';

/** Parallel requests of a key in this process, unless the user sets another number. */
const AT_ONCE = 16;
/** The largest number that a user can set. */
const MAX_AT_ONCE = 64;
/** How often waiting requests check the clock again, in ms, because it may have been set. */
const LOOK_AGAIN_MS = 1_000;

/** The number of parallel requests that an execution may have. */
export const atOnce = ({ maxParallel = AT_ONCE }: Pick<ReadOptions, 'maxParallel'>): number =>
	Math.min(maxParallel, MAX_AT_ONCE);

/** A request that waits for its turn, or is under way. */
export interface Place {
	lane: Lane;
	request: ReadOptions;
	/** It waits until this time at most, in ms since the epoch. */
	until: number;
	/** Ends the wait. Receives undefined if the request isn't to be sent. */
	resolve(place: Place | undefined): void;
}

/** The requests of one execution. */
export class Lane {
	readonly waiting: Place[] = [];
	running = 0;
	pauses = 0;

	/** The next request, if this execution has one that may be sent. */
	get next(): Place | undefined {
		const [first] = this.waiting;
		if (!first || (this.pauses > 0 && !first.request.ahead)) return undefined;
		return this.running < atOnce(first.request) ? first : undefined;
	}
}

/** Shared by all executions of this process that use the same key. Times are in ms since the epoch. */
export class Pace {
	readonly serviceClock: ServiceClock;
	private readonly clock: Clock;
	private readonly window: RateWindow;
	private readonly underWay = new Set<Place>();
	/** The executions with waiting requests, the next one first. */
	private readonly lanes = new Set<Lane>();
	private closedUntil = 0;
	/** When the last request was sent. */
	private sentAt = -Infinity;
	private wakeAt = Infinity;
	/** How long the rate limit has held requests, in ms, and since when it holds some. */
	private held: { ms: number; since?: number } = { ms: 0 };

	constructor(clock: Clock) {
		this.clock = clock;
		this.serviceClock = new ServiceClock(clock);
		this.window = new RateWindow(this.serviceClock);
	}

	/** The total time that requests have waited for the rate limit, in ms. */
	get heldMs(): number {
		const { ms, since } = this.held;
		return since === undefined ? ms : ms + Math.max(0, this.clock.now() - since);
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @param isFirst true if it goes before the others of its execution
	 * @param isChange true if it changes something
	 * @returns its place, which must be passed to `leave`; undefined after `cancel`
	 */
	async enter(
		lane: Lane,
		request: ReadOptions,
		{ isFirst = false, isChange = false } = {},
	): Promise<Place | undefined> {
		return await new Promise((resolve) => {
			const until = this.clock.now() + (request.impatient ? IMPATIENT_WAIT_MS : Infinity);
			lane.waiting[isFirst ? 'unshift' : 'push']({ lane, request, until, resolve });
			this.lanes.add(lane);
			// The first change waits for a turn of the event loop: a failed item may stop the run before it is sent.
			if (isChange && this.underWay.size === 0) this.startSoon(0);
			else this.startMore();
		});
	}

	/** Ends all waiting requests of an execution. */
	cancel(lane: Lane): void {
		this.lanes.delete(lane);
		for (const place of lane.waiting.splice(0)) place.resolve(undefined);
		this.startMore();
	}

	/**
	 * Must follow each `enter`.
	 *
	 * @param headers of the response, if one came
	 * @param closedUntil nothing is sent before this time, because of the rate limit
	 */
	leave(place: Place, headers: Headers | undefined, closedUntil = 0): void {
		this.closedUntil = Math.max(this.closedUntil, closedUntil);
		if (headers) {
			this.serviceClock.learn(headers);
			this.window.learn(headers, this.clock.now());
		}
		this.underWay.delete(place);
		place.lane.running -= 1;
		this.startMore();
	}

	/**
	 * Pauses the requests of an execution, except for those with `ahead`.
	 *
	 * @returns a function that resumes them on the next tick, so that the first to see a failure can stop them; must be
	 * called once
	 */
	pause(lane: Lane): () => void {
		lane.pauses += 1;
		return () =>
			void this.clock.sleep(0).then(() => {
				lane.pauses -= 1;
				this.startMore();
			});
	}

	/** Starts all requests that may start, and checks again when more may. */
	private startMore(): void {
		let ms = 0;
		while (ms <= 0) ms = this.startNext(this.clock.now());
		if (ms < Infinity) this.startSoon(Math.min(ms, LOOK_AGAIN_MS));
	}

	private startSoon(ms: number): void {
		const at = this.clock.now() + ms;
		if (at >= this.wakeAt) return;
		this.wakeAt = at;
		void this.clock.sleep(ms).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.startMore();
		});
	}

	/** Starts one request. @returns 0, ms to wait, or Infinity if none waits or a response must come first */
	private startNext(now: number): number {
		const heads = [...this.lanes].flatMap((lane) => lane.next ?? []);
		const heldMs = heads.length > 0 ? this.heldFor(now) : 0;
		this.noteHeld(heldMs > 0 && this.underWay.size === 0, now);
		const due = heads.find(({ until }) => until <= now);
		const place = due ?? heads[0];
		if (!place) return Infinity;
		const ms = due ? 0 : Math.max(heldMs, this.turnIn(heads, now));
		if (ms > 0) return Math.min(ms, ...heads.map(({ until }) => until - now));
		const { lane } = place;
		lane.waiting.shift();
		// This execution goes to the end of the line.
		this.lanes.delete(lane);
		if (lane.waiting.length > 0) this.lanes.add(lane);
		this.sentAt = now;
		this.underWay.add(place);
		lane.running += 1;
		place.resolve(place);
		return 0;
	}

	/** Returns how long the rate limit allows no request, in ms. */
	private heldFor(now: number): number {
		// The local clock may have been set back.
		this.closedUntil = Math.min(this.closedUntil, now + MAX_WAIT_MS);
		this.sentAt = Math.min(this.sentAt, now);
		const windowMs = this.window.delay(now, this.underWay.size, this.sentAt);
		return Math.max(this.closedUntil - now, windowMs);
	}

	/** Returns how long the numbers that users have set allow no request, in ms; Infinity until a response comes. */
	private turnIn(heads: readonly Place[], now: number): number {
		const current = [...heads, ...this.underWay].map(({ request }) => request);
		if (this.underWay.size >= Math.max(AT_ONCE, ...current.map(atOnce))) return Infinity;
		const rate = Math.min(...current.map(({ requestsPerSecond = Infinity }) => requestsPerSecond));
		return this.sentAt + 1_000 / rate - now;
	}

	private noteHeld(isHeld: boolean, now: number): void {
		const since = isHeld ? (this.held.since ?? now) : undefined;
		this.held = since === undefined ? { ms: this.heldMs } : { ms: this.held.ms, since };
	}
}

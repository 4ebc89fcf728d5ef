/** Paces the requests of one key: the rate limit's window, parallel requests, and the order of executions. */
import {
	AccessTokenError,
	isTimeOut,
	isTransientStatus,
	NetworkFailure,
} from '../failure/failures';
import type { ApiResponse, ApiRequest, ReadOptions } from '../request';
import { PageSize } from '../pageSize';
import type { Clock } from './clock';
import { hasNoneLeft, isRateLimited, MAX_WAIT_MS } from './rateLimitHeaders';
import { RateWindow } from './rateWindow';
import { IMPATIENT_WAIT_MS, isRepeatable } from './retryPolicy';
import { ServiceClock } from './serviceClock';

/** The default maximum of parallel requests, in all executions of this process, and the maximum during a create. */
const AT_ONCE = 16;
const AT_ONCE_WITH_CREATES = 8;
/** The maximum that a user can set. */
const MAX_AT_ONCE = 64;
/** How long half as many requests run in parallel after the service was overloaded, in ms. */
const REDUCED_MS = 60_000;
/** How often waiting requests check the clock again, in ms, because it may have been set. */
const LOOK_AGAIN_MS = 1_000;
/** The maximum time between two creates, in ms: n8n takes about one to send a request. */
const MAX_GAP_MS = 10;
/** How long requests of a waiting user fail immediately after a timeout, in ms. */
const SILENT_MS = 20_000;
/** The number of consecutive timeouts after which the rest of an execution fails immediately. */
const MAX_TIMEOUTS = 3;
/** A timeout below this, in ms, says nothing about the service: the limit may just be too short. */
const MIN_TIMEOUT_MS = 5_000;
/** Statuses of a service or gateway that is overloaded or down. A 500 says nothing about load. */
const OVERLOADED = new Set([408, 429, 502, 503, 504]);

export type PacedRequest = Pick<ApiRequest, 'method' | 'shrinks'> & ReadOptions;

/** A request that waits for its turn, or is under way. */
export interface Place {
	lane: Lane;
	request: PacedRequest;
	/** It waits until this time at most, in ms since the epoch. */
	until: number;
	/** When it was sent, in ms since the epoch. */
	sentAt: number;
	/** Ends the wait. Receives undefined if the request isn't to be sent. */
	resolve(place: Place | undefined): void;
}

/** The result of an attempt: a response, a fault, or undefined if it was canceled. */
type Outcome = ApiResponse | Error | undefined;

/** The requests of one execution. Executions take turns, so that a long one doesn't delay a short one. */
export class Lane {
	readonly waiting: Place[] = [];
	running = 0;
	pauses = 0;
	/** The number of timeouts since the last response. */
	timeOuts = 0;
	/** The total time that requests have waited for the rate limit, in ms. */
	heldMs = 0;
	private heldSince: number | undefined;

	/** The next request, if this execution has one that may be sent. */
	get next(): Place | undefined {
		const [first] = this.waiting;
		if (!first || this.pauses > 0) return undefined;
		return this.running < Math.max(1, first.request.maxParallel ?? Infinity) ? first : undefined;
	}

	/** Measures the time for which the rate limit delays requests. */
	note(isHeld: boolean, now: number): void {
		if (isHeld) this.heldSince ??= this.next && now;
		else if (this.heldSince !== undefined) {
			this.heldMs += Math.max(0, now - this.heldSince);
			this.heldSince = undefined;
		}
	}
}

/** Returns true if a response asks to wait and try again. */
export const asksToWait = (
	{ status, headers }: ApiResponse,
	{ method }: Pick<ApiRequest, 'method'>,
): boolean => isRateLimited(status, headers, isRepeatable(method)) || isTransientStatus(status);

/** Returns true if an attempt met a service or gateway that is overloaded. */
function isOverload(outcome: Outcome): boolean {
	if (outcome === undefined) return false;
	if (outcome instanceof Error) return outcome instanceof NetworkFailure && outcome.transient;
	// A window that is used up says nothing about how many requests may run in parallel.
	return OVERLOADED.has(outcome.status) && !hasNoneLeft(outcome.headers);
}

/** Shared by all executions of this process that use the same key. Times are in ms since the epoch. */
export class Pace {
	readonly serviceClock: ServiceClock;
	readonly pageSize: PageSize;
	private readonly clock: Clock;
	private readonly window: RateWindow;
	private readonly underWay = new Set<Place>();
	/** The executions with waiting requests, the next one first. */
	private readonly lanes = new Set<Lane>();
	/** Requests that are sent before all others, the one with the earliest deadline first. */
	private urgent: Place[] = [];
	private closedUntil = 0;
	/** When the last request was sent. */
	private sentAt = -Infinity;
	/** How long nothing is sent after it, in ms. */
	private gapMs = 0;
	/** How long the last response took, in ms. */
	private tookMs = 0;
	private wakeAt = Infinity;
	/** The reduced maximum of parallel requests, and when it was reduced. */
	private reduced = { to: Infinity, at: -Infinity };
	/** When the service last responded without asking to wait. */
	servedAt = -Infinity;
	/** Until when a waiting user's requests fail immediately, because the service didn't respond in time. */
	private silentUntil = 0;

	constructor(clock: Clock) {
		this.clock = clock;
		this.serviceClock = new ServiceClock(clock);
		this.pageSize = new PageSize(clock);
		this.window = new RateWindow(this.serviceClock);
	}

	/** The maximum of parallel requests if this one is among them. */
	atOnce({ method, maxParallel = 0 }: Pick<PacedRequest, 'method' | 'maxParallel'>): number {
		const usual = isRepeatable(method) ? AT_ONCE : AT_ONCE_WITH_CREATES;
		// The user may set a higher maximum, as long as the service isn't overloaded.
		const wanted = Math.max(usual, Math.min(maxParallel, MAX_AT_ONCE));
		const isReduced = this.clock.now() < Math.max(this.reduced.at, this.closedUntil) + REDUCED_MS;
		return isReduced ? Math.min(wanted, this.reduced.to) : wanted;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @param isAgain true if it was sent before: it then goes before the others of its execution
	 * @returns its place, which must be passed to `leave`; undefined after `cancel`
	 */
	async enter(lane: Lane, request: PacedRequest, isAgain: boolean): Promise<Place | undefined> {
		return await new Promise((resolve) => {
			const until = this.clock.now() + (request.impatient ? IMPATIENT_WAIT_MS : Infinity);
			const place = { lane, request, until, sentAt: NaN, resolve };
			if (request.ahead || request.impatient) {
				this.urgent.push(place);
				this.urgent.sort((a, b) => a.until - b.until);
			} else {
				this.lanes.add(lane);
				lane.waiting[isAgain ? 'unshift' : 'push'](place);
			}
			// The first change waits for a turn of the event loop: a failed item may stop the run before it is sent.
			const isFirst = this.underWay.size === 0 && request.method !== 'GET';
			void (isFirst ? this.clock.sleep(0).then(() => this.startMore()) : this.startMore());
		});
	}

	/** Ends all waiting requests of an execution. */
	cancel(lane: Lane): void {
		const ended = lane.waiting.splice(0).concat(this.urgent.filter((one) => one.lane === lane));
		this.urgent = this.urgent.filter((one) => one.lane !== lane);
		this.lanes.delete(lane);
		for (const place of ended) place.resolve(undefined);
	}

	/** Must follow each `enter`. @param closedUntil nothing is sent before this time, because of the rate limit */
	leave(place: Place, outcome: Outcome, closedUntil = 0): void {
		const { lane } = place;
		this.closedUntil = Math.max(this.closedUntil, closedUntil);
		this.learn(place, outcome, this.clock.now());
		this.underWay.delete(place);
		lane.running -= 1;
		if (lane.timeOuts >= MAX_TIMEOUTS) this.cancel(lane);
		this.startMore();
	}

	/** Returns true if a request isn't to be sent, because the service didn't respond to the previous ones in time. */
	isSilent({ timeOuts }: Lane, { impatient, insistent }: PacedRequest): boolean {
		const isWaitedFor = impatient && this.clock.now() < this.silentUntil;
		return !insistent && (timeOuts >= MAX_TIMEOUTS || isWaitedFor === true);
	}

	/**
	 * Pauses the requests of an execution.
	 *
	 * @returns a function that resumes them on the next tick, so that the first to see a failure can stop them; must be
	 * called once
	 */
	pause(lane: Lane): () => void {
		lane.pauses += 1;
		return () => {
			void this.clock.sleep(0).then(() => {
				lane.pauses -= 1;
				this.startMore();
			});
		};
	}

	private begin(place: Place, now: number): void {
		const { request } = place;
		this.sentAt = now;
		place.sentAt = now;
		// Creates that begin together would end together, and each would wait until n8n has processed the others.
		const gapMs = isRepeatable(request.method) ? 0 : this.tookMs / this.atOnce(request) / 2;
		this.gapMs = gapMs < 1 ? 0 : Math.min(gapMs, MAX_GAP_MS);
		this.underWay.add(place);
		place.lane.running += 1;
		place.resolve(place);
	}

	/** Starts all requests that may start, and checks again when more may. */
	private startMore(): void {
		let ms = 0;
		while (ms <= 0) ms = this.startNext();
		const at = this.clock.now() + Math.min(ms, LOOK_AGAIN_MS);
		if (ms === Infinity || at >= this.wakeAt) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.max(0, at - this.clock.now())).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.startMore();
		});
	}

	/** Starts one request. @returns 0, ms to wait, or Infinity if none waits or a response must come first */
	private startNext(): number {
		const now = this.clock.now();
		const next = [...this.lanes].flatMap((lane) => lane.next ?? []);
		const [urgent] = this.urgent;
		const place = urgent ?? next[0];
		if (!place) return Infinity;
		const current = [place, ...this.underWay, ...next].map(({ request }) => request);
		const atOnce = Math.min(...current.map((request) => this.atOnce(request)));
		if (!urgent && this.underWay.size >= atOnce) return Infinity;
		const ms = Math.min(this.delay(current, now), place.until - now);
		if (ms > 0) return ms;
		if (urgent) this.urgent.shift();
		else {
			const { lane } = place;
			lane.waiting.shift();
			// This execution goes to the end of the line.
			this.lanes.delete(lane);
			if (lane.waiting.length > 0) this.lanes.add(lane);
		}
		this.begin(place, now);
		return 0;
	}

	/**
	 * Returns 0 or less if the rate limit and the pace that users have set allow a request; else ms to wait.
	 *
	 * @param current the request, those under way, and the next one of each execution
	 */
	private delay(current: readonly PacedRequest[], now: number): number {
		// The local clock may have been set back.
		this.closedUntil = Math.min(this.closedUntil, now + MAX_WAIT_MS);
		this.sentAt = Math.min(this.sentAt, now);
		const windowMs = this.window.delay(now, this.underWay.size, this.sentAt);
		const heldMs = Math.max(this.closedUntil - now, windowMs);
		for (const lane of this.lanes) lane.note(heldMs > 0, now);
		if (heldMs > 0) return heldMs;
		const rates = current.map(({ requestsPerSecond = Infinity }) => requestsPerSecond);
		return this.sentAt + Math.max(this.gapMs, 1_000 / Math.min(...rates)) - now;
	}

	private learn(place: Place, outcome: Outcome, now: number): void {
		const { sentAt, request } = place;
		if (outcome && !(outcome instanceof Error)) {
			this.tookMs = now - sentAt;
			this.serviceClock.learn(outcome.headers);
			this.window.learn(outcome.headers, now);
			if (!asksToWait(outcome, request)) this.servedAt = now;
		}
		this.noteTime(place, outcome, now);
		// Reduces once for all requests that were under way. A single request wasn't refused because of their number.
		if (!isOverload(outcome) || sentAt <= this.reduced.at || this.underWay.size === 1) return;
		const to = Math.floor(Math.min(this.underWay.size, this.atOnce(request)) / 2);
		this.reduced = { to: Math.max(1, to), at: now };
	}

	/** Notes a timeout, or a response in time. */
	private noteTime({ lane, request }: Place, outcome: Outcome, now: number): void {
		const { optional, shrinks, timeoutMs = MIN_TIMEOUT_MS } = request;
		// A timeout of the auth server says nothing about the service.
		if (!outcome || outcome instanceof AccessTokenError) return;
		const isTooLate = isTimeOut(outcome);
		if (isTooLate && (optional || timeoutMs < MIN_TIMEOUT_MS)) return;
		this.silentUntil = isTooLate ? now + SILENT_MS : 0;
		// The size may be the reason: the run goes to smaller ones first.
		if (!isTooLate) lane.timeOuts = 0;
		else if (!shrinks) lane.timeOuts += 1;
	}
}

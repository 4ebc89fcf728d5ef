/** Paces the requests of one key: the rate limit's window, parallel requests, and the order of executions. */
import { Cancelled, isTransientStatus, NetworkFailure, SilentService } from '../failure/failures';
import type { ApiResponse, ApiRequest } from '../request';
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
const MAX_SPACING_MS = 10;
/** How long requests of a waiting user fail immediately after a timeout, in ms. */
const SILENT_MS = 20_000;
/** Statuses of a service or gateway that is overloaded or down. A 500 says nothing about load. */
const OVERLOADED = new Set([408, 429, 502, 503, 504]);

export type PacedRequest = Pick<
	ApiRequest,
	'method' | 'maxParallel' | 'requestsPerSecond' | 'impatient' | 'ahead'
>;

/** A request that waits for its turn, and its deadline. */
interface Waiting {
	lane: Lane;
	request: PacedRequest;
	until: number;
	start(): void;
	cancel(): void;
}

/** A request that is under way. */
export interface Sent {
	lane: Lane;
	request: PacedRequest;
	/** When it was sent, in ms since the epoch. */
	at: number;
}

/** The result of an attempt: a response, a fault, or undefined if it was canceled. */
type Outcome = ApiResponse | Error | undefined;

/** The requests of one execution. Executions take turns, so that a long one doesn't delay a short one. */
export class Lane {
	readonly waiting: Waiting[] = [];
	running = 0;
	pauses = 0;
	/** The total time that requests have waited for the rate limit, in ms. */
	heldMs = 0;
	private heldSince: number | undefined;

	/** The next request, if this execution has one that may be sent. */
	get next(): Waiting | undefined {
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
	if (outcome === undefined || outcome instanceof SilentService) return false;
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
	private readonly underWay = new Set<Sent>();
	/** The executions with waiting requests, the next one first. */
	private readonly lanes = new Set<Lane>();
	/** Requests that are sent before all others, the one with the earliest deadline first. */
	private urgent: Waiting[] = [];
	private closedUntil = 0;
	/** When the last request was sent. */
	private sentAt = -Infinity;
	private spaceUntil = 0;
	private wakeAt = Infinity;
	/** The duration of the last create, in ms; before it, of the first request. */
	private createMs = 0;
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
		const isReduced = this.clock.now() < this.reduced.at + REDUCED_MS;
		return isReduced ? Math.min(wanted, this.reduced.to) : wanted;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @param isAgain true if it was sent before: it then goes before the others of its execution
	 * @returns the request, which must be passed to `leave`
	 * @throws Cancelled after `cancel`
	 */
	async enter(lane: Lane, request: PacedRequest, isAgain: boolean): Promise<Sent> {
		return await new Promise((resolve, reject) => {
			const atMostMs = request.impatient ? IMPATIENT_WAIT_MS : Infinity;
			const waiting: Waiting = {
				lane,
				request,
				until: this.clock.now() + atMostMs,
				start: () => resolve(this.begin(lane, request)),
				cancel: () => reject(new Cancelled()),
			};
			if (request.ahead || request.impatient) {
				this.urgent.push(waiting);
				this.urgent.sort((a, b) => a.until - b.until);
			} else {
				this.lanes.add(lane);
				lane.waiting[isAgain ? 'unshift' : 'push'](waiting);
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
		for (const waiting of ended) waiting.cancel();
	}

	/** Must follow each `enter`. @param closedUntil nothing is sent before this time, because of the rate limit */
	leave(sent: Sent, outcome: Outcome, closedUntil = 0): void {
		const now = this.clock.now();
		this.closedUntil = Math.max(this.closedUntil, closedUntil);
		this.learn(sent, outcome, now);
		this.underWay.delete(sent);
		sent.lane.running -= 1;
		this.startMore();
	}

	/** True if the service recently didn't respond in time. */
	get isSilent(): boolean {
		return this.clock.now() < this.silentUntil;
	}

	/** Notes a timeout, or a response in time. */
	noteSilence(isSilent: boolean): void {
		this.silentUntil = isSilent ? this.clock.now() + SILENT_MS : 0;
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

	private begin(lane: Lane, request: PacedRequest): Sent {
		const now = this.clock.now();
		this.sentAt = now;
		const sent = { lane, request, at: now };
		this.underWay.add(sent);
		lane.running += 1;
		this.window.sent(now);
		if (!isRepeatable(request.method)) {
			// Creates that begin together would end together, and each would wait until n8n has processed the others.
			const ms = Math.min(this.createMs / this.atOnce(request) / 2, MAX_SPACING_MS);
			if (ms >= 1) this.spaceUntil = now + ms;
		}
		return sent;
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
		const [urgent] = this.urgent;
		if (urgent) {
			const ms = Math.min(this.delay(urgent.request, now), urgent.until - now);
			if (ms > 0) return ms;
			this.urgent.shift();
			urgent.start();
			return 0;
		}
		const lane = [...this.lanes].find(({ next }) => next);
		const atOnce = Math.min(...this.current.map((request) => this.atOnce(request)));
		if (!lane?.next || this.underWay.size >= atOnce) return Infinity;
		// The local clock may have been set back.
		this.spaceUntil = Math.min(this.spaceUntil, now + MAX_SPACING_MS);
		const ms = Math.max(this.delay(lane.next.request, now), this.spaceUntil - now);
		if (ms > 0) return ms;
		const waiting = lane.waiting.shift();
		// This execution goes to the end of the line.
		this.lanes.delete(lane);
		if (lane.waiting.length > 0) this.lanes.add(lane);
		waiting?.start();
		return 0;
	}

	/** The requests under way, and the next one of each execution. */
	private get current(): PacedRequest[] {
		const next = [...this.lanes].flatMap((lane) => lane.next?.request ?? []);
		return [...this.underWay].map(({ request }) => request).concat(next);
	}

	/** As `RateWindow.delay`, but also respects the pace that users have set. */
	private delay(request: PacedRequest, now: number): number {
		// The local clock may have been set back.
		this.closedUntil = Math.min(this.closedUntil, now + MAX_WAIT_MS);
		this.sentAt = Math.min(this.sentAt, now);
		const held = Math.max(this.closedUntil - now, this.window.delay(now, this.underWay.size));
		for (const lane of this.lanes) lane.note(held > 0, now);
		if (held > 0) return held;
		const rates = [request, ...this.current].map((one) => one.requestsPerSecond ?? Infinity);
		return this.sentAt + 1_000 / Math.min(...rates) - now;
	}

	private learn({ at, request }: Sent, outcome: Outcome, now: number): void {
		const ms = Math.max(0, now - at);
		if (this.createMs === 0 || !isRepeatable(request.method)) this.createMs = ms;
		if (outcome && !(outcome instanceof Error)) {
			this.serviceClock.learn(outcome.headers);
			this.window.learn(outcome.headers, now);
			if (!asksToWait(outcome, request)) this.servedAt = now;
		}
		// Reduces once for all requests that were under way. A single request wasn't refused because of their number.
		if (!isOverload(outcome) || at <= this.reduced.at || this.underWay.size === 1) return;
		const to = Math.floor(Math.min(this.underWay.size, this.atOnce(request)) / 2);
		this.reduced = { to: Math.max(1, to), at: now };
	}
}

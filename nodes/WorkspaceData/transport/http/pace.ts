/** How fast the requests of one key go out: the rate limit's window, how many at once, and whose turn it is. */
import { Cancelled, isTransientStatus, NetworkFailure, SilentService } from '../failure/failures';
import type { ApiAnswer, ApiRequest } from '../request';
import type { Clock } from './clock';
import { hasNoneLeft, isRateLimited } from './rateLimitHeaders';
import { RateWindow } from './rateWindow';
import { IMPATIENT_WAIT_MS, isRepeatable } from './retryPolicy';
import { createServiceClock, type ServiceClock } from './serviceClock';

/** The most requests at once, in all executions of this process; and as long as one of them creates something. */
const AT_ONCE = 16;
const AT_ONCE_WITH_CREATES = 8;
/** The most that a user can ask for. */
const MAX_AT_ONCE = 64;
/** How long half as many run at once after the service had too much to do, in ms. */
const REDUCED_MS = 60_000;
/** How often those who wait look at the clock again, in ms: it may have been set. */
const LOOK_AGAIN_MS = 1_000;
/** The most time between two creates, in ms: n8n takes about one to send a request. */
const MAX_SPACING_MS = 10;
/** The mean of how long creates take is that of about so many. */
const MEAN_OF = 8;
/** How long calls that somebody waits for fail at once after a time-out, in ms. */
const SILENT_MS = 20_000;
/** Statuses that say that the service, or a gateway, has too much to do, or is down. A 500 says nothing about load. */
const OVERLOADED = new Set([408, 429, 502, 503, 504]);

/** The properties of a request that decide its pace. */
export type PacedRequest = Pick<
	ApiRequest,
	'method' | 'maxParallel' | 'requestsPerSecond' | 'impatient' | 'ahead'
>;

/** A request that waits for its turn, and until when at most. */
interface Waiting {
	request: PacedRequest;
	until: number;
	start(): void;
	cancel(): void;
}

/** A request under way. */
export interface Sent {
	lane: Lane;
	request: PacedRequest;
	/** When it was sent, in ms since the epoch; and its place among all requests of the key. */
	at: number;
	place: number;
}

/** What became of a try: a response, a fault, or undefined if it was cancelled. */
type Outcome = ApiAnswer | Error | undefined;

/** The requests of one execution. Executions take turns, so that a long one does not keep a short one waiting. */
export class Lane {
	readonly waiting: Waiting[] = [];
	/** Requests that go past all others. */
	readonly urgent = new Set<Waiting>();
	running = 0;
	pauses = 0;
	/** The time that requests have waited for the rate limit, in ms. */
	heldMs = 0;
	private heldSince: number | undefined;

	/** The request whose turn comes next, if it may be sent as far as this execution is concerned. */
	get next(): Waiting | undefined {
		const [first] = this.waiting;
		if (!first || this.pauses > 0) return undefined;
		return this.running < Math.max(1, first.request.maxParallel ?? Infinity) ? first : undefined;
	}

	/** Counts the time in which the rate limit holds requests back. */
	note(isHeld: boolean, now: number): void {
		if (isHeld) this.heldSince ??= this.next && now;
		else if (this.heldSince !== undefined) {
			this.heldMs += Math.max(0, now - this.heldSince);
			this.heldSince = undefined;
		}
	}

	/** Ends all requests that wait. */
	cancel(): void {
		const all = [...this.urgent, ...this.waiting.splice(0)];
		this.urgent.clear();
		for (const waiting of all) waiting.cancel();
	}
}

/** Whether an answer asks to wait and try again. */
export const asksToWait = (
	{ status, headers }: ApiAnswer,
	{ method }: Pick<ApiRequest, 'method'>,
): boolean => isRateLimited(status, headers, isRepeatable(method)) || isTransientStatus(status);

/** Whether a try met a service, or a gateway, that has too much to do. */
function isOverload(outcome: Outcome): boolean {
	if (outcome === undefined || outcome instanceof SilentService) return false;
	if (outcome instanceof Error) return outcome instanceof NetworkFailure && outcome.transient;
	// A window that is used up says nothing about how many requests may be under way at once.
	return OVERLOADED.has(outcome.status) && !hasNoneLeft(outcome.headers);
}

/** Shared by all executions of this process that use the same key. Times are ms since the epoch. */
export class Pace {
	readonly serviceClock: ServiceClock;
	private readonly clock: Clock;
	private readonly window: RateWindow;
	private readonly underWay = new Set<Sent>();
	/** The executions that have requests waiting, the next one first. */
	private readonly lanes = new Set<Lane>();
	private closedUntil = 0;
	/** When the last request was sent, and the most requests a second that was in force then. */
	private sentBefore = { at: -Infinity, rate: Infinity };
	private spaceUntil = 0;
	private wakeAt = Infinity;
	private places = 0;
	/** How long a create takes, in ms: the mean of the last ones; before them, how long the first request took. */
	private createMs = 0;
	/** How many requests may be under way at once until then, for requests sent from a place on. */
	private reduced = { to: Infinity, until: 0, from: 0 };
	/** When the service last answered a request in another way than asking to wait. */
	servedAt = -Infinity;
	/** Until when somebody who waits is not made to wait for a service that did not answer in time. */
	private silentUntil = 0;

	constructor(clock: Clock) {
		this.clock = clock;
		this.serviceClock = createServiceClock(clock);
		this.window = new RateWindow(this.serviceClock);
	}

	/** How many requests may be under way at once with this one among them. */
	atOnce({ method, maxParallel = 0 }: Pick<PacedRequest, 'method' | 'maxParallel'>): number {
		const usual = isRepeatable(method) ? AT_ONCE : AT_ONCE_WITH_CREATES;
		// More is the user's decision, as long as the service does not have too much to do.
		const wanted = Math.max(usual, Math.min(maxParallel, MAX_AT_ONCE));
		return this.clock.now() < this.reduced.until ? Math.min(wanted, this.reduced.to) : wanted;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @param isAgain whether it was sent before: then it goes before the others of its execution
	 * @returns must be handed to `leave`
	 * @throws Cancelled after `lane.cancel`
	 */
	async enter(lane: Lane, request: PacedRequest, isAgain: boolean): Promise<Sent> {
		return await new Promise((resolve, reject) => {
			const atMostMs = request.impatient ? IMPATIENT_WAIT_MS : Infinity;
			const waiting: Waiting = {
				request,
				until: this.clock.now() + atMostMs,
				start: () => resolve(this.begin(lane, request)),
				cancel: () => reject(new Cancelled()),
			};
			this.lanes.add(lane);
			if (request.ahead || request.impatient) lane.urgent.add(waiting);
			else lane.waiting[isAgain ? 'unshift' : 'push'](waiting);
			// The first change waits for a turn of the event loop: a failed item may stop the run before anything is sent.
			const isFirst = this.underWay.size === 0 && request.method !== 'GET';
			void (isFirst ? this.clock.sleep(0).then(() => this.startMore()) : this.startMore());
		});
	}

	/** Must follow each `enter`. @param closedUntil nothing is sent until then: the request was refused for the rate */
	leave(sent: Sent, outcome: Outcome, closedUntil = 0): void {
		const now = this.clock.now();
		this.closedUntil = Math.max(this.closedUntil, closedUntil);
		this.learn(sent, outcome, now);
		this.underWay.delete(sent);
		sent.lane.running -= 1;
		this.startMore();
	}

	/** Whether the service did not answer in time lately. */
	get isSilent(): boolean {
		return this.clock.now() < this.silentUntil;
	}

	/** Notes whether the service answered a request in time. */
	noteSilence(isSilent: boolean): void {
		this.silentUntil = isSilent ? this.clock.now() + SILENT_MS : 0;
	}

	/** Keeps the requests of an execution back. @returns lets them go, on the next tick: whoever sees a failure first can stop them */
	pause(lane: Lane): () => void {
		lane.pauses += 1;
		let lasts = true;
		return () => {
			if (!lasts) return;
			lasts = false;
			void this.clock.sleep(0).then(() => {
				lane.pauses -= 1;
				this.startMore();
			});
		};
	}

	private begin(lane: Lane, request: PacedRequest): Sent {
		const now = this.clock.now();
		this.sentBefore = { at: now, rate: this.rateWith(request) };
		const sent = { lane, request, at: now, place: (this.places += 1) };
		this.underWay.add(sent);
		lane.running += 1;
		this.window.sent(now);
		if (!isRepeatable(request.method)) {
			// Creates that begin together would be answered together, and each would wait until n8n has worked on the others.
			const ms = Math.min(this.createMs / this.atOnce(request) / 2, MAX_SPACING_MS);
			if (ms >= 1) this.spaceUntil = now + ms;
		}
		return sent;
	}

	/** Starts what may start, and looks again when more may. */
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

	/** Starts one request. @returns 0 if it has; ms until the next may start; Infinity if none waits, or only a response can tell */
	private startNext(): number {
		const now = this.clock.now();
		let ms = Infinity;
		for (const lane of this.lanes) {
			for (const waiting of lane.urgent) {
				const own = Math.min(this.delay(waiting.request, now), waiting.until - now);
				if (own <= 0) return this.start(lane, waiting);
				ms = Math.min(ms, own);
			}
			if (lane.waiting.length + lane.urgent.size === 0) this.lanes.delete(lane);
		}
		const lane = [...this.lanes].find(({ next }) => next);
		if (!lane?.next || this.underWay.size >= this.mostAtOnce()) return ms;
		// The local clock may have been set back.
		this.spaceUntil = Math.min(this.spaceUntil, now + MAX_SPACING_MS);
		const own = Math.max(this.delay(lane.next.request, now), this.spaceUntil - now);
		return own > 0 ? Math.min(ms, own) : this.start(lane, lane.next);
	}

	private start(lane: Lane, waiting: Waiting): number {
		if (!lane.urgent.delete(waiting)) {
			lane.waiting.shift();
			// The others come first now.
			this.lanes.delete(lane);
			this.lanes.add(lane);
		}
		waiting.start();
		return 0;
	}

	/** The requests whose turn comes next, one of each execution. */
	private get nextOnes(): PacedRequest[] {
		return [...this.lanes].flatMap(({ next }) => next?.request ?? []);
	}

	/** The least that the next requests, and the creates under way, allow. */
	private mostAtOnce(): number {
		const underWay = [...this.underWay].map(({ request }) => request);
		const creates = underWay.filter(({ method }) => !isRepeatable(method));
		return Math.min(...[...this.nextOnes, ...creates].map((request) => this.atOnce(request)));
	}

	/** As of `RateWindow.delay`, and for the pace that users have chosen. */
	private delay(request: PacedRequest, now: number): number {
		const held = Math.max(this.closedUntil - now, this.window.delay(now, this.underWay.size));
		for (const lane of this.lanes) lane.note(held > 0, now);
		if (held > 0) return held;
		const rate = Math.min(this.sentBefore.rate, this.rateWith(request));
		// The local clock may have been set back.
		this.sentBefore.at = Math.min(this.sentBefore.at, now);
		return this.sentBefore.at + 1_000 / rate - now;
	}

	/** The most requests a second that this one, the next ones and the requests under way allow. */
	private rateWith(request: PacedRequest): number {
		const all = [request, ...this.nextOnes, ...[...this.underWay].map((sent) => sent.request)];
		return Math.min(...all.map(({ requestsPerSecond = Infinity }) => requestsPerSecond));
	}

	private learn({ at, place, request }: Sent, outcome: Outcome, now: number): void {
		const ms = Math.max(0, now - at);
		if (this.createMs === 0) this.createMs = ms;
		else if (!isRepeatable(request.method)) this.createMs += (ms - this.createMs) / MEAN_OF;
		if (outcome && !(outcome instanceof Error)) {
			this.serviceClock.learn(outcome.headers);
			this.window.learn(outcome.headers, now);
			if (!asksToWait(outcome, request)) this.servedAt = now;
		}
		// Once for all requests that were under way then; and one that was alone was not refused for their number.
		if (!isOverload(outcome) || place < this.reduced.from || this.underWay.size === 1) return;
		const to = Math.floor(Math.min(this.underWay.size, this.atOnce(request)) / 2);
		this.reduced = { to: Math.max(1, to), until: now + REDUCED_MS, from: this.places + 1 };
	}
}

/** Paces the requests of one key in this process: executions take turns, within a number at once and the rate limit. */
import { onAbort, type Clock, type Signals } from './clock';
import { Cancelled, RequestError } from './errors';
import { dateIn, type ApiResponse } from './response';

/** Parallel requests of a key, unless the user sets another number. */
export const AT_ONCE = 16;
/** A longer wait for the rate limit, in ms, isn't begun. */
export const MAX_WAIT_MS = 5 * 60_000;
/** The first pause after a refusal that doesn't say how long, in ms; it doubles up to the maximum. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** How long a request runs alone while nothing is known of the limit, in ms. */
const ALONE_MS = 1_000;

/** What a request needs for its turn. */
export interface Turn {
	/** The execution. */
	owner: object;
	/** How many requests the execution may have under way. */
	width: number;
	/** How much longer the request may wait for the rate limit, in ms. */
	patienceMs: number;
	signals: Signals;
	/** True if it goes before the others of its execution, because it was sent before. */
	isAgain: boolean;
}

type Waiting = Turn & { start(): void; fail(error: Error): void };

/** What is known of the rate limit. */
interface Window {
	/** Its end in the service's words. */
	reset: number;
	/** Its end by this clock. */
	endsAt: number;
	/** Requests left in it. */
	remaining: number;
}

const UNLIMITED: Window = { reset: NaN, endsAt: Infinity, remaining: Infinity };

const numberIn = (headers: ApiResponse['headers'], name: string): number =>
	Number(headers[name] ?? NaN);

/** Times are in ms since the epoch. */
export class Limiter {
	private readonly clock: Clock;
	private waiting: Waiting[] = [];
	/** The owners of the requests under way, once for each. */
	private readonly underWay: object[] = [];
	private sentAt = 0;
	private window: Window | undefined;
	/** Nothing is sent before this time, because a request was refused. */
	private closedUntil = 0;
	/** Refusals in a row. */
	private refusals = 0;
	private wakeAt = Infinity;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/**
	 * Waits until a request may be sent. `leave` must follow. A wait of a request that was sent before uses its patience up.
	 *
	 * @throws RequestError if the rate limit holds it for longer than its patience
	 * @throws Cancelled if one of its signals is aborted
	 */
	async enter(turn: Turn): Promise<void> {
		const { clock } = this;
		const begun = clock.now();
		let turnOff = (): void => {};
		await new Promise<void>((start, fail) => {
			const waiting = { ...turn, start, fail };
			this.waiting[turn.isAgain ? 'unshift' : 'push'](waiting);
			turnOff = onAbort(turn.signals, () => {
				this.waiting = this.waiting.filter((one) => one !== waiting);
				fail(new Cancelled());
			});
			this.startMore();
		}).finally(() => turnOff());
		if (turn.isAgain) turn.patienceMs -= clock.now() - begun;
	}

	/** Ends a request. */
	leave({ owner }: Turn): void {
		this.underWay.splice(this.underWay.indexOf(owner), 1);
		this.startMore();
	}

	/** Learns from a response before its request ends. @see service interface, part 8; RFC 9110, section 10.2.3 */
	learn({ status, headers }: Pick<ApiResponse, 'status' | 'headers'>): void {
		const now = this.clock.now();
		// The clocks differ.
		const ahead = now - (dateIn(headers) ?? now);
		const reset = numberIn(headers, 'x-ratelimit-reset') * 1_000;
		const endsAt = reset + ahead;
		if (status === 429) {
			const seconds = numberIn(headers, 'retry-after');
			const date = dateIn(headers, 'retry-after') ?? NaN;
			this.close(now, [now + seconds * 1_000, date + ahead, endsAt].find(Number.isFinite));
			return;
		}
		this.refusals = 0;
		const remaining = numberIn(headers, 'x-ratelimit-remaining');
		const known = this.window?.reset === reset ? this.window : UNLIMITED;
		if (Number.isNaN(endsAt + remaining)) this.window ??= UNLIMITED;
		else
			this.window = {
				reset,
				// Date is rounded down and the response took time, so the earliest end is the most exact.
				endsAt: Math.min(known.endsAt, endsAt),
				remaining: Math.min(known.remaining, remaining),
			};
	}

	/** Sends nothing until the time that the service states; else for a second, doubled after each refusal. */
	private close(now: number, stated = now): void {
		if (now >= this.closedUntil) this.refusals += 1;
		const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.refusals - 1), MAX_PAUSE_MS);
		this.closedUntil = Math.max(this.closedUntil, stated, now + pauseMs);
		this.window = undefined;
	}

	/** How long the rate limit allows no request, in ms; Infinity until a response comes. */
	private heldFor(now: number): number {
		if (this.closedUntil > now) return this.closedUntil - now;
		if (this.window && this.window.endsAt <= now) this.window = undefined;
		const isIdle = this.underWay.length === 0;
		// The first request of a window runs alone.
		if (!this.window) return isIdle ? 0 : this.sentAt + ALONE_MS - now;
		if (this.window.remaining > this.underWay.length) return 0;
		const ms = this.window.endsAt - now;
		// A far reset is tried with one request at a time.
		return ms <= MAX_WAIT_MS ? ms : isIdle ? 0 : Infinity;
	}

	/** The request of the execution with the fewest under way. */
	private next(): Waiting | undefined {
		const sent = (owner: object) => this.underWay.filter((one) => one === owner).length;
		const ready = this.waiting
			.filter(({ owner, width }) => sent(owner) < width)
			.filter(({ width }) => this.underWay.length < Math.max(AT_ONCE, width));
		const fewest = Math.min(...ready.map(({ owner }) => sent(owner)));
		return ready.find(({ owner }) => sent(owner) === fewest);
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
			if (impatient) impatient.fail(rateLimited(now + ms));
			else {
				this.underWay.push(chosen.owner);
				this.sentAt = now;
				chosen.start();
			}
		}
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
function rateLimited(ms: number): RequestError {
	// The latest that JavaScript knows if it is later.
	const [day, time = ''] = new Date(Math.min(ms + 60_000, 8.64e15)).toISOString().split('T');
	const at = `${day} ${time.slice(0, -8)} UTC`;
	return new RequestError(`Rate limit reached: the service is open again at ${at}`, {
		status: 429,
		advice: 'Try again after the limit resets.',
	});
}

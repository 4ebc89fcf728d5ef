import { type Clock, wait } from './clock';

/** Headers of an answer, names in lower case. */
export type Headers = Record<string, unknown>;

/** What an answer says about the rate limit. */
export interface RateLimit {
	/** Requests allowed in the window. */
	limit: number | undefined;
	/** Requests left in the window. */
	remaining: number;
	/** When the window resets: ms since the epoch by the local clock; undefined where not told. */
	resetAt: number | undefined;
}

/** The longest single wait, in ms; a request then tries again. */
const MAX_WAIT_MS = 60_000;
/** Values from here on can only be milliseconds. */
const MIN_MILLISECONDS = 1e11;
/** Values below can only be a number of seconds from now. */
const MAX_DELTA_SECONDS = 1e7;
/** How often those who wait at the gate look again, in ms; an answer wakes them at once. */
const LOOK_AGAIN_MS = 1_000;
/** First wait where nothing tells how long; doubles with each further one. */
const BLIND_WAIT_MS = 1_000;

function headerNumber(headers: Headers, name: string): number | undefined {
	const value = headers[name];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const number = Number(value);
	return value !== '' && Number.isFinite(number) ? number : undefined;
}

/** Time by the service's clock: a local clock that is off must not change how long we wait. */
function serverNow(headers: Headers, now: number): number {
	const date = Date.parse(String(headers.date));
	return Number.isNaN(date) ? now : date;
}

/** When the window resets, by the local clock; undefined where the header is missing or past. */
function readReset(headers: Headers, now: number): number | undefined {
	const reset = headerNumber(headers, 'x-ratelimit-reset');
	if (reset === undefined || reset < 0) return undefined;
	if (reset < MAX_DELTA_SECONDS) return now + reset * 1000;
	const resetMs = reset >= MIN_MILLISECONDS ? reset : reset * 1000;
	const delta = resetMs - serverNow(headers, now);
	return delta > 0 ? now + delta : undefined;
}

/**
 * Reads the rate-limit headers.
 *
 * @param now when the answer came, in ms since the epoch
 * @returns undefined when the answer does not say how many requests are left
 * @see service interface, part 8
 */
export function readRateLimit(headers: Headers, now: number): RateLimit | undefined {
	const remaining = headerNumber(headers, 'x-ratelimit-remaining');
	if (remaining === undefined) return undefined;
	return {
		limit: headerNumber(headers, 'x-ratelimit-limit'),
		remaining,
		resetAt: readReset(headers, now),
	};
}

/** Whether an answer refuses a request for the rate, not for what it asks. */
export function isRateLimited(status: number, headers: Headers): boolean {
	if (status === 429) return true;
	return (status === 403 || status === 503) && headerNumber(headers, 'x-ratelimit-remaining') === 0;
}

/**
 * How long to wait after a request was refused for the rate, in ms: until the reset, else as
 * `Retry-After` says, else a little longer each time. Never more than a minute at once.
 *
 * @param refusals how often this request was refused, from 1
 * @see RFC 9110, section 10.2.3
 */
export function refusalWait(headers: Headers, now: number, refusals: number): number {
	const resetAt = readReset(headers, now);
	const retryAfter = headers['retry-after'];
	const afterSeconds = headerNumber(headers, 'retry-after');
	const afterDate = Date.parse(String(retryAfter)) - serverNow(headers, now);
	const blind = BLIND_WAIT_MS * 2 ** (refusals - 1);
	const waitMs =
		resetAt !== undefined
			? resetAt - now
			: afterSeconds !== undefined
				? afterSeconds * 1000
				: afterDate > 0
					? afterDate
					: blind;
	return Math.min(Math.max(waitMs, 0), MAX_WAIT_MS);
}

/**
 * Lets requests of one API key pass so that the rate limit is used up but not overrun. Knows the
 * window from the answers' headers; the first request of all goes alone and finds out. A service
 * that sends no such headers is not held back.
 */
export interface RateGate {
	/** Waits until a request may be sent. @throws Cancelled */
	enter(signal?: AbortSignal): Promise<void>;
	/** Has to follow each `enter`: what the answer said, or undefined where there was none. */
	leave(headers: Headers | undefined): void;
	/** Holds everything back until then (ms since the epoch): a request was refused. */
	hold(until: number): void;
}

type Knowledge = 'nothing' | 'unlimited' | 'window';

/** Creates a gate that knows nothing yet. */
export function createRateGate(clock: Clock): RateGate {
	let knowledge: Knowledge = 'nothing';
	let window: RateLimit = { limit: undefined, remaining: 0, resetAt: undefined };
	/** When to send one request to see, however far away the reset is said to be. */
	let lookAgainAt = 0;
	let heldUntil = 0;
	let inFlight = 0;
	let waiting: Array<() => void> = [];

	/** Starts the next window once the known one is over. */
	function turnWindow(): void {
		if (window.resetAt === undefined || clock.now() < window.resetAt) return;
		window = { limit: window.limit, remaining: window.limit ?? 1, resetAt: undefined };
	}

	/** 0 when a request may pass; ms to wait; Infinity when only another answer can tell. */
	function delay(): number {
		const held = heldUntil - clock.now();
		if (held > 0) return held;
		if (knowledge === 'unlimited') return 0;
		if (knowledge === 'nothing') return inFlight === 0 ? 0 : Infinity;
		turnWindow();
		if (window.remaining - inFlight > 0) return 0;
		if (window.resetAt === undefined) return inFlight === 0 ? 0 : Infinity;
		const toReset = window.resetAt - clock.now();
		const toLook = lookAgainAt - clock.now();
		return inFlight === 0 ? Math.max(Math.min(toReset, toLook), 0) : toReset;
	}

	function learn(headers: Headers): void {
		const told = readRateLimit(headers, clock.now());
		if (!told) {
			if (knowledge === 'nothing') knowledge = 'unlimited';
			return;
		}
		const sameWindow =
			knowledge === 'window' &&
			window.resetAt !== undefined &&
			told.resetAt !== undefined &&
			Math.abs(told.resetAt - window.resetAt) < 1_500;
		const remaining = sameWindow ? Math.min(window.remaining, told.remaining) : told.remaining;
		knowledge = 'window';
		window = { ...told, remaining };
		lookAgainAt = clock.now() + MAX_WAIT_MS;
	}

	return {
		async enter(signal) {
			for (let ms = delay(); ms > 0; ms = delay()) {
				const answered = new Promise<void>((resolve) => waiting.push(resolve));
				await Promise.race([answered, wait(Math.min(ms, LOOK_AGAIN_MS), clock, signal)]);
			}
			inFlight += 1;
		},
		leave(headers) {
			inFlight -= 1;
			if (headers) learn(headers);
			const woken = waiting;
			waiting = [];
			for (const wake of woken) wake();
		},
		hold(until) {
			heldUntil = Math.max(heldUntil, until);
		},
	};
}

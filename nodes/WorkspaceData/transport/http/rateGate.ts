/** Holds requests back until the rate limit lets them pass. */
import { type Clock, wait, createServiceClock, type ServiceClock } from './clock';
import { Cancelled } from '../failure/failures';
import { type Headers, MAX_WAIT_MS, type RateLimit, readRateLimit } from './rateLimitHeaders';

/** How often those who wait at the gate look again, in ms; an answer wakes them at once. */
const LOOK_AGAIN_MS = 1_000;
/**
 * How long the first request of a window goes alone, in ms, and each one as long as nothing is known: a
 * silent one must not hold back all others.
 */
const ALONE_MS = 1_000;

/**
 * Lets requests of one API key pass so that the rate limit is fully used and never exceeded. Knows the
 * window from the answers' headers; the first request of all goes alone and finds out. A service
 * that sends no such headers is not held back.
 */
export interface RateGate {
	/**
	 * Waits until a request may be sent.
	 *
	 * @param how.atMostMs the longest to wait; then the service may decide
	 * @param how.requestsPerSecond the most that all requests of the key may be, until this one leaves
	 * @throws Cancelled
	 */
	enter(
		signal?: Pick<AbortSignal, 'aborted'>,
		how?: Passing & { atMostMs?: number },
	): Promise<void>;
	/** Must follow each `enter`, with the headers of the answer; undefined if there was no answer. */
	leave(headers: Headers | undefined, how?: Passing): void;
	/** Lets nothing pass until then (ms since the epoch): a request was refused. */
	closeUntil(until: number): void;
	/** Whether the service tells how many requests remain. */
	readonly isLimitKnown: boolean;
}

/** What the gate knows of a request. */
interface Passing {
	requestsPerSecond?: number | undefined;
}

type Knowledge = 'nothing' | 'unlimited' | 'window';

/**
 * Creates a gate that knows nothing yet.
 *
 * @param serviceClock learns from the answers to the requests that passed
 */
export function createRateGate(
	clock: Clock,
	serviceClock: ServiceClock = createServiceClock(clock),
): RateGate {
	let knowledge: Knowledge = 'nothing';
	/** The known window. Without a reset while the first request of a new one is under way. */
	let window: RateLimit = { limit: undefined, remaining: 0, resetAt: undefined };
	/** Until when the first request of a window goes alone; 0 when none does. */
	let aloneUntil = 0;
	/** When to send one request to find out, however far away the stated reset is. */
	let lookAgainAt = 0;
	let closedUntil = 0;
	let inFlight = 0;
	let waiting: Array<() => void> = [];
	/** The most requests a second, as the requests that wait or are under way allow; and when the last one passed. */
	const rates: number[] = [];
	let passedAt = -Infinity;

	/** Starts the next window once the known one should be over: one request goes first, and finds out. */
	function turnWindow(now: number): void {
		if (now >= (window.resetAt ?? Infinity)) {
			window = { limit: window.limit, remaining: 1, resetAt: undefined };
			aloneUntil = now + ALONE_MS;
		} else if (aloneUntil > 0 && now >= aloneUntil) {
			window.remaining = window.limit ?? 1;
			aloneUntil = 0;
		}
	}

	/** 0 or less when a request may pass; ms to wait; Infinity when only another answer can tell. */
	function delay(): number {
		const now = clock.now();
		if (closedUntil > now) return closedUntil - now;
		// The local clock may have been set back.
		passedAt = Math.min(passedAt, now);
		const toPlace = passedAt + 1_000 / Math.min(...rates) - now;
		if (toPlace > 0) return toPlace;
		if (knowledge === 'unlimited') return 0;
		if (knowledge === 'nothing') return inFlight === 0 ? 0 : aloneUntil - now;
		turnWindow(now);
		if (window.remaining > inFlight) return 0;
		const { resetAt } = window;
		if (resetAt === undefined && inFlight === 0) return 0;
		if (resetAt === undefined) return aloneUntil > 0 ? aloneUntil - now : Infinity;
		return Math.min(resetAt, inFlight === 0 ? lookAgainAt : Infinity) - now;
	}

	function learn(headers: Headers): void {
		const now = clock.now();
		serviceClock.learn(headers);
		const stated = readRateLimit(headers, now, serviceClock.now());
		if (!stated) {
			if (knowledge === 'nothing') {
				knowledge = 'unlimited';
				aloneUntil = 0;
			}
			return;
		}
		const sameWindow = Math.abs((stated.resetAt ?? NaN) - (window.resetAt ?? NaN)) < 1_500;
		const remaining = sameWindow ? Math.min(window.remaining, stated.remaining) : stated.remaining;
		knowledge = 'window';
		window = { ...stated, remaining };
		aloneUntil = 0;
		lookAgainAt = now + MAX_WAIT_MS;
	}

	const forgetRate = (rate: number) => void rates.splice(rates.indexOf(rate), 1);

	return {
		async enter(signal, { atMostMs = Infinity, requestsPerSecond = Infinity } = {}) {
			rates.push(requestsPerSecond);
			const end = clock.now() + atMostMs;
			for (let ms = delay(); ms > 0 && clock.now() < end; ms = delay()) {
				const answered = new Promise<void>((resolve) => waiting.push(resolve));
				const pause = Math.min(ms, LOOK_AGAIN_MS, end - clock.now());
				await Promise.race([answered, wait(pause, clock, signal)]).catch((error: unknown) => {
					forgetRate(requestsPerSecond);
					throw error;
				});
			}
			if (signal?.aborted) {
				forgetRate(requestsPerSecond);
				throw new Cancelled();
			}
			passedAt = clock.now();
			if (knowledge === 'nothing') aloneUntil = clock.now() + ALONE_MS;
			inFlight += 1;
		},
		leave(headers, { requestsPerSecond = Infinity } = {}) {
			inFlight -= 1;
			forgetRate(requestsPerSecond);
			if (headers) learn(headers);
			const woken = waiting;
			waiting = [];
			for (const wake of woken) wake();
		},
		closeUntil(until) {
			closedUntil = Math.max(closedUntil, until);
		},
		get isLimitKnown() {
			return knowledge === 'window';
		},
	};
}

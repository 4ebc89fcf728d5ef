/** Headers of an answer, names in lower case. */
export type Headers = Record<string, unknown>;

/** The rate limit, as an answer states it. */
export interface RateLimit {
	/** Requests allowed in the window. */
	limit: number | undefined;
	/** Requests left in the window. */
	remaining: number;
	/** When the window resets: ms since the epoch by the local clock; undefined where not stated. */
	resetAt: number | undefined;
}

/** The longest single wait, in ms; a request then tries again. */
export const MAX_WAIT_MS = 60_000;
/** Values from here on can only be milliseconds. */
const MIN_MILLISECONDS = 1e11;
/** Values below can only be a number of seconds from now. */
const MAX_DELTA_SECONDS = 1e7;
/** The shortest first wait, in ms; doubles with each further one. */
const MIN_WAIT_MS = 1_000;

function headerNumber(headers: Headers, name: string): number | undefined {
	const value = headers[name];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const number = Number(value);
	return value !== '' && Number.isFinite(number) ? number : undefined;
}

/**
 * The time in an answer's `Date` header, in whole seconds.
 *
 * @returns ms since the epoch; undefined if the answer has none
 * @see RFC 9110, section 6.6.1
 */
export function dateOf(headers: Headers): number | undefined {
	const date = Date.parse(String(headers.date));
	return Number.isNaN(date) ? undefined : date;
}

/** A local clock that is off must not change how long we wait. */
const serviceTime = (headers: Headers, now: number): number => dateOf(headers) ?? now;

/**
 * When the window resets, by the local clock; undefined where the header is missing or past.
 *
 * @param serviceNow the time by the service's clock
 */
function readReset(
	headers: Headers,
	now: number,
	serviceNow = serviceTime(headers, now),
): number | undefined {
	const reset = headerNumber(headers, 'x-ratelimit-reset');
	if (reset === undefined || reset < 0) return undefined;
	if (reset < MAX_DELTA_SECONDS) return now + reset * 1000;
	const resetMs = reset >= MIN_MILLISECONDS ? reset : reset * 1000;
	const delta = resetMs - serviceNow;
	return delta > 0 ? now + delta : undefined;
}

/**
 * Reads the rate-limit headers.
 *
 * @param now when the answer came, in ms since the epoch
 * @param serviceNow the same by the service's clock, if more is known of it than the answer tells
 * @returns undefined when the answer does not say how many requests remain, or has a limit of none at all:
 * some services mean by it that there is no limit
 * @see service interface, part 8
 */
export function readRateLimit(
	headers: Headers,
	now: number,
	serviceNow?: number,
): RateLimit | undefined {
	const remaining = headerNumber(headers, 'x-ratelimit-remaining');
	const limit = headerNumber(headers, 'x-ratelimit-limit');
	if (remaining === undefined || (limit !== undefined && limit <= 0)) return undefined;
	return { limit, remaining, resetAt: soonest(headers, now, readReset(headers, now, serviceNow)) };
}

/** Whether an answer says that no requests remain in the window. */
export const hasNoneLeft = (headers: Headers): boolean =>
	headerNumber(headers, 'x-ratelimit-remaining') === 0;

/**
 * Whether an answer refuses a request for the rate, not for what it asks.
 *
 * @param isRepeatable whether the request can be sent again without doing its work twice. For all others only 429
 * counts: a create may be stored although it was the last one that the window allowed, and was answered 503.
 */
export function isRateLimited(status: number, headers: Headers, isRepeatable: boolean): boolean {
	if (status === 429) return true;
	return isRepeatable && (status === 403 || status === 503) && hasNoneLeft(headers);
}

/** How long the service asks to wait, in ms; undefined where it does not. @see RFC 9110, section 10.2.3 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
	const seconds = headerNumber(headers, 'retry-after');
	if (seconds !== undefined) return Math.max(seconds * 1000, 0);
	const date = Date.parse(String(headers['retry-after']));
	return Number.isNaN(date) ? undefined : Math.max(date - serviceTime(headers, now), 0);
}

/** The sooner of the reset and what `Retry-After` says: one of the two may be nonsense. In ms since the epoch. */
function soonest(headers: Headers, now: number, resetAt: number | undefined): number | undefined {
	const retryAfterMs = readRetryAfter(headers, now);
	if (retryAfterMs === undefined) return resetAt;
	return Math.min(resetAt ?? Infinity, now + retryAfterMs);
}

/**
 * How long to wait after a request was refused for the rate, in ms: until the reset, or as
 * `Retry-After` says, whichever is sooner, but at least a second, and twice as long after each further refusal: a reset in the
 * past must not make a storm. Never more than a minute at once.
 *
 * @param refusals how often this request was refused, from 1
 */
export function refusalWait(headers: Headers, now: number, refusals: number): number {
	const asked = (soonest(headers, now, readReset(headers, now)) ?? now) - now;
	const atLeast = MIN_WAIT_MS * 2 ** (refusals - 1);
	return Math.min(Math.max(asked ?? 0, atLeast), MAX_WAIT_MS);
}

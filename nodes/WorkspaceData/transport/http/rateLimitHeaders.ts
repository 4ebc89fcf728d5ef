/** What a response says of the rate limit, and how long to wait for it. */

/** The headers of a response, with names in lower case. */
export type Headers = Record<string, unknown>;

/** Values from here on must be milliseconds. */
const MIN_MILLISECONDS = 1e11;
/** Values below must be a number of seconds from now. */
const MAX_DELTA_SECONDS = 1e7;

function headerNumber(headers: Headers, name: string): number | undefined {
	const value = headers[name];
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	// A gateway may add its own: the lowest counts.
	const number = Math.min(
		...String(value)
			.split(',')
			.map((one) => Number(one.trim() || NaN)),
	);
	return Number.isFinite(number) ? number : undefined;
}

/**
 * Reads the time in a response's `Date` header, in whole seconds.
 *
 * @returns ms since the epoch; undefined if the response has none
 * @see RFC 9110, section 6.6.1
 */
export function dateOf(headers: Headers): number | undefined {
	const date = Date.parse(String(headers.date));
	return Number.isNaN(date) ? undefined : date;
}

/** The time of the header, by the local clock; undefined if it is missing or in the past. */
function readReset(headers: Headers, now: number, serviceNow: number): number | undefined {
	const reset = headerNumber(headers, 'x-ratelimit-reset');
	if (reset === undefined || reset < 0) return undefined;
	if (reset < MAX_DELTA_SECONDS) return now + reset * 1000;
	const resetMs = reset >= MIN_MILLISECONDS ? reset : reset * 1000;
	const delta = resetMs - serviceNow;
	return delta > 0 ? now + delta : undefined;
}

/**
 * Returns when the window resets, in ms since the epoch by the local clock: the earlier of the reset and `Retry-After`,
 * because one of them may be wrong.
 *
 * @param now when the response came
 * @param serviceNow the time by the service's clock, if it is known more exactly than from this response: a wrong local
 * clock must not change how long we wait
 * @returns undefined if the response states neither
 * @see service interface, part 8
 */
export function readResetAt(
	headers: Headers,
	now: number,
	serviceNow = dateOf(headers) ?? now,
): number | undefined {
	const resetAt = readReset(headers, now, serviceNow);
	const retryAfterMs = readRetryAfter(headers, now);
	if (retryAfterMs === undefined) return resetAt;
	return Math.min(resetAt ?? Infinity, now + retryAfterMs);
}

/**
 * Returns the number of requests left in the window; undefined if it isn't stated, or if the limit is 0, which for some
 * services means no limit.
 */
export function readRemaining(headers: Headers): number | undefined {
	const isUnlimited = (headerNumber(headers, 'x-ratelimit-limit') ?? Infinity) <= 0;
	return isUnlimited ? undefined : headerNumber(headers, 'x-ratelimit-remaining');
}

/**
 * Returns true if a response refuses a request because of the rate limit and not because of its content.
 *
 * @param isRepeatable true if the request can be sent again without doing its work twice. For all others only 429
 * counts: a create that used up the window may have been stored despite a 503.
 */
export function isRateLimited(status: number, headers: Headers, isRepeatable: boolean): boolean {
	if (status === 429) return true;
	return isRepeatable && (status === 403 || status === 503) && readRemaining(headers) === 0;
}

/** How long the service asks to wait, in ms; undefined if it doesn't. @see RFC 9110, section 10.2.3 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
	const seconds = headerNumber(headers, 'retry-after');
	if (seconds !== undefined) return Math.max(seconds * 1000, 0);
	const date = Date.parse(String(headers['retry-after']));
	return Number.isNaN(date) ? undefined : Math.max(date - (dateOf(headers) ?? now), 0);
}

/** A longer wait for the rate limit, in ms, isn't begun. */
export const MAX_WAIT_MS = 5 * 60_000;
/** The first wait if a response doesn't say how long, in ms; it doubles with each further one, up to the maximum. */
const FIRST_WAIT_MS = 1_000;
const MAX_UNSTATED_WAIT_MS = 60_000;

/**
 * Returns how long to wait after a refusal by the rate limit, in ms: until the reset or `Retry-After`, whichever is
 * earlier. At least a second, and twice as long after each further refusal up to a minute, so that a time in the past
 * doesn't cause a flood of requests.
 *
 * @param refusals how often this request was refused, starting at 1
 */
export function refusalWait(headers: Headers, now: number, refusals: number): number {
	const stated = (readResetAt(headers, now) ?? now) - now;
	return Math.max(stated, Math.min(FIRST_WAIT_MS * 2 ** (refusals - 1), MAX_UNSTATED_WAIT_MS));
}

/** How long a request waits for the rate limit. */
import { openAgainAt, type Headers } from './rateLimitHeaders';

/** The maximum single wait, in ms; the request is then tried again. */
export const MAX_WAIT_MS = 60_000;
/** The minimum first wait, in ms; it doubles with each further wait. */
const MIN_WAIT_MS = 1_000;

/**
 * Returns how long to wait after a refusal by the rate limit, in ms: until the reset or `Retry-After`, whichever is
 * earlier. Waits at least a second, and twice as long after each further refusal, so that a reset in the past
 * doesn't cause a flood of requests. Never waits more than a minute at once.
 *
 * @param refusals how often this request was refused, starting at 1
 */
export function refusalWait(headers: Headers, now: number, refusals: number): number {
	const asked = (openAgainAt(headers, now) ?? now) - now;
	const atLeast = MIN_WAIT_MS * 2 ** (refusals - 1);
	return Math.min(Math.max(asked, atLeast), MAX_WAIT_MS);
}

/** The pauses between the tries of a task at the service: from 15 seconds, doubled each time, up to an hour. */

/** A task to try again, with a growing pause. */
export interface Retry {
	at: number;
	pauseMs: number;
}

export const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 3_600_000;

export const NEVER: Retry = { at: Infinity, pauseMs: FIRST_PAUSE_MS };

export const grown = (pauseMs: number, factor = 2): number =>
	Math.min(pauseMs * factor, MAX_PAUSE_MS);

/**
 * Plans the next try of a renewal. The pause is longer if the service may have created an unknown
 * subscription.
 */
export const nextTry = (
	{ pauseMs }: Retry,
	{ isLost = false, jitter, now }: { isLost?: boolean; jitter: number; now: number },
): Retry => ({ at: now + pauseMs * jitter, pauseMs: grown(pauseMs, isLost ? 4 : 2) });

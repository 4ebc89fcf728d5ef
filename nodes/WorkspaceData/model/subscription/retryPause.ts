/** The pauses between the tries of a task at the service: from 15 seconds, doubled each time, up to an hour. */

/** A task to try again, with a growing pause. */
export interface Retry {
	at: number;
	pauseMs: number;
}

const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 3_600_000;

export const NEVER: Retry = { at: Infinity, pauseMs: FIRST_PAUSE_MS };

/** Plans the next try of a task. */
export const nextTry = ({ pauseMs }: Pick<Retry, 'pauseMs'>, now: number): Retry => ({
	at: now + pauseMs,
	pauseMs: Math.min(pauseMs * 2, MAX_PAUSE_MS),
});

/** How long to wait before what failed is tried again: renewals, savings and deletions. Times are ms since the epoch. */

/** The pause before a renewal that was refused is tried again; doubles with each further refusal. */
export const FIRST_RENEWAL_PAUSE_MS = 15_000;
/**
 * How long the first execution that saves is waited for. It may wait behind others, and n8n in queue mode may
 * not hear of its end: it removes a finished job at once, and the first end after a start can come before it
 * listens. Doubles with each further one; after a failure it is the pause, too.
 */
const FIRST_SAVING_PAUSE_MS = 30_000;
/** The shortest time between two renewals because of strain, in ms. */
export const FIRST_STRAIN_PAUSE_MS = 600_000;
/** The longest of these pauses. */
export const MAX_PAUSE_MS = 3_600_000;
export const DAY_MS = 24 * 3_600_000;
/** Pauses are spread by a tenth. */
export const MAX_JITTER = 1.1;

/** Something to try again, with a pause that grows. */
export interface Retry {
	/** When it is due. */
	at: number;
	/** How long to wait when it fails once more. */
	pauseMs: number;
}

/** The pause after one that failed. */
export const grown = (pauseMs: number): number => Math.min(pauseMs * 2, MAX_PAUSE_MS);

/** An execution that saves begins: when it is given up, and how long to wait after that. */
export const savingFrom = (now: number, pauseMs = FIRST_SAVING_PAUSE_MS): Retry => ({
	at: now + pauseMs,
	pauseMs: grown(pauseMs),
});

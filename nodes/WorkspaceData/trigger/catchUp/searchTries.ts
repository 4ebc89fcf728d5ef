/** When the search for missed records begins, and how often it is tried again. */
import type { Search } from '../../model/subscription/eventsAndEffects';

/** How often a search is tried; each try is an execution that the user can see. */
const TRIES = 3;
/** Lets the deliveries of that time come first, in ms. */
const DELAY_MS = 5_000;
/** How long to leave a search that failed, in ms. */
const PAUSE_MS = 60_000;

/** A search for missed records that is still to be started. */
export interface PendingSearch {
	search: Search;
	triesLeft: number;
	/** ms since the epoch by the local clock. */
	notBefore: number;
}

/** A search that has become necessary. @param now ms since the epoch by the local clock */
export const firstTry = (search: Search, now: number): PendingSearch => ({
	search,
	triesLeft: TRIES,
	notBefore: now + DELAY_MS,
});

/** A search after a try that failed; undefined where that was the last one. @param now as for `firstTry` */
export const nextTry = (
	{ search, triesLeft }: PendingSearch,
	now: number,
): PendingSearch | undefined =>
	triesLeft > 1 ? { search, triesLeft: triesLeft - 1, notBefore: now + PAUSE_MS } : undefined;

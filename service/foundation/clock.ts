/** Time as the service sees it: what it writes into answers, and what it measures waits with. */
export interface Clock {
	/** Milliseconds since 1970; can step back when the machine's clock is set. */
	now(): number;
	/** `now()` as an ISO 8601 UTC timestamp with milliseconds. */
	iso(): string;
	/** Milliseconds since some start; never steps back. */
	monotonic(): number;
}

/** A clock that follows the machine's. */
export const machineClock: Clock = {
	now: () => Date.now(),
	iso: () => new Date().toISOString(),
	monotonic: () => performance.now(),
};

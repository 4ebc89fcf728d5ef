/** Time as the service sees it, as a parameter. */
export interface Clock {
	/** Milliseconds since 1970; can step back when the machine's clock is set. */
	now(): number;
	/** `now()` as an ISO 8601 UTC timestamp with milliseconds. */
	iso(): string;
	/** Milliseconds since some start; never steps back. */
	monotonic(): number;
	/**
	 * Milliseconds since 1970 by the machine's clock as it was when the process started; never steps. For times that
	 * are kept in the database and must not depend on steps of the machine's clock.
	 */
	steady(): number;
}

/** A clock that follows the machine's. */
export const machineClock: Clock = {
	now: () => Date.now(),
	iso: () => new Date().toISOString(),
	monotonic: () => performance.now(),
	steady: () => performance.timeOrigin + performance.now(),
};

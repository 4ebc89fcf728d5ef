/** Time as the service sees it: the machine's, plus an offset with which a test plays a server whose clock is wrong. */
export class Clock {
	offsetSeconds = 0;

	/** Milliseconds since 1970; can step back when the machine's clock is set. */
	now(): number {
		return Date.now() + this.offsetSeconds * 1000;
	}

	/** `now()` as an ISO 8601 UTC timestamp with milliseconds. */
	iso(): string {
		return new Date(this.now()).toISOString();
	}

	/** Milliseconds since some start; never steps back. */
	monotonic(): number {
		return performance.now();
	}

	/**
	 * Milliseconds since 1970 by the machine's clock as it was when the process started; never steps. For times in the
	 * database that must not depend on steps of the machine's clock.
	 */
	steady(): number {
		return performance.timeOrigin + performance.now();
	}
}

/** The service's own clock: what it writes into answers, not what it measures time with. */
export interface Clock {
	/** Milliseconds since 1970, as the service believes. */
	now(): number;
	/** `now()` as an ISO 8601 UTC timestamp with milliseconds. */
	iso(): string;
	/** How far the clock is off, in seconds; a test sets it to play a server whose clock is wrong. */
	offsetSeconds: number;
}

/** A clock that follows the machine's, plus an offset. */
export function createClock(): Clock {
	return {
		offsetSeconds: 0,
		now() {
			return Date.now() + this.offsetSeconds * 1000;
		},
		iso() {
			return new Date(this.now()).toISOString();
		},
	};
}

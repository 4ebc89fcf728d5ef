/** Time as the service sees it: the machine's, plus an offset by which a test sets it wrong. */
export class Clock {
	offsetSeconds = 0;

	/** Milliseconds since 1970. */
	now(): number {
		return Date.now() + this.offsetSeconds * 1000;
	}

	/** `now()` as an ISO 8601 UTC timestamp with milliseconds. */
	iso(): string {
		return new Date(this.now()).toISOString();
	}
}

/** Units of time in ms, times of the service, and the time zone for times that people enter. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The time zone of a workflow. */
export interface Zone {
	/**
	 * Converts the beginning of a day, or a date and time without an offset, to an instant.
	 *
	 * @returns ISO 8601 in UTC; undefined if there is no such time, because clocks skip some
	 */
	toUtc(local: string): string | undefined;
	/**
	 * The calendar day this many days after today (before it, if negative), as YYYY-MM-DD; undefined beyond
	 * the year 9999.
	 */
	day(offset: number): string | undefined;
}

/** Date and time in ISO 8601 without an offset. JavaScript would read it as local time. */
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/i;

/** Adds the UTC offset to a time of the service if it has none: all its times are UTC. */
export function asUtc(text: string): string {
	const trimmed = text.trim();
	return WITHOUT_OFFSET.test(trimmed) ? `${trimmed}Z` : trimmed;
}

/**
 * Parses a time of the service. It is in UTC even if it has no offset.
 *
 * @returns ms since the epoch; undefined if it isn't a time
 * @see service interface, part 2, "Record", and part 6, "Delivery"
 */
export function parseTime(text: string | null | undefined): number | undefined {
	if (typeof text !== 'string') return undefined;
	const time = Date.parse(asUtc(text));
	return Number.isNaN(time) ? undefined : time;
}

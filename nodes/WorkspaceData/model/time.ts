/** Times of the service, and the time zone in which people mean theirs. */

/** The time zone of a workflow. */
export interface Zone {
	/**
	 * A day's beginning, or a date and time without an offset, as an instant.
	 *
	 * @returns ISO 8601 in UTC, or undefined if there is no such time: clocks skip some
	 */
	toUtc(local: string): string | undefined;
	/** The calendar day that is so many days after today (before it, if negative), as YYYY-MM-DD; undefined beyond the year 9999. */
	day(offset: number): string | undefined;
}

/** Date and time of ISO 8601 without an offset; JavaScript takes it for local time. */
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/i;

/** A time as the service writes it, with an offset: its times are UTC, also where they do not say so. */
export function asUtc(text: string): string {
	const trimmed = text.trim();
	return WITHOUT_OFFSET.test(trimmed) ? `${trimmed}Z` : trimmed;
}

/**
 * A time as the service writes it. Its times are UTC, also where they do not say so.
 *
 * @returns ms since the epoch; undefined if it is not a time
 * @see service interface, part 2, "Record", and part 6, "Delivery"
 */
export function parseTime(text: string | null | undefined): number | undefined {
	if (typeof text !== 'string') return undefined;
	const time = Date.parse(asUtc(text));
	return Number.isNaN(time) ? undefined : time;
}

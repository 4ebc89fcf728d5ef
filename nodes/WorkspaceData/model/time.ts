/**
 * Reads a date, or a date and time without an offset, as local time.
 * @returns ISO 8601 in UTC, or undefined when it is none
 */
export type ToUtc = (local: string) => string | undefined;

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
/** Date and time of ISO 8601 without an offset; JavaScript takes it for local time. */
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/i;

/**
 * A time as the service writes it. Its times are UTC, also where they do not say so.
 *
 * @returns ms since the epoch; undefined if it is not a time
 * @see service interface, part 2, "Record", and part 6, "Delivery"
 */
export function parseTime(text: string | null | undefined): number | undefined {
	if (typeof text !== 'string') return undefined;
	const trimmed = text.trim();
	const time = Date.parse(WITHOUT_OFFSET.test(trimmed) ? `${trimmed}Z` : trimmed);
	return Number.isNaN(time) ? undefined : time;
}

/**
 * A time as a user enters it: local time, also of a day's beginning, where it does not say otherwise.
 *
 * @returns ms since the epoch; undefined if it is not a time
 */
export function parseEnteredTime(text: string, toUtc: ToUtc): number | undefined {
	const trimmed = text.trim();
	const isLocal = DATE_ONLY.test(trimmed) || WITHOUT_OFFSET.test(trimmed);
	return parseTime(isLocal ? toUtc(trimmed.replace(' ', 'T')) : trimmed);
}

/** Date and time of ISO 8601 without an offset; JavaScript takes it for local time. */
const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/i;

/**
 * A time as the service writes it. Its times are UTC, also where they do not say so.
 *
 * @returns ms since the epoch; undefined for what is no time
 * @see service interface, part 2, "Record", and part 6, "Delivery"
 */
export function parseTime(text: string | null | undefined): number | undefined {
	if (typeof text !== 'string') return undefined;
	const trimmed = text.trim();
	const time = Date.parse(WITHOUT_OFFSET.test(trimmed) ? `${trimmed}Z` : trimmed);
	return Number.isNaN(time) ? undefined : time;
}

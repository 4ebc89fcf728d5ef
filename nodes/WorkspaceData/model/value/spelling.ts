/** Texts that can become a value of another type without losing anything. */

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const DAY = /^(\d{4}-\d{2}-\d{2})$/;
const INSTANT =
	/^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Digits that any number keeps: a double is exact up to here. */
export const EXACT_DIGITS = 15;

/** Whether a text begins with a day that exists, as YYYY-MM-DD. */
export function isCalendarDay(text: string): boolean {
	const day = text.slice(0, 10);
	if (!DAY.test(day)) return false;
	const date = new Date(`${day}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * Whether a text can become a number and lose at most zeros at the end of its decimals. Texts with leading
 * zeros, a plus sign, an exponent or many digits cannot: they may be codes, phone numbers or identifiers.
 */
export function isPlainNumber(text: string): boolean {
	if (!PLAIN_NUMBER.test(text) || text.replace(/\D/g, '').length > EXACT_DIGITS) return false;
	return !Object.is(Number(text), -0);
}

/** Whether a text is a day as YYYY-MM-DD and nothing else. */
export const isDay = (text: string): boolean => DAY.test(text) && isCalendarDay(text);

/**
 * Whether a text is a timestamp with seconds and an offset. One without an offset means another time in
 * each time zone; more than milliseconds are not kept everywhere.
 */
export const isInstant = (text: string): boolean => INSTANT.test(text) && isCalendarDay(text);

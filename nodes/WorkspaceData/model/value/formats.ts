/** Converts numbers, days, and yes or no in a country's format to the format that fields read. */
import { foldCase } from '../text';
import { quote } from '../names';
import { isDecimal } from './decimal';
import { isDay, readTimestamp } from './timestamp';

/** The selected formats. A missing one is the usual format: 1234.5, 2026-03-31, true and false. */
export interface Formats {
	number?: 'point' | 'comma' | undefined;
	date?: 'iso' | 'dayFirst' | 'monthFirst' | 'excel' | undefined;
	/** The words for true and false. */
	words?: readonly [string, string] | undefined;
}

/** The values that have formats. */
export type Formatted = 'number' | 'date' | 'datetime' | 'boolean';

/** A decimal comma. Points are only allowed before groups of three digits. */
const COMMA_NUMBER = /^\s*([+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+))(?:,(\d+))?\s*$/;
/** A day as three numbers, optionally with a time of day. */
const DAY_IN_PARTS =
	/^\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])m)?)?\s*$/i;

/** Numbers that are probably days, not amounts: 1954 to 2119. */
const EXCEL_DAYS = { first: 20_000, last: 80_000 };
/** The last day of the calendar, 9999-12-31, as Excel's number. */
const LAST_EXCEL_DAY = 2_958_465;
const DAY_MS = 86_400_000;

/**
 * Converts a value to the format that fields read.
 *
 * @param given not empty
 * @returns the value itself if its format is the usual one; undefined for text that doesn't fit the
 * selected format
 */
export function inUsualSpelling(
	type: string,
	given: unknown,
	{ number, date, words }: Formats = {},
): unknown {
	if (type === 'number') return number === 'comma' ? fromComma(given) : given;
	if (type === 'boolean') return words ? fromWords(given, words) : given;
	const isTime = type === 'date' || type === 'datetime';
	if (!isTime || !date || date === 'iso' || readTimestamp(given)) return given;
	if (date !== 'excel') return typeof given === 'string' ? fromParts(given, date) : given;
	const time = fromExcel(number === 'comma' ? fromComma(given) : given);
	return type === 'date' && time !== undefined && !isDay(time) ? undefined : time;
}

function fromComma(given: unknown): unknown {
	if (typeof given !== 'string') return given;
	const [, whole, fraction] = COMMA_NUMBER.exec(given) ?? [];
	if (whole === undefined) return undefined;
	return `${whole.replaceAll('.', '')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** True and false are unchanged. So are 1 and 0, unless they are the words. */
function fromWords(given: unknown, words: readonly [string, string]): unknown {
	if (typeof given !== 'string') return given;
	const folded = foldCase(given);
	if (folded === 'true' || folded === 'false') return given;
	const place = words.findIndex((word) => foldCase(word) === folded);
	if (place >= 0) return place === 0 ? 'true' : 'false';
	return folded === '1' || folded === '0' ? given : undefined;
}

const twoDigits = (part: string): string => part.padStart(2, '0');

function fromParts(text: string, order: 'dayFirst' | 'monthFirst'): string | undefined {
	const [, first = '', , second = '', year, hours, minutes, seconds = '00', half] =
		DAY_IN_PARTS.exec(text) ?? [];
	if (year === undefined) return undefined;
	const [day, month] = order === 'dayFirst' ? [first, second] : [second, first];
	const iso = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
	if (!isDay(iso)) return undefined;
	if (hours === undefined) return iso;
	const hour = half === undefined ? Number(hours) : halfDayHour(Number(hours), half);
	return hour === undefined ? undefined : `${iso}T${twoDigits(String(hour))}:${minutes}:${seconds}`;
}

/** The hour of a 12-hour clock, on a 24-hour clock. */
function halfDayHour(hour: number, half: string): number | undefined {
	if (hour < 1 || hour > 12) return undefined;
	return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/**
 * Converts a number of Excel's 1900 system to a day, with the wall-clock time from its fraction.
 *
 * @see https://learn.microsoft.com/office/troubleshoot/excel/wrongly-assumes-1900-is-leap-year
 */
function fromExcel(given: unknown): string | undefined {
	const number = numberOf(given);
	const seconds = Math.round((number * DAY_MS) / 1000);
	const day = Math.floor(seconds / 86_400);
	// Excel counts February 29, 1900, which didn't exist.
	if (!(day >= 1 && day <= LAST_EXCEL_DAY) || day === 60) return undefined;
	const start = Date.UTC(1899, 11, day < 60 ? 31 : 30);
	const iso = new Date(start + seconds * 1000).toISOString();
	return Number.isInteger(number) ? iso.slice(0, 10) : iso.slice(0, 19);
}

const numberOf = (given: unknown): number =>
	typeof given === 'number' || (typeof given === 'string' && isDecimal(given))
		? Number(given)
		: NaN;

/** Returns true if a value may be Excel's number for a day. */
export function isExcelDay(value: unknown): boolean {
	const number = numberOf(value);
	return number >= EXCEL_DAYS.first && number <= EXCEL_DAYS.last;
}

/** The formats with an example, as in the options. */
const ORDERS = {
	dayFirst: "'Day First': enter a date such as 31.03.2026 or 31/3/2026",
	monthFirst: "'Month First': enter a date such as 03/31/2026",
	excel: "'Excel Day Numbers': enter a number such as 46205",
};

/** Says which values a field accepts in the selected formats. @param usual what it accepts without any */
export function acceptedIn(
	type: Formatted,
	given: unknown,
	{ number, date, words }: Formats,
	usual: string,
): string {
	if (type === 'number') {
		if (number === 'comma') {
			return "'Number Format' is 'Comma': enter a number such as 1.234,5 or 1234,5. A point comes before three digits only.";
		}
		const isComma = typeof given === 'string' && given.includes(',') && COMMA_NUMBER.test(given);
		return isComma ? `${usual} For a decimal comma, set the option 'Number Format'.` : usual;
	}
	if (type === 'boolean') {
		if (words)
			return `Enter ${words.map(quote).join(' or ')}, as 'Yes and No Words' says, or true or false.`;
		return `${usual} Name other words in the option 'Yes and No Words'.`;
	}
	if (date && date !== 'iso') {
		const whole = date === 'excel' && type === 'date' ? ' without decimals' : '';
		return `'Date Format' is ${ORDERS[date]}${whole}, or as 2026-03-31.`;
	}
	if (isExcelDay(given)) {
		return `It looks like Excel's number for ${fromExcel(given)?.slice(0, 10)}. Set the option 'Date Format' to 'Excel Day Numbers', or use the expression {{ DateTime.fromISO('1899-12-30').plus({ days: ${String(given)} }).toISODate() }}.`;
	}
	const isInParts = typeof given === 'string' && DAY_IN_PARTS.test(given);
	return isInParts
		? `${usual} For another order of day and month, set the option 'Date Format'.`
		: usual;
}

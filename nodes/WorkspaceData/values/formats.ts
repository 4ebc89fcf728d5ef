/** Converts numbers, days, and yes or no in a country's format to the format that fields read. */
import { isDecimal } from './decimal';
import { quote } from './messageText';
import { foldCase } from './nameSpelling';
import { DAY_MS } from './time';
import { isDay, readTimestamp } from './timestamp';

/** The formats of numbers other than 1234.5. */
type NumberFormat = 'comma' | 'pointGrouped' | 'commaSpaced' | 'pointApostrophe';

/** The selected formats. A missing one is the usual format: 1234.5, 2026-03-31, true and false. */
export interface Formats {
	number?: 'point' | NumberFormat | undefined;
	date?: 'iso' | 'dayFirst' | 'monthFirst' | 'excel' | undefined;
	/** The words for true and false. */
	words?: readonly [string, string] | undefined;
}

/** A number with groups of three digits, and its decimals. @param more other groups */
const grouped = (group: string, decimal: string, more = ''): RegExp =>
	new RegExp(
		`^\\s*([+-]?(?:[1-9]\\d{0,2}(?:${group}\\d{3})+${more}|\\d+))(?:${decimal}(\\d+))?\\s*$`,
	);

const NUMBER_PATTERNS: Record<NumberFormat, RegExp> = {
	comma: grouped('\\.', ','),
	// In India, groups before the last one have two digits.
	pointGrouped: grouped(',', '\\.', '|[1-9]\\d?(?:,\\d{2})+,\\d{3}'),
	// Spaces of any width.
	commaSpaced: grouped('[ \\u00a0\\u2009\\u202f]', ','),
	pointApostrophe: grouped("['’]", '\\.'),
};

/** The names of the formats in 'Number Format'. */
export const NUMBER_EXAMPLES: Record<NumberFormat, string> = {
	comma: '1.234,5',
	pointGrouped: '1,234.5',
	commaSpaced: '1 234,5',
	pointApostrophe: "1'234.5",
};

/** The formats in 'Date Format', with an example. */
export const DAY_EXAMPLES = {
	dayFirst: "'Day First': enter a date such as 31.03.2026 or 31/3/2026",
	monthFirst: "'Month First': enter a date such as 03/31/2026",
	excel: "'Excel Day Numbers': enter a whole number such as 46205",
};

/** The number in text, with a point before its decimals; undefined for text that doesn't fit the selected format. */
export function toNumberText(
	text: string,
	{ number: format = 'point' }: Formats = {},
): string | undefined {
	if (format === 'point') return text;
	const [, whole, fraction] = NUMBER_PATTERNS[format].exec(text) ?? [];
	if (whole === undefined) return undefined;
	return `${whole.replace(/[^\d+-]/g, '')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** The different numbers that text with a point, a comma or another separator is in any format, as JSON writes them. */
export function numberReadings(text: string): string[] {
	if (!/[.,'’\s]/.test(text.trim())) return [];
	const formats = ['point', ...Object.keys(NUMBER_PATTERNS)] as Array<Formats['number']>;
	const read = formats
		.map((number) => toNumberText(text, { number }))
		.filter((one) => one !== undefined && isDecimal(one));
	return [...new Set(read.map((one) => String(Number(one))))];
}

/** Text with one number, and what stands before and after it. */
const WITH_NUMBER = /^(\D*?)([+-]?[.,]?\d[\d.,'’\s]*?)(\D*)$/;
/** A sign or two, such as `$` and `%`, or a currency such as `EUR`. */
const UNIT = /^(?:[^\p{L}\p{N}\s]{1,2}|[A-Z]{3})$/u;
/** No number with a unit is longer, in characters. */
const MAX_AMOUNT = 40;

/** Says why text that looks like a number isn't one; undefined if it doesn't look like one. */
export function numberHint(text: string, { number }: Formats): string | undefined {
	const [, before = '', , after = ''] =
		text.length > MAX_AMOUNT ? [] : (WITH_NUMBER.exec(text.trim()) ?? []);
	const units = [before.trim(), after.trim()].filter((part) => part !== '');
	if (units.length > 0 && units.every((part) => UNIT.test(part))) {
		return `${quote(text)} has ${units.map(quote).join(' and ')} next to the number`;
	}
	if (number && number !== 'point') return undefined;
	const readings = numberReadings(text);
	if (readings.length === 0) return undefined;
	const how = readings.length > 1 ? `is ${readings.join(' or ')}` : `can be read as ${readings[0]}`;
	return `${quote(text)} ${how}: select 'Number Format'`;
}

/** `true` or `false` for the words that mean it. These, 1 and 0 are unchanged; undefined for another word. */
export function toBooleanText(text: string, { words }: Formats = {}): string | undefined {
	const folded = foldCase(text);
	if (!words || folded === 'true' || folded === 'false') return text;
	const place = words.findIndex((word) => foldCase(word) === folded);
	if (place >= 0) return String(place === 0);
	return folded === '1' || folded === '0' ? text : undefined;
}

/**
 * Converts a day or a time of the selected format to ISO 8601.
 *
 * @returns a value that is ISO 8601 already, or isn't text, itself; undefined if it doesn't fit
 */
export function toTimeText(given: unknown, formats: Formats = {}): unknown {
	const { date = 'iso' } = formats;
	if (date === 'iso' || readTimestamp(given)) return given;
	if (date !== 'excel') return typeof given === 'string' ? fromParts(given, date) : given;
	return fromExcel(typeof given === 'string' ? toNumberText(given, formats) : given);
}

/** A day as three numbers, optionally with a time of day. */
const DAY_IN_PARTS =
	/^\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])m)?)?\s*$/i;

export const isDayInParts = (given: unknown): boolean =>
	typeof given === 'string' && DAY_IN_PARTS.test(given);

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

/** The last day of the calendar, 9999-12-31, as Excel's number. */
const LAST_EXCEL_DAY = 2_958_465;

/**
 * Converts a number of Excel's 1900 system to a day, with the wall-clock time from its fraction.
 *
 * @see https://learn.microsoft.com/office/troubleshoot/excel/wrongly-assumes-1900-is-leap-year
 */
function fromExcel(given: unknown): string | undefined {
	const isNumber = typeof given === 'number' || (typeof given === 'string' && isDecimal(given));
	const number = isNumber ? Number(given) : NaN;
	const seconds = Math.round((number * DAY_MS) / 1000);
	const day = Math.floor(seconds / 86_400);
	// Excel counts February 29, 1900, which didn't exist.
	if (!(day >= 1 && day <= LAST_EXCEL_DAY) || day === 60) return undefined;
	const start = Date.UTC(1899, 11, day < 60 ? 31 : 30);
	const iso = new Date(start + seconds * 1000).toISOString();
	return Number.isInteger(number) ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The day that a number may be in Excel; undefined for numbers that are no usual day (1954 to 2119). */
export function excelDay(given: unknown): string | undefined {
	const day = fromExcel(given)?.slice(0, 10);
	return day !== undefined && day > '1954' && day < '2120' ? day : undefined;
}

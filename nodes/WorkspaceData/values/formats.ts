/** Converts numbers, days, and yes or no in a country's format to the format that fields read. */
import { foldCase } from './nameSpelling';
import { quote } from './messageText';
import { isDecimal } from './decimal';
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

/** The values that have formats. */
export type Formatted = 'number' | 'date' | 'datetime' | 'boolean';

/** A number with groups of three digits, and its decimals. @param more other groups */
const grouped = (group: string, decimal: string, more = ''): RegExp =>
	new RegExp(
		`^\\s*([+-]?(?:[1-9]\\d{0,2}(?:${group}\\d{3})+${more}|\\d+))(?:${decimal}(\\d+))?\\s*$`,
	);

/** Spaces between groups of digits, of any width. */
const SPACE = '[ \\u00a0\\u2009\\u202f]';

/** Each format, with an example. */
const NUMBER_FORMATS: Record<NumberFormat, { pattern: RegExp; example: string }> = {
	comma: { pattern: grouped('\\.', ','), example: '1.234,5' },
	// In India, groups before the last one have two digits.
	pointGrouped: {
		pattern: grouped(',', '\\.', '|[1-9]\\d?(?:,\\d{2})+,\\d{3}'),
		example: '1,234.5',
	},
	commaSpaced: { pattern: grouped(SPACE, ','), example: '1 234,5' },
	pointApostrophe: { pattern: grouped("['’]", '\\.'), example: "1'234.5" },
};

/** A day as three numbers, optionally with a time of day. */
const DAY_IN_PARTS =
	/^\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])m)?)?\s*$/i;

/** Numbers for which a message about a date names Excel: 1954 to 2119. */
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
	if (type === 'number') return fromNumber(given, number);
	if (type === 'boolean') return words ? fromWords(given, words) : given;
	const isTime = type === 'date' || type === 'datetime';
	if (!isTime || !date || date === 'iso' || readTimestamp(given)) return given;
	if (date !== 'excel') return typeof given === 'string' ? fromParts(given, date) : given;
	const time = fromExcel(fromNumber(given, number));
	return type === 'date' && time !== undefined && !isDay(time) ? undefined : time;
}

function fromNumber(given: unknown, format: Formats['number'] = 'point'): unknown {
	if (typeof given !== 'string' || format === 'point') return given;
	const [, whole, fraction] = NUMBER_FORMATS[format].pattern.exec(given) ?? [];
	if (whole === undefined) return undefined;
	return `${whole.replace(/[^\d+-]/g, '')}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** The different numbers that text with a point, a comma or another separator is in any format, as JSON writes them. */
export function numberReadings(text: string): string[] {
	if (!/[.,'’\s]/.test(text.trim())) return [];
	const formats = ['point', ...Object.keys(NUMBER_FORMATS)] as Array<Formats['number']>;
	const read = formats
		.map((format) => fromNumber(text, format))
		.filter((one) => typeof one === 'string' && isDecimal(one));
	return [...new Set(read.map((one) => String(Number(one))))];
}

/** Says what text may be as a number. @param readings at least one */
export const readingsHint = (text: string, readings: readonly string[]): string =>
	readings.length > 1
		? `${quote(text)} is ${readings.join(' or ')}: select 'Number Format'`
		: `${quote(text)} can be read as ${readings.join()}: select 'Number Format'`;

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
function isExcelDay(value: unknown): boolean {
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
		if (number && number !== 'point') {
			const { example } = NUMBER_FORMATS[number];
			return `'Number Format' is '${example}': enter a number such as ${example} or ${example.replace(/[.,' ](?=234)/, '')}.`;
		}
		const readings = typeof given === 'string' ? numberReadings(given) : [];
		return readings.length > 0 ? `${usual} ${readingsHint(String(given), readings)}.` : usual;
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

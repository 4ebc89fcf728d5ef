/** Numbers as decimal text, which may have more digits than a number keeps. */
import type { Between } from './comparable';

/** Decimal text. Outer spaces are ignored. An exponent with more digits isn't a number. */
const NUMBER = /^\s*([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,15}))?\s*$/i;

/** Max significant digits with which services write a number. @see ECMA-262, Number::toString */
const MAX_PRECISION = 17;

/** Added to the exponent of any decimal text, so that it fits into 16 digits. */
const EXPONENT_BIAS = 4_000_000_000_000_000;

const complement = (digits: string): string =>
	digits.replace(/\d/g, (digit) => String(9 - Number(digit)));

/**
 * Converts a decimal to text whose order, character by character, is the order of decimals: negative ones
 * `n`, zero `o`, positive ones `p`, then the exponent of `0.ddd × 10^exponent`, then the digits.
 *
 * @returns undefined if the text isn't a decimal number
 */
function sortable(text: string): string | undefined {
	const [, sign, mantissa = '', power = '0'] = NUMBER.exec(text) ?? [];
	if (sign === undefined) return undefined;
	const [whole = '', fraction = ''] = mantissa.split('.');
	const all = whole + fraction;
	const digits = all.replace(/^0+/, '');
	if (digits === '') return 'o';
	const exponent = Number(power) + whole.length - (all.length - digits.length);
	const size = `${String(exponent + EXPONENT_BIAS).padStart(16, '0')}${digits.replace(/0+$/, '')}`;
	// Of two negative numbers, the one with further digits comes first: `:` sorts after all digits.
	return sign === '-' ? `n${complement(size)}:` : `p${size}`;
}

/**
 * Reads decimal text.
 *
 * @returns the number if it keeps all digits; else the place of the text between two numbers; undefined if
 * it isn't a decimal number
 */
export function readDecimal(text: string): number | Between | undefined {
	const near = Number(text);
	if (String(near) === text && Number.isFinite(near)) return near;
	const exact = sortable(text);
	if (exact === undefined) return undefined;
	if (!Number.isFinite(near)) return { near, rest: `${near > 0 ? '<' : '>'}${exact}` };
	const nearest = sortable(String(near)) ?? '';
	if (exact === nearest) return near;
	return { near, rest: `${exact < nearest ? '<' : '>'}${exact}` };
}

export const isDecimal = (text: string): boolean => NUMBER.test(text);

/**
 * Returns true if text is a number in its usual spelling: without extra zeros or signs, and with all digits
 * kept.
 */
export const isCanonicalNumber = (text: string): boolean => {
	const number = Number(text);
	return Number.isFinite(number) && String(number) === text;
};

/** A whole number in JSON, without exponent. */
const WHOLE = /^-?\d+$/;

/**
 * Returns true if a number keeps all digits of its text. Whole numbers keep them up to 2^53. Beyond,
 * neighbors would become equal, or return with other digits. Other numbers keep them if they equal the
 * text's value, or if the text is the number's exact value, rounded to as many digits (some services write
 * 0.1 as `0.10000000000000001`).
 */
export function keepsDigits(text: string): boolean {
	if (WHOLE.test(text)) return Number.isSafeInteger(Number(text));
	const number = readDecimal(text);
	if (typeof number !== 'object') return true;
	const { near } = number;
	const digits = text.replace(/e.*/i, '').replace(/\D/g, '').replace(/^0+/, '').length;
	if (!Number.isFinite(near) || Number.isInteger(near) || digits > MAX_PRECISION) return false;
	return sortable(near.toPrecision(digits)) === sortable(text);
}

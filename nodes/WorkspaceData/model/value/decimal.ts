/** Numbers as decimal text, which may have more digits than a number keeps. */
import type { Between } from './comparable';

/** A decimal text; outer spaces are ignored. Exponents of more digits than these are no numbers. */
const NUMBER = /^\s*([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,15}))?\s*$/i;

/** The most significant digits with which services print a number. @see ECMA-262, Number::toString */
const MAX_PRECISION = 17;

/** The exponent of any decimal text fits into 16 digits when this is added. */
const EXPONENT_BIAS = 4_000_000_000_000_000;

const complement = (digits: string): string =>
	digits.replace(/\d/g, (digit) => String(9 - Number(digit)));

/**
 * A decimal as a text that is ordered, character by character, as decimals are: negative ones `n`, zero `o`,
 * positive ones `p`, then the exponent of `0.ddd × 10^exponent`, then the digits.
 *
 * @returns undefined if the text is not a decimal number
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
	// Of two negative numbers the one with further digits comes first: `:` comes after all digits.
	return sign === '-' ? `n${complement(size)}:` : `p${size}`;
}

/**
 * The number that a decimal text is.
 *
 * @returns the number, if it keeps all digits; else where the text lies between two numbers; undefined if it is
 * not a decimal number
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

/** Whether a text is a decimal number. */
export const isDecimal = (text: string): boolean => NUMBER.test(text);

/** Whether a text is spelled as numbers are written: no zeros or signs too many, and all digits are kept. */
export const isCanonicalNumber = (text: string): boolean => {
	const number = Number(text);
	return Number.isFinite(number) && String(number) === text;
};

/** Whether a number may stand for one with other digits: a whole one beyond 2^53 that takes more than 15 of them. */
export const mayHaveLostDigits = (number: number): boolean =>
	Number.isInteger(number) &&
	!Number.isSafeInteger(number) &&
	Number(number.toPrecision(15)) !== number;

/** A whole number as JSON writes it, without exponent. */
const WHOLE = /^-?\d+$/;

/**
 * Whether a number keeps all digits of its text. Whole numbers keep them up to 2^53; beyond, neighbors would become one, or come
 * back with other digits. Others do if the number is the text's value, or if the text is what the number's exact value is when
 * rounded to as many digits (services print 0.1 as `0.10000000000000001`, too).
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

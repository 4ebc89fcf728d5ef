/** Reads numbers. A whole number beyond 2^53 keeps all its digits. */

const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const WHOLE = /^\s*[+-]?\d+\s*$/;

export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/**
 * Reads a number or its decimal text.
 *
 * @returns a bigint for a whole number beyond 2^53; undefined if it isn't a finite number
 */
export function readNumber(value: unknown): number | bigint | undefined {
	const number = typeof value === 'string' && isDecimal(value) ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
	if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
	return BigInt(typeof value === 'string' && WHOLE.test(value) ? value : number);
}

/** Returns true for the digits of a whole number beyond 2^53, which a number may not keep. */
export const isLongWhole = (text: string): boolean =>
	WHOLE.test(text) && !Number.isSafeInteger(Number(text));

/** Returns true for a whole number that may have lost digits already. One with an exponent is no identifier. */
export const mayLackDigits = (value: unknown): boolean =>
	typeof value === 'number' && isLongWhole(String(value));

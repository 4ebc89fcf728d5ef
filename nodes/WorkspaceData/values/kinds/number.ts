/** Numbers: JSON numbers and decimal text, both exact. */
import type { Comparable } from '../comparable';
import {
	ANY_OF,
	EQUALITY,
	ORDER,
	mayLackDigits,
	TOO_MANY_DIGITS,
	unusable,
	type EntryRules,
	type Kind,
	type ValueField,
} from './kind';
import { isCanonicalNumber, readDecimal } from '../decimal';

const ACCEPTED =
	'Enter a number such as 12 or 12.5, with a decimal point and without thousands separators.';

/** Max digits that any number keeps: a double is exact up to here. */
const EXACT_DIGITS = 15;
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Returns true if text can become a number and lose at most zeros at the end of its decimals. Text with
 * leading zeros, a plus sign, an exponent or many digits can't: it may be a code, a phone number or an
 * identifier.
 */
function isPlainNumber(text: string): boolean {
	if (!PLAIN_NUMBER.test(text) || text.replace(/\D/g, '').length > EXACT_DIGITS) return false;
	return !Object.is(Number(text), -0);
}

/** Text with leading zeros or a plus sign, which a postal code or a phone number may have. */
const MAYBE_CODE = /^\s*(?:\+|-?0\d)/;

/** The comparable form of a stored number. */
export function readNumber(stored: unknown): Comparable | undefined {
	if (typeof stored === 'number') return Number.isNaN(stored) ? undefined : stored;
	return typeof stored === 'string' ? readDecimal(stored) : undefined;
}

/** The number to send; undefined for other text. @throws InputError for digits, zeros or a sign that a number loses */
function enterNumber(entered: unknown, field: ValueField, { formats }: EntryRules): unknown {
	if (typeof entered === 'boolean') return undefined;
	if (mayLackDigits(entered)) throw unusable(field, entered, TOO_MANY_DIGITS);
	if (typeof entered !== 'string') return entered;
	const number = readDecimal(entered);
	if (number === undefined) return undefined;
	const near = typeof number === 'object' ? number.near : number;
	if (!Number.isFinite(near)) {
		throw unusable(field, entered, `No number is that large. ${ACCEPTED}`);
	}
	if (near !== number || (formats && MAYBE_CODE.test(entered))) {
		throw unusable(field, entered, `As a number it would become ${near}. Use a text field for it.`);
	}
	return number;
}

const decimals = (text: string): number => text.split('.')[1]?.length ?? 0;

export const number: Kind = {
	types: ['integer', 'int', 'currency', 'percent'],
	newTypes: [
		{
			type: 'number',
			names: ['number', 'decimal', 'numeric', 'double', 'float'],
			one: 'a number',
			fitsText: isPlainNumber,
			// `1.10` and `1.9` are versions, while `1.10` and `1.90` are amounts.
			otherFormat: (texts) =>
				texts.every(isCanonicalNumber)
					? -1
					: texts.findIndex((text) => decimals(text) !== decimals(texts[0] ?? '')),
			fitsValue: (value) => typeof value === 'number' && Number.isFinite(value),
		},
	],
	read: readNumber,
	isSingle: true,
	formatted: 'number',
	enter: enterNumber,
	accepts: () => ACCEPTED,
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER],
	// Text, because n8n 1 puts a 0 into each empty input for numbers when it opens the node, and sends it.
	input: { type: 'string', canMatch: true },
};

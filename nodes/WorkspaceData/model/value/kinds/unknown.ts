/**
 * Values of a type that the node doesn't know. Nothing is refused, and two values are equal if their text
 * is equal. Other records aren't checked for this.
 */
import { readNumber } from './number';
import { compareForms } from '../comparable';
import { canonicalJson, jsonForm } from '../serialization';
import { ANY_OF, DAYS, ENDS, EQUALITY, ORDER, PARTS, type Habit, type Kind } from './kind';
import type { Zone } from '../../time';
import { byCharacter } from '../../text';
import { instantOf, readTimestamp, type Timestamp } from '../timestamp';
import { isCanonicalNumber, isDecimal, keepsDigits } from '../decimal';
import { isEmpty } from '../emptyValue';

/** Returns true for a number with more digits than a number keeps, which is read as text. */
const isLongNumber = (value: unknown): boolean =>
	typeof value === 'string' && isDecimal(value) && !keepsDigits(value);

/** Returns `numbers` if all stored values are numbers. */
function habitOfNumbers(stored: Iterable<unknown>): Habit | undefined {
	const values = [...stored].filter((value) => !isEmpty(value));
	const isNumber = (value: unknown) => typeof value === 'number';
	return values.some(isNumber) && values.every((value) => isNumber(value) || isLongNumber(value))
		? 'numbers'
		: undefined;
}

export const unknown: Kind = {
	newTypes: [],
	read(stored) {
		const text = typeof stored === 'string' ? stored : canonicalJson(stored);
		return isCanonicalNumber(text) ? Number(text) : text;
	},
	isLanguage: true,
	enter: (entered, { habit }) =>
		habit === 'numbers' && typeof entered === 'string' && isCanonicalNumber(entered)
			? Number(entered)
			: entered,
	dependsOnRecords: (entered) => typeof entered === 'string' && isCanonicalNumber(entered),
	habitOf: habitOfNumbers,
	holdsEmptyText: () => true,
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS, ...ENDS, ...ORDER, ...DAYS],
	orderAgainst,
	input: { type: 'string', canMatch: true },
};

type Order = (stored: unknown) => number | undefined;

/**
 * Compares stored days as written, and stored times as instants. Against a stored time, an entered day counts
 * as its beginning.
 */
function againstTime(operand: Timestamp, zone: Zone): Order {
	const instant = instantOf(operand, zone);
	return (stored) => {
		const time = readTimestamp(stored);
		if (!time) return undefined;
		if (time.clock === undefined) return byCharacter(time.day, operand.day);
		const at = instantOf(time, zone);
		return at === undefined || instant === undefined ? undefined : compareForms(at, instant);
	};
}

/** Compares stored values with an operand; undefined if the two have no order. */
export function orderAgainst(operand: unknown, zone: Zone): Order {
	const entered = jsonForm(operand);
	const number = readNumber(entered);
	if (number !== undefined) {
		return (stored) => {
			const other = readNumber(stored);
			return other === undefined ? undefined : compareForms(other, number);
		};
	}
	if (typeof entered !== 'string') return () => undefined;
	const time = readTimestamp(entered);
	if (time) return againstTime(time, zone);
	return (stored) =>
		typeof stored === 'string' && stored !== '' ? byCharacter(stored, entered) : undefined;
}

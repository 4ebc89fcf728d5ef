/** Values of a type that the node doesn't know. What is given is sent, and two values are equal if their text is equal. */
import { readNumber } from './number';
import { compareForms } from '../comparable';
import { canonicalJson, jsonForm } from '../serialization';
import { ANY_OF, DAYS, ENDS, EQUALITY, ORDER, PARTS, type Kind } from './kind';
import type { Zone } from '../../time';
import { byCharacter } from '../../text';
import { instantOf, readTimestamp, type Timestamp } from '../timestamp';
import { isCanonicalNumber } from '../decimal';

export const unknown: Kind = {
	newTypes: [],
	read(stored) {
		const text = typeof stored === 'string' ? stored : canonicalJson(stored);
		return isCanonicalNumber(text) ? Number(text) : text;
	},
	isLanguage: true,
	enter: (entered) => entered,
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

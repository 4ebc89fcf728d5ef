/**
 * Values of a type that the node does not know. Nothing is refused, and two values are the same where their text is: it
 * doesn't look at other records for that.
 */
import { readNumber } from './number';
import { compareForms } from '../comparable';
import { canonicalJson, textOf, jsonForm } from '../serialization';
import { ANY_OF, DAYS, ENDS, EQUALITY, habitOfNumbers, ORDER, PARTS, type Kind } from './kind';
import type { Zone } from '../../time';
import { byCharacter } from '../../text';
import { instantOf, readTimestamp, type Timestamp } from '../timestamp';
import { isCanonicalNumber } from '../decimal';

export const unknown: Kind = {
	name: 'unknown',
	types: [],
	newTypes: [],
	read(stored) {
		const text = typeof stored === 'string' ? stored : canonicalJson(stored);
		return isCanonicalNumber(text) ? Number(text) : text;
	},
	texts: (stored) => (Array.isArray(stored) ? stored.map(textOf) : [textOf(stored)]),
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

/** Days as written; where both have a time, as instants. A day against a time is its beginning. */
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

/** How stored values stand to an operand: below, at or above it; undefined if the two have no order. */
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

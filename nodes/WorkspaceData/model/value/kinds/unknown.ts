/**
 * Values of a type that the node does not know. Nothing is refused, and two values are the same where their texts are: it
 * takes no look at other records to tell.
 */
import { isCanonicalNumber } from '../decimal';
import { canonicalJson, textOf } from '../form';
import { ANY_OF, DAYS, ENDS, EQUALITY, habitOfNumbers, ORDER, PARTS, type Kind } from './kind';
import { orderAgainst } from './loose';

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

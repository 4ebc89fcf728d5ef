/** Values of a type that the node doesn't know. What is given is sent, and two values are equal if their text is equal. */
import { readNumber } from './number';
import { compareForms } from '../comparable';
import { canonicalJson } from '../serialization';
import { ANY_OF, ENDS, EQUALITY, ORDER, PARTS, type Kind } from './kind';
import { isCanonicalNumber } from '../decimal';
import { isObject, ownValue } from '../../model/response/jsonObject';

/** An object with an ID is the same as long as it has this ID: the address of a file may change with each listing. */
function byIdentifier(stored: unknown): unknown {
	if (Array.isArray(stored)) return stored.map(byIdentifier);
	if (!isObject(stored)) return stored;
	const id = ownValue(stored, 'id');
	return typeof id === 'string' || typeof id === 'number' ? { id } : stored;
}

export const unknown: Kind = {
	newTypes: [],
	read(stored) {
		const text = typeof stored === 'string' ? stored : canonicalJson(byIdentifier(stored));
		return isCanonicalNumber(text) ? Number(text) : text;
	},
	isLanguage: true,
	enter: (entered) => entered,
	holdsEmptyText: () => true,
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS, ...ENDS, ...ORDER],
	orderAgainst,
	input: { type: 'string', canMatch: true },
};

/** Compares stored numbers with a number; undefined if the operand isn't one. */
export function orderAgainst(
	operand: unknown,
): ((stored: unknown) => number | undefined) | undefined {
	const number = readNumber(operand);
	if (number === undefined) return undefined;
	return (stored) => {
		const other = readNumber(stored);
		return other === undefined ? undefined : compareForms(other, number);
	};
}

/** Values of a type that the node doesn't know. What is given is sent, and two values are equal if their text is equal. */
import { canonicalJson } from '../json';
import { ANY_OF, ENDS, EQUALITY, ORDER, PARTS, type Kind } from '../kind';

export const unknown: Kind = {
	types: [],
	isText: true,
	read(stored) {
		const text = typeof stored === 'string' ? stored : canonicalJson(stored);
		const number = Number(text);
		return Number.isFinite(number) && String(number) === text ? number : text;
	},
	enter: (entered) => entered,
	accepts: () => 'Enter a value that fits the type of the field.',
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS, ...ENDS, ...ORDER],
	input: { type: 'string', canMatch: true },
};

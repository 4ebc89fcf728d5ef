/** Texts, compared exactly. A number or true and false in a text field mean their JSON text. */
import { isInexact } from '../../answer/shapes';
import { textOf } from '../serialization';
import {
	ANY_OF,
	ENDS,
	EQUALITY,
	PARTS,
	plainTypeName,
	TOO_MANY_DIGITS,
	unusable,
	type Kind,
} from './kind';
import { orderAgainst } from './unknown';

/** Types of text whose fields refuse an empty one. */
const NEVER_EMPTY = ['email', 'url'];

export const text: Kind = {
	name: 'text',
	types: [
		...['text', 'longtext', 'shorttext', 'richtext', 'string'],
		...['email', 'url', 'phone', 'textarea'],
	],
	newTypes: [
		{
			type: 'email',
			names: ['email'],
			else: ['text'],
			one: 'an e-mail address',
			fitsText: (value) =>
				value.length <= 254 && /^[\w.%+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(value),
		},
		{
			type: 'url',
			names: ['url'],
			else: ['text', 'long_text'],
			one: 'a web address',
			fitsText: (value) =>
				value.length <= 2_000 && /^https?:\/\/[^\s/?#]+\S*$/i.test(value) && URL.canParse(value),
		},
		{ type: 'long_text', names: ['longtext', 'textarea'], else: ['text'] },
		{ type: 'text', names: ['text', 'string', 'shorttext'], else: ['long_text'] },
	],
	read: (stored) => (typeof stored === 'object' ? undefined : textOf(stored)),
	isLanguage: true,
	enter(entered, field, { fits }) {
		if (fits) return textOf(entered);
		if (isInexact(entered)) throw unusable(field, entered, TOO_MANY_DIGITS);
		return typeof entered === 'boolean' || Number.isFinite(entered) ? textOf(entered) : entered;
	},
	holdsEmptyText: ({ type = '' }) => !NEVER_EMPTY.includes(plainTypeName(type)),
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS, ...ENDS],
	orderAgainst,
	input: { type: 'string', canMatch: true },
};

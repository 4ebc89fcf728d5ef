/** Text, compared exactly. Numbers, true and false in a text field equal their JSON text. */
import { isSendable, textOf } from '../serialization';
import {
	ANY_OF,
	ENDS,
	EQUALITY,
	mayLackDigits,
	PARTS,
	plainTypeName,
	TOO_MANY_DIGITS,
	unusable,
	type Kind,
} from './kind';
import { orderAgainst } from './unknown';

/** Text types whose fields refuse empty text. */
const NEVER_EMPTY = ['email', 'url'];

/** n8n's text for a date that doesn't exist. */
const NO_DATE = 'Invalid DateTime';
const NO_DATE_ADVICE = "The value is a date that couldn't be read. Check its expression.";

export const text: Kind = {
	types: ['richtext', 'phone'],
	newTypes: [
		{
			type: 'email',
			names: ['email'],
			one: 'an email address',
			fitsText: (value) =>
				value.length <= 254 && /^[\w.%+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(value),
		},
		{
			type: 'url',
			names: ['url'],
			one: 'a web address',
			fitsText: (value) =>
				value.length <= 2_000 && /^https?:\/\/[^\s/?#]+\S*$/i.test(value) && URL.canParse(value),
		},
		{ type: 'long_text', names: ['longtext', 'textarea'] },
		{ type: 'text', names: ['text', 'string', 'shorttext'] },
	],
	read: (stored) => (typeof stored === 'object' ? undefined : textOf(stored)),
	isLanguage: true,
	isSingle: true,
	enter(entered, field, { fits }) {
		if (entered === NO_DATE) throw unusable(field, entered, NO_DATE_ADVICE);
		if (mayLackDigits(entered)) throw unusable(field, entered, TOO_MANY_DIGITS);
		if (fits && isSendable(entered)) return textOf(entered);
		return typeof entered === 'boolean' || Number.isFinite(entered) ? textOf(entered) : entered;
	},
	holdsEmptyText: ({ type = '' }) => !NEVER_EMPTY.includes(plainTypeName(type)),
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS, ...ENDS],
	orderAgainst,
	input: { type: 'string', canMatch: true },
};

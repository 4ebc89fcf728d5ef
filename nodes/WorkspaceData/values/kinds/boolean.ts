/** Yes or no. */
import { toBooleanText } from '../formats';
import { quote } from '../messageText';
import { EQUALITY, type Kind } from '../kind';

function readBoolean(value: unknown): number | undefined {
	if (value === true || value === 1) return 1;
	if (value === false || value === 0) return 0;
	if (typeof value !== 'string') return undefined;
	if (/^\s*(?:true|1)\s*$/i.test(value)) return 1;
	return /^\s*(?:false|0)\s*$/i.test(value) ? 0 : undefined;
}

export const boolean: Kind = {
	types: ['boolean', 'bool', 'checkbox', 'yesno'],
	read: readBoolean,
	enter(entered, _field, { formats }) {
		const is = readBoolean(typeof entered === 'string' ? toBooleanText(entered, formats) : entered);
		return is === undefined ? undefined : is === 1;
	},
	accepts(_entered, _field, { formats }) {
		if (!formats) return 'Enter true or false.';
		return formats.words
			? `Enter ${formats.words.map(quote).join(' or ')}, as in 'Yes and No Words', or true or false.`
			: "Enter true or false. To use other words, enter them in 'Yes and No Words'.";
	},
	conditions: EQUALITY,
	input: {
		// n8n's own toggle stores `false` even if nobody used it. A choice stores nothing.
		type: 'options',
		options: () => [
			{ name: 'True', value: true },
			{ name: 'False', value: false },
		],
		canMatch: true,
	},
};

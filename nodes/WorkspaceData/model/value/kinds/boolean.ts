/** Yes or no. */
import { EQUALITY, unusable, type Kind } from './kind';

const ACCEPTED = 'Enter true or false.';

function readBoolean(value: unknown): number | undefined {
	if (typeof value === 'boolean') return Number(value);
	if (value === 1 || value === 0) return value;
	if (typeof value !== 'string') return undefined;
	if (/^\s*(?:true|1)\s*$/i.test(value)) return 1;
	return /^\s*(?:false|0)\s*$/i.test(value) ? 0 : undefined;
}

export const boolean: Kind = {
	newTypes: [
		{
			type: 'boolean',
			names: ['boolean', 'bool', 'checkbox', 'yesno'],
			one: 'true or false',
			fitsText: (text) => /^(?:true|false)$/i.test(text),
			isUniform: (texts) =>
				new Set(texts.map((text) => (text === text.toUpperCase() ? 2 : /^[TF]/.test(text) ? 1 : 0)))
					.size <= 1,
			fitsValue: (value) => typeof value === 'boolean',
		},
	],
	read: readBoolean,
	isSingle: true,
	formatted: 'boolean',
	enter(entered, field, { whole }) {
		const is = readBoolean(entered);
		if (is === undefined) return undefined;
		if (whole && !/^(?:true|false)$/i.test(String(entered))) {
			throw unusable(field, entered, `The field would keep ${is === 1} only. ${ACCEPTED}`);
		}
		return is === 1;
	},
	accepts: () => ACCEPTED,
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

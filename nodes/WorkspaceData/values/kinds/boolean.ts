/** Yes or no. */
import { EQUALITY, type Kind } from './kind';

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
			fitsValue: (value) => typeof value === 'boolean',
		},
	],
	read: readBoolean,
	isSingle: true,
	formatted: 'boolean',
	enter(entered) {
		const is = readBoolean(entered);
		return is === undefined ? undefined : is === 1;
	},
	accepts: () => 'Enter true or false.',
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

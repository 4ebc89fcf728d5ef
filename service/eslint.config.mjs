import { unpublished } from '../eslint.strict.mjs';

/** A function that does not fit on a screen is more than one. */
const short = {
	files: ['**/*.ts'],
	ignores: ['test/**'],
	rules: {
		'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
	},
};

export default [...unpublished, short];

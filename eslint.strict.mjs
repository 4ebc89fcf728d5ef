// What we ask beyond n8n's own rules, which stand unchanged in eslint.config.mjs. `npm run lint` checks
// what is published with n8n's rules alone, then with these on top. The other folders (the reference
// service, scripts, tests) use `unpublished` as their eslint.config.mjs, because n8n's rules forbid what a
// service or a test needs, such as node:http.
import js from '@eslint/js';
import { config as n8nRules } from '@n8n/node-cli/eslint';
import tseslint from 'typescript-eslint';

const ours = {
	files: ['**/*.{ts,mts}'],
	linterOptions: { reportUnusedDisableDirectives: 'error' },
	languageOptions: {
		parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
	},
	plugins: { '@typescript-eslint': tseslint.plugin },
	rules: {
		// A promise that nobody waits for hides its failure.
		'@typescript-eslint/no-floating-promises': 'error',
		'@typescript-eslint/no-explicit-any': 'error',
		'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
		'@typescript-eslint/consistent-type-imports': 'error',
	},
};

/** For the folders that are not published. */
export const unpublished = tseslint.config(
	{
		files: ['**/*.{ts,mts}'],
		extends: [js.configs.recommended, tseslint.configs.recommended],
	},
	ours,
);

/** For nodes/, credentials/ and package.json: a comment that switches a rule off is a finding. */
export default tseslint.config(n8nRules, ours, {
	files: ['**/*.ts'],
	linterOptions: { noInlineConfig: true },
});

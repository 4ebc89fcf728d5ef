// All that `npm run lint:code` asks. What is published has to meet n8n's own rules, which stand unchanged in eslint.config.mjs, and
// ours on top. The other folders (the reference service, scripts, tests) have ESLint's recommended rules and ours: n8n's forbid
// what a service or a test needs, such as node:http.
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { config as n8nRules } from '@n8n/node-cli/eslint';
import tseslint from 'typescript-eslint';

const published = ['nodes/**', 'credentials/**'];
const unpublished = ['service', 'scripts', 'test'].map((folder) => `${folder}/**/*.{ts,mts}`);

export default defineConfig(
	globalIgnores(['dist']),
	{ files: [...published, 'package.json'], extends: [n8nRules] },
	{ files: unpublished, extends: [js.configs.recommended, tseslint.configs.recommended] },
	{
		files: ['**/*.{ts,mts}'],
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		languageOptions: {
			parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
		},
		plugins: { '@typescript-eslint': tseslint.plugin },
		rules: {
			// A promise that nobody waits for hides its failure.
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
			'@typescript-eslint/consistent-type-imports': 'error',
		},
	},
	// A comment that switches a rule off is a finding.
	{ files: published, linterOptions: { noInlineConfig: true } },
	{
		files: ['service/**/*.ts'],
		ignores: ['service/test/**'],
		rules: {
			// A function that does not fit on a screen is more than one.
			'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
		},
	},
);

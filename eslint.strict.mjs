// What we ask beyond n8n's own rules, which stand unchanged in eslint.config.mjs. `npm run lint` checks
// what is published with n8n's rules alone, then with these on top. The other folders (the reference
// service, scripts, tests) use `unpublished` as their eslint.config.mjs, because n8n's rules forbid what a
// service or a test needs, such as node:http.
import js from '@eslint/js';
import { config as n8nRules } from '@n8n/node-cli/eslint';
import { readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** Turns of phrase to avoid, which textlint looks for in Markdown. */
const phrases = JSON.parse(readFileSync(new URL('prose.json', import.meta.url), 'utf8')).rules.map(
	({ expected, pattern }) => {
		const [, source, flags] = /^\/(.*)\/(\w*)$/.exec(pattern);
		return { expected, pattern: new RegExp(source, flags) };
	},
);

/** Finds the phrases of prose.json in comments, and with `texts` in literals. @type {import('eslint').Rule.RuleModule} */
const prose = {
	meta: { type: 'suggestion', schema: [{ type: 'object' }] },
	create({ options: [{ texts } = {}], report, sourceCode }) {
		const check = (node, text) => {
			for (const { expected, pattern } of phrases) {
				const [found] = pattern.exec(text) ?? [];
				if (found !== undefined) report({ node, message: `'${found}': write ${expected}` });
			}
		};
		const checkText = (node, text) => {
			if (texts && typeof text === 'string') check(node, text);
		};
		return {
			Program: () =>
				sourceCode.getAllComments().forEach((comment) => {
					check(comment, comment.value.replaceAll(/\n\s*\*/g, '\n'));
				}),
			Literal: (node) => checkText(node, node.value),
			TemplateElement: (node) => checkText(node, node.value.cooked),
		};
	},
};

const ours = {
	files: ['**/*.{ts,mts}'],
	linterOptions: { reportUnusedDisableDirectives: 'error' },
	languageOptions: {
		parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
	},
	plugins: { '@typescript-eslint': tseslint.plugin, ours: { rules: { prose } } },
	rules: {
		// A promise that nobody waits for hides its failure.
		'@typescript-eslint/no-floating-promises': 'error',
		'@typescript-eslint/no-explicit-any': 'error',
		'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
		'@typescript-eslint/consistent-type-imports': 'error',
		'ours/prose': 'error',
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
	rules: { 'ours/prose': ['error', { texts: true }] },
});

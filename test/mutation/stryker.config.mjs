// Mutation tests, see run.mts. Texts are left out: most are read by people, and no test is to repeat them.
import { fileURLToPath } from 'node:url';

export default {
	testRunner: 'jest',
	plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/jest-runner'))],
	jest: {
		projectType: 'custom',
		configFile: 'test/mutation/jest.config.cjs',
		enableFindRelatedTests: false,
	},
	mutate: [process.env.MUTATE ?? ''],
	mutator: { excludedMutations: ['StringLiteral'] },
	ignorePatterns: ['dist', 'docs/pictures', 'test/host/n8n-*', 'test/e2e', '.cache'],
	coverageAnalysis: 'perTest',
	concurrency: Number(process.env.MUTATE_CONCURRENCY ?? 1),
	tempDirName: '.cache/stryker',
	// Left behind, the changed copies would be linted.
	cleanTempDir: 'always',
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { allowColor: false, reportTests: false },
};

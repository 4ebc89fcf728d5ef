const { join } = require('node:path');

const repository = join(__dirname, '..', '..');

/** Packages of execa's family and others that ship ES modules only are compiled like our own code. */
const commonJs = ['flatted', 'playwright-core', 'undici'];

// In full: jest does not know <rootDir> behind a `!`.
const tests = join(repository, 'test', 'e2e');
const queue = `${tests}/queue/**/*.e2e.test.ts`;
const packed = join(repository, 'test', 'package');

/**
 * A kind of test; the same file may be in several.
 *
 * @param {string} displayName
 * @param {string[]} testMatch
 * @param {object} globals what the tests find as global variables
 */
const project = (displayName, testMatch, globals = {}) => ({
	displayName,
	testMatch,
	globals,
	rootDir: repository,
	roots: [tests, packed, '<rootDir>/scripts', '<rootDir>/test/host', '<rootDir>/service'],
	testEnvironment: join(tests, 'environment.cjs'),
	// Two whole n8n are in there.
	modulePathIgnorePatterns: [
		'<rootDir>/test/host/n8n-1/node_modules/',
		'<rootDir>/test/host/n8n-2/node_modules/',
		'<rootDir>/test/package/node_modules/',
		'<rootDir>/dist/',
	],
	transform: {
		'^.+\\.[mc]?[jt]s$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
				module: { type: 'commonjs' },
			},
		],
	},
	transformIgnorePatterns: [`/node_modules/(?:${commonJs.join('|')})/`],
	// This one, which execa needs, answers to `import` only.
	moduleNameMapper: { '^unicorn-magic$': '<rootDir>/node_modules/unicorn-magic/node.js' },
});

const inN8n = [`${tests}/**/*.e2e.test.ts`, `!${queue}`];
/** One journey each for records, credentials, trigger and editor: n8n 1's engine runs the tests of the nodes as well. */
const inN8n1 = ['rest/credentials', 'rest/records', 'trigger/lifecycle', 'browser/editor'].map(
	(name) => `${tests}/${name}.e2e.test.ts`,
);

/**
 * Tests in a real n8n, started by run.ts, and of the packed package (`npm run test:package`); never part of `npm test`.
 *
 * @type {import('jest').Config}
 */
module.exports = {
	rootDir: repository,
	projects: [
		project('n8n 1', inN8n1, { e2eMajor: 1 }),
		project('n8n 2', inN8n, { e2eMajor: 2 }),
		project('queue mode', [queue], { e2eMajor: 2 }),
		project('package', [`${packed}/*.test.ts`]),
	],
	// Against hanging only: what is slow on a busy machine is right all the same.
	testTimeout: 600_000,
	testSequencer: join(tests, 'longestFirst.cjs'),
	// Each waits for n8n, the service or the page half of its time.
	maxWorkers: 3,
	verbose: true,
	reporters: ['default', '<rootDir>/test/support/closingLine.js'],
};

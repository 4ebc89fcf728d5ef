const { join } = require('node:path');

const repository = join(__dirname, '..', '..');

/** Packages of execa's family and others that ship ES modules only are compiled like our own code. */
const commonJs = ['flatted', 'playwright-core', 'undici'];

/** Tests in a real n8n; started by run.ts, never by `npm test`. @type {import('jest').Config} */
module.exports = {
	displayName: 'e2e',
	rootDir: repository,
	roots: ['<rootDir>/test/e2e', '<rootDir>/demo', '<rootDir>/service'],
	testEnvironment: 'node',
	testMatch: ['<rootDir>/test/e2e/**/*.e2e.test.ts'],
	// Two whole n8n are in there.
	modulePathIgnorePatterns: [
		'<rootDir>/demo/n8n/',
		'<rootDir>/test/e2e/n8n-1x/',
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
	testTimeout: 120_000,
	maxWorkers: 2,
	reporters: ['default', '<rootDir>/test/support/closingLine.js'],
};

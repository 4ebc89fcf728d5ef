/** The tests that Stryker runs: the unit tests, or those that run.mts was asked for. There are thousands of mutants. */
const { join } = require('node:path');
const { projects } = require('../../jest.config.js');

const parts = JSON.parse(process.env.MUTATE_TESTS ?? '["unit/"]');

module.exports = {
	// The tests of `node` and `service` run alike: one project takes files of all three.
	...projects.find(({ displayName }) => displayName === 'unit'),
	rootDir: join(__dirname, '..', '..'),
	testTimeout: 60_000,
	testSequencer: join(__dirname, 'quickFirst.cjs'),
	testMatch: parts.map((/** @type {string} */ part) => `<rootDir>/test/${part}*{,/**/*}.test.ts`),
};

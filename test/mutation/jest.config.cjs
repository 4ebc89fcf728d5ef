/** The tests that Stryker runs: the tests of the rules, or those that run.mts was asked for. There are thousands of mutants. */
const { join } = require('node:path');
const { projects } = require('../../jest.config.js');

const parts = JSON.parse(process.env.MUTATE_TESTS ?? '["rules/"]');

module.exports = {
	// The tests of `rules`, `node` and `service` run alike: one project takes files of all three.
	...projects.find(({ displayName }) => displayName === 'rules'),
	rootDir: join(__dirname, '..', '..'),
	testTimeout: 60_000,
	testSequencer: join(__dirname, 'quickFirst.cjs'),
	testMatch: parts.map((/** @type {string} */ part) => `<rootDir>/test/${part}*{,/**/*}.test.ts`),
};

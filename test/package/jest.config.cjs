/**
 * `npm run test:package`: the packed package on each Node and zod that it supports, and its publication to a
 * registry of this machine. Apart from the other tests, as it builds the package and installs what it needs.
 */
const { resolve } = require('node:path');

const rootDir = resolve(__dirname, '../..');
const { transform, moduleNameMapper } = require('../e2e/jest.config.cjs').projects[0];

/** @type {import('jest').Config} */
module.exports = {
	displayName: 'package',
	rootDir,
	roots: ['<rootDir>/test/package', '<rootDir>/test/host'],
	modulePathIgnorePatterns: ['<rootDir>/test/.*/node_modules/'],
	testMatch: ['<rootDir>/test/package/*.test.ts'],
	testEnvironment: 'node',
	transform,
	// execa and its family are ES modules; they are compiled like our own code.
	transformIgnorePatterns: ['/node_modules/(?:flatted)/'],
	moduleNameMapper,
	maxWorkers: 1,
	testTimeout: 180_000,
};

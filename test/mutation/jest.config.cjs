/** The unit tests alone, for Stryker: the other tests take seconds each, and there are thousands of mutants. */
const { join } = require('node:path');
const { projects } = require('../../jest.config.js');

const unit = projects.find(({ displayName }) => displayName === 'unit');

module.exports = { ...unit, rootDir: join(__dirname, '..', '..'), testTimeout: 60_000 };

/**
 * Jest's resolver of the tests that run with zod 4, which n8n moves to next: our nodes and tests get it in place
 * of zod 3.25. n8n's engine and the reference service keep theirs.
 */
const { relative, resolve, sep } = require('node:path');

const root = resolve(__dirname, '..', '..');
const ours = new Set(['nodes', 'credentials', 'test']);

/**
 * @param {string} request the module that is imported
 * @param {{ basedir: string, defaultResolver: (request: string, options: object) => string }} options
 * @returns {string} the path of its file
 */
module.exports = (request, options) => {
	const [folder] = relative(root, options.basedir).split(sep);
	const name = ours.has(folder) ? request.replace(/^zod(?=\/|$)/, 'zod-4') : request;
	return options.defaultResolver(name, options);
};

/**
 * Jest's resolver of the tests that run against n8n 1: our nodes and tests get the older n8n-core and
 * n8n-workflow, and the zod that comes with them, from this package. The reference service keeps its own.
 */
const { relative, resolve, sep } = require('node:path');

const root = resolve(__dirname, '..', '..');
const partsOfN8n = /^(?:n8n-core|n8n-workflow|zod|reflect-metadata|@n8n\/[^/]+)(?:\/|$)/;
const oursToo = new Set(['nodes', 'credentials', 'test']);

/**
 * @param {string} request the module that is imported
 * @param {{ basedir: string, defaultResolver: (request: string, options: object) => string }} options
 * @returns {string} the path of its file
 */
module.exports = (request, options) => {
	const [folder] = relative(root, options.basedir).split(sep);
	const older = oursToo.has(folder) && partsOfN8n.test(request);
	return options.defaultResolver(request, older ? { ...options, basedir: __dirname } : options);
};

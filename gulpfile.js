const { dest, src } = require('gulp');

/** Copies the icons and the node metadata beside the compiled code. */
exports.icons = function icons() {
	return src(['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], {
		base: '.',
		encoding: false,
	}).pipe(dest('dist'));
};

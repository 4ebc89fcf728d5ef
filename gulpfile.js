/**
 * Builds the published package in dist/: `npm run build`, or `npx gulp <task>` for one task (`npx gulp --tasks` lists them).
 */
const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const { dest, parallel, series, src, watch } = require('gulp');

/** Icons, search words and output samples, which n8n reads as files. */
const ASSETS = ['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];

/** Removes dist/. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}
clean.description = 'Removes dist/';

const tsc = (...options) =>
	spawn(
		process.execPath,
		[require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json', ...options],
		{ stdio: 'inherit' },
	);

/** Checks the types of what is published, and compiles it. */
function compile() {
	return tsc();
}
compile.description = 'Checks the types and compiles the nodes and credentials into dist/';

/** Copies what n8n reads as files. */
function assets() {
	return src(ASSETS, { base: '.', encoding: false }).pipe(dest('dist'));
}
assets.description = 'Copies icons, search words and output samples to dist/';

const build = series(clean, parallel(compile, assets));
build.description = 'Writes dist/';

/** Compiles after each change. */
function recompile() {
	watch(ASSETS, assets);
	return tsc('--watch', '--preserveWatchOutput');
}

const dev = series(clean, assets, recompile);
dev.description =
	'Builds, and again after each change, for an n8n with N8N_CUSTOM_EXTENSIONS=<this folder>/dist';

module.exports = { assets, build, clean, compile, default: build, dev };

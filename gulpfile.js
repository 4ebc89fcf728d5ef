/**
 * Builds the published package in dist/: `npm run build`, or `npx gulp <task>` for one task (`npx gulp --tasks`
 * lists them). All code is one bundle, which both nodes and both credentials share: it loads in a quarter of the
 * time that single files took, and tokens and limits exist once. See docs/adr/0015-one-bundle.md.
 */
const { spawn } = require('node:child_process');
const { mkdir, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, posix } = require('node:path');
const esbuild = require('esbuild');
const { dest, parallel, series, src, watch } = require('gulp');
const prettier = require('prettier');

const { description, license, n8n, name, version } = require('./package.json');

const BUNDLE = 'dist/workspaceData.js';
/** Icons, search words and output samples, which n8n reads as files. */
const ASSETS = ['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];
/** The oldest Node that n8n 1.123 and n8n 2 support. */
const TARGET = 'node20.19';

/** The files that n8n loads, and the class that each of them exports. */
const entries = [...n8n.nodes, ...n8n.credentials].map((file) => ({
	file,
	className: basename(file).split('.')[0],
	source: file.replace(/^dist/, '.').replace(/\.js$/, '.ts'),
}));

/** Removes dist/. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}
clean.description = 'Removes dist/';

/** Checks the types of what is published. */
function types() {
	const compiler = require.resolve('typescript/bin/tsc');
	return spawn(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}
types.description = 'Checks the types of what is published';

/** Writes the bundle with the names and the style of the sources, and a line in each file that n8n loads. */
async function bundle() {
	const { outputFiles } = await esbuild.build({
		stdin: {
			contents: entries
				.map(({ className, source }) => `export { ${className} } from '${source}';`)
				.join('\n'),
			resolveDir: __dirname,
			loader: 'ts',
		},
		// So that the comments in the bundle name its parts as the folders of the nodes do.
		absWorkingDir: join(__dirname, 'nodes', 'WorkspaceData'),
		outfile: join(__dirname, BUNDLE),
		banner: { js: `/*! ${name} ${version}, ${license}: ${description} */` },
		bundle: true,
		charset: 'utf8',
		format: 'cjs',
		logLevel: 'warning',
		// n8n brings what the code imports.
		packages: 'external',
		platform: 'node',
		target: TARGET,
		tsconfig: join(__dirname, 'tsconfig.build.json'),
		write: false,
	});
	const style = await prettier.resolveConfig(join(__dirname, BUNDLE));
	const code = await prettier.format(outputFiles[0].text, { ...style, parser: 'babel' });
	await mkdir(dirname(BUNDLE), { recursive: true });
	await writeFile(BUNDLE, code);
	for (const { file, className } of entries) {
		await mkdir(dirname(file), { recursive: true });
		const path = posix.relative(posix.dirname(file), BUNDLE);
		await writeFile(file, `exports.${className} = require('${path}').${className};\n`);
	}
}
bundle.description = 'Bundles the nodes and credentials into dist/';

/** Copies what n8n reads as files. */
function assets() {
	return src(ASSETS, { base: '.', encoding: false }).pipe(dest('dist'));
}
assets.description = 'Copies icons, search words and output samples to dist/';

const build = series(types, clean, parallel(bundle, assets));
build.description = 'Checks the types and writes dist/';

/** Builds after each change, for an n8n that runs with N8N_CUSTOM_EXTENSIONS=<this folder>/dist. */
function rebuild() {
	watch(['nodes/**/*.ts', 'credentials/*.ts'], bundle);
	watch(ASSETS, assets);
}

const dev = series(clean, parallel(bundle, assets), rebuild);
dev.description = 'Builds, and again after each change';

module.exports = { assets, build, bundle, clean, default: build, dev, types };

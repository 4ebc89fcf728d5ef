/**
 * `npm run build`: checks the types, and writes the published package to dist/. All code is one bundle, which
 * both nodes and both credentials share: it loads in a quarter of the time that 180 files took, and nodes and
 * credentials keep what they must share (tokens, limits) in one place. Each stands in a small file where
 * n8n looks for it. Functions keep their names, so that stack traces can be read.
 */
import { minify } from '@swc/core';
import { build, type OutputFile, type Plugin, transform } from 'esbuild';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

import { runProgram } from '../test/host/cleanup.ts';
import { runCommand } from '../test/host/commands.ts';
import { repository } from '../test/host/folders.ts';

const BUNDLE = 'dist/workspaceData.js';
/** Icons, search words and output samples, which n8n reads as files. */
const COPIED = ['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];
/** Node versions from this one on run the package: the oldest that n8n 1.123 and n8n 2 support. */
const TARGET = 'node20';
/** Characters of a line: a stack trace shows the line of an error, and must not show everything. */
const MAX_LINE = 500;

/** n8n has zod. One name for all of its uses; esbuild would write the module's name before each of them. */
const zodOnce: Plugin = {
	name: 'zod',
	setup({ onLoad, onResolve }) {
		onResolve({ filter: /^zod\/v3$/ }, ({ importer }) =>
			importer === 'zod/v3' ? { external: true } : { path: 'zod/v3', namespace: 'zod' },
		);
		onLoad({ filter: /^zod\/v3$/, namespace: 'zod' }, () => ({
			contents: "export const { z } = require('zod/v3');",
		}));
	},
};

/** Class names by the published files that n8n loads them from. */
async function entries(): Promise<Map<string, string>> {
	const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const files = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	return new Map(files.map((file) => [file, basename(file).split('.')[0] ?? '']));
}

async function bundle(classes: ReadonlyMap<string, string>): Promise<void> {
	const source = (file: string) => file.replace(/^dist/, '.').replace(/\.js$/, '.ts');
	const exports = [...classes].map(([file, name]) => `export { ${name} } from '${source(file)}';`);
	const { outputFiles } = await build({
		absWorkingDir: repository,
		stdin: { contents: exports.join('\n'), resolveDir: repository, loader: 'ts' },
		outfile: BUNDLE,
		write: false,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: TARGET,
		packages: 'external',
		plugins: [zodOnce],
		charset: 'utf8',
		minifySyntax: true,
		tsconfig: 'tsconfig.build.json',
		logLevel: 'warning',
	});
	const [{ text }] = outputFiles as [OutputFile];
	// esbuild would shorten the names of functions, too, which stack traces show.
	const mangle = { toplevel: false, keep_fnames: true, keep_classnames: true };
	const { code: short } = await minify(text, { compress: false, mangle });
	const lines = {
		minifyWhitespace: true,
		lineLimit: MAX_LINE,
		charset: 'utf8',
		target: TARGET,
	} as const;
	const { code } = await transform(short, lines);
	await mkdir(join(repository, dirname(BUNDLE)), { recursive: true });
	await writeFile(join(repository, BUNDLE), code);
}

async function writeEntry(file: string, name: string): Promise<void> {
	const path = relative(dirname(file), BUNDLE).replaceAll('\\', '/');
	await mkdir(join(repository, dirname(file)), { recursive: true });
	await writeFile(join(repository, file), `exports.${name} = require('${path}').${name};\n`);
}

/** Copies what n8n reads as files; JSON without white space, as the code. */
async function copyAssets(): Promise<void> {
	for await (const file of glob(COPIED, { cwd: repository })) {
		const target = join(repository, 'dist', file);
		await mkdir(dirname(target), { recursive: true });
		const text = await readFile(join(repository, file), 'utf8');
		await writeFile(target, file.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text);
	}
}

await runProgram(async () => {
	const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
	await runCommand(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
		cwd: repository,
		purpose: 'Checking the types',
	});
	await rm(join(repository, 'dist'), { recursive: true, force: true });
	const classes = await entries();
	await bundle(classes);
	await Promise.all([...[...classes].map(([file, name]) => writeEntry(file, name)), copyAssets()]);
	return 0;
});

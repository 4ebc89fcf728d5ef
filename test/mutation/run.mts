/**
 * `npm run mutate -- nodes/WorkspaceData/model/response`: changes the code of a folder (or of one file) in every way
 * that Stryker knows, and lists the changes that no test notices. Installs Stryker on first use.
 *
 * With `--lines 120`, only so many lines of it are changed, picked by `--seed` in pieces over all files: a sample. With
 * `--tests node/editor`, the tests are the files of test/ whose path begins so, instead of the rules (for service/,
 * those of the service); several times for more.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage =
	'npm run mutate -- <folder or file below nodes/WorkspaceData or service> [--lines <number>] [--seed <number>] [--tests <part of a path>]…\n';
/** Lines of one piece of a sample. */
const PIECE = 12;

const home = import.meta.dirname;
const root = join(home, '..', '..');
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		lines: { type: 'string', default: '0' },
		seed: { type: 'string', default: '1' },
		tests: { type: 'string', multiple: true },
	},
});
const [folder] = positionals;
const [lines, seed] = [Number(values.lines), Number(values.seed)];
const tests = values.tests ?? [folder?.startsWith('service') ? 'service/' : 'rules/'];

if (!folder || !existsSync(join(root, folder)) || !(lines >= 0) || !(seed >= 0)) {
	process.stderr.write(usage);
	process.exit(2);
}

/** Pieces of the files, as Stryker names them: `file.ts:13-24`. */
function pick(files: readonly string[]): string[] {
	const pieces = files.flatMap((file) => {
		const length = readFileSync(join(root, file), 'utf8').split('\n').length;
		const starts = Array.from({ length: Math.ceil(length / PIECE) }, (_, at) => at * PIECE + 1);
		return starts.map((start) => `${file}:${start}-${Math.min(length, start + PIECE - 1)}`);
	});
	let state = seed;
	// A linear congruential generator: the same seed gives the same sample, on every machine.
	const next = () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32);
	return pieces
		.map((piece) => ({ piece, place: next() }))
		.sort((a, b) => a.place - b.place)
		.slice(0, Math.ceil(lines / PIECE))
		.map(({ piece }) => piece)
		.sort();
}

const files = statSync(join(root, folder)).isDirectory()
	? globSync(`${folder}/**/*.ts`, { cwd: root }).sort()
	: [folder];
const mutate = lines > 0 ? pick(files) : files;

const stryker = join(home, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
if (!existsSync(stryker)) {
	const options = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
	const shell = process.platform === 'win32';
	const installed = spawnSync('npm', options, { cwd: home, stdio: 'inherit', shell });
	if (installed.status !== 0) process.exit(1);
}

const { status } = spawnSync(
	process.execPath,
	[stryker, 'run', join('test', 'mutation', 'stryker.config.mjs')],
	{
		cwd: root,
		stdio: 'inherit',
		env: {
			...process.env,
			MUTATE: JSON.stringify(mutate),
			MUTATE_TESTS: JSON.stringify(tests),
		},
	},
);
process.exit(status ?? 1);

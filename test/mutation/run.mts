/**
 * `npm run mutate -- nodes/WorkspaceData/model/response`: changes the code of a folder (or of one file) in every way
 * that Stryker knows, and lists the changes that no test notices. Installs Stryker on first use.
 *
 * With `--tests node/editor`, the tests are the files of test/ whose path begins so, instead of the rules (for service/,
 * those of the service); several times for more.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const usage =
	'npm run mutate -- <folder or file below nodes/WorkspaceData or service> [--tests <part of a path>]…\n';

const home = import.meta.dirname;
const root = join(home, '..', '..');
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { tests: { type: 'string', multiple: true } },
});
const [folder] = positionals;
const tests = values.tests ?? [folder?.startsWith('service') ? 'service/' : 'rules/'];

if (!folder || !existsSync(join(root, folder))) {
	process.stderr.write(usage);
	process.exit(2);
}

const mutate = statSync(join(root, folder)).isDirectory() ? `${folder}/**/*.ts` : folder;

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
			MUTATE: mutate,
			MUTATE_TESTS: JSON.stringify(tests),
		},
	},
);
process.exit(status ?? 1);

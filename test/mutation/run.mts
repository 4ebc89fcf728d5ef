/**
 * `npm run mutate -- nodes/WorkspaceData/model/answer`: changes the code of a folder (or of one file) in every way
 * that Stryker knows, and lists the changes that no unit test notices. Installs Stryker on first use.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const home = import.meta.dirname;
const root = join(home, '..', '..');
const [folder] = process.argv.slice(2);

if (!folder || !existsSync(join(root, folder))) {
	process.stderr.write('npm run mutate -- <folder or file below nodes/WorkspaceData>\n');
	process.exit(2);
}

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
	{ cwd: root, stdio: 'inherit', env: { ...process.env, MUTATE: folder } },
);
process.exit(status ?? 1);

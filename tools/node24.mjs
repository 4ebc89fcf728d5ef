#!/usr/bin/env node
/**
 * Runs a script on Node 24 or newer, whatever Node this machine has:
 *
 *     node tools/node24.mjs <script> [arguments]
 *
 * A machine whose Node is new enough uses its own. An older one (from Node 20) gets Node 24 from
 * the small locked package in tools/node24, installed on first use. The script's own children find
 * the same Node first in PATH. Written in plain JavaScript, as the old Node has to run it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WANTED_MAJOR = 24;
const home = join(dirname(fileURLToPath(import.meta.url)), 'node24');
const windows = process.platform === 'win32';

/** Says what is wrong and what to do, then ends with exit code 1. */
function giveUp(message) {
	process.stderr.write(`${message}\n`);
	process.exit(1);
}

/** The path of a Node that is new enough; installs one when needed. */
function nodeBinary() {
	if (Number(process.versions.node.split('.')[0]) >= WANTED_MAJOR) return process.execPath;
	const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
	const binary = join(home, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
	if (existsSync(binary)) return binary;
	process.stderr.write(
		`Node ${process.versions.node} is too old here: installing Node ${WANTED_MAJOR} for this repository (about 200 MB, once) …\n`,
	);
	const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: home,
		stdio: ['ignore', 2, 2],
		shell: windows,
	});
	if (install.status !== 0)
		giveUp('Installing Node 24 did not work (see above). Install Node 24 by hand and try again.');
	if (!existsSync(binary)) {
		giveUp(
			`There is no Node 24 package for ${process.platform}/${process.arch}. Install Node 24 by hand and try again.`,
		);
	}
	return binary;
}

const [script, ...rest] = process.argv.slice(2);
if (!script) giveUp('Usage: node tools/node24.mjs <script> [arguments]');

const binary = nodeBinary();
const child = spawn(binary, [script, ...rest], {
	stdio: 'inherit',
	env: { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}` },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => giveUp(`${binary} does not start: ${error.message}`));
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));

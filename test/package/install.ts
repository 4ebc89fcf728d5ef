/**
 * Installs what the tests of the packed package need (package.json in this folder) from its lock, where that has not
 * been done yet: under a minute, 470 MB. The stamp is written last and holds the hash of the lock.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../host/commands.ts';
import { repository } from '../host/folders.ts';

/** The folder that they are installed in. */
export const toolsFolder = join(repository, 'test', 'package', 'node_modules');

/** @throws Problem with what npm printed, when the installation fails */
export async function installTools(): Promise<void> {
	const stamp = join(toolsFolder, '.installed');
	const lock = await readFile(join(toolsFolder, '..', 'package-lock.json'));
	const wanted = createHash('sha256').update(lock).digest('hex');
	if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return;
	process.stderr.write("Installing n8n's scanner, a registry, Node 20 and Node 22 (once) …\n");
	await runCommand('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: join(toolsFolder, '..'),
		purpose: 'Installing the tools for the packed package',
	});
	await writeFile(stamp, wanted);
}

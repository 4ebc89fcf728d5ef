/** Installs n8n: each major in a private package with a lock, once. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { cacheFolder, hostFolders, type Major } from './folders.ts';
import { runCommand } from './commands.ts';
import { withFileLock } from './fileLock.ts';

/** Gets a line for each step. */
export type Tell = (line: string) => void;

const locks = join(cacheFolder, 'locks');

/**
 * Makes sure that an n8n is installed; the first time it takes some minutes. A stamp written last, holding the hash
 * of the lock, tells a complete installation from one that was interrupted or is out of date.
 *
 * @returns its folder
 * @throws Problem when a step fails
 */
export async function installHost(major: Major, tell: Tell): Promise<string> {
	const folder = hostFolders[major];
	const lock = await readFile(join(folder, 'package-lock.json'));
	const wanted = createHash('sha256').update(lock).digest('hex');
	const stamp = join(folder, 'node_modules', '.installed');
	const isInstalled = async () => (await readFile(stamp, 'utf8').catch(() => '')) === wanted;
	if (await isInstalled()) return folder;

	const waiting = () => tell(`Waiting for another run that is installing n8n ${major} …`);
	await withFileLock(join(locks, `n8n-${major}.lock`), waiting, async () => {
		if (await isInstalled()) return;
		await rm(stamp, { force: true });
		tell(`Installing n8n ${major} (once; some minutes, 2 GB) …`);
		// A thousand packages: one of them that does not come at once must not be the end.
		const options = ['--omit=optional', '--no-audit', '--no-fund', '--fetch-retries=5'];
		await runCommand('npm', ['ci', '--loglevel=error', ...options], {
			cwd: folder,
			purpose: `Installing n8n ${major}`,
		});
		// Two majors that are installed at the same time share one build.
		const drivers = join(locks, 'driver.lock');
		await withFileLock(
			drivers,
			() => {},
			async () => await buildDriver(folder),
		);
		await writeFile(stamp, wanted);
		tell(`n8n ${major} is installed`);
	});
	return folder;
}

/**
 * Builds n8n's database driver, or takes the build of the other n8n: the driver uses Node-API, so that one build serves
 * every version of Node.
 */
async function buildDriver(folder: string): Promise<void> {
	const driver = join(folder, 'node_modules', 'sqlite3');
	const { version } = JSON.parse(await readFile(join(driver, 'package.json'), 'utf8')) as {
		version: string;
	};
	const built = join(driver, 'build', 'Release', 'node_sqlite3.node');
	const name = `sqlite3-${version}-${process.platform}-${process.arch}.node`;
	const kept = join(cacheFolder, 'drivers', name);
	if (existsSync(kept)) {
		await mkdir(dirname(built), { recursive: true });
		await copyFile(kept, built);
		return;
	}
	const home = dirname(dirname(process.execPath));
	const hasHeaders = existsSync(join(home, 'include', 'node', 'node.h'));
	await runCommand(
		'npm',
		['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'],
		{
			cwd: folder,
			env: { npm_config_jobs: 'max', ...(hasHeaders && { npm_config_nodedir: home }) },
			purpose: "Building n8n's database driver (it needs python3, make and a C++ compiler)",
		},
	);
	await mkdir(dirname(kept), { recursive: true });
	await copyFile(built, `${kept}.${process.pid}`);
	await rename(`${kept}.${process.pid}`, kept);
}

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
	copyFile,
	mkdir,
	readdir,
	readFile,
	rename,
	rm,
	statfs,
	unlink,
	writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { cacheFolder, hostFolders, type Major, repository } from './folders.ts';
import { runCommand } from './commands.ts';
import { progressLine } from './progress.ts';
import { withFileLock } from './fileLock.ts';
import { hostNode } from './hostNode.ts';

/** Gets a line for each step. */
export type Tell = (line: string) => void;

/** Raise this when the steps of the installation change, so that old installations are redone. */
const RECIPE = 1;

/** Type declarations and source maps are never run; they are more than a third of the tree. */
const needless = /\.(?:map|d\.[mc]?ts)$/;

async function slim(folder: string): Promise<void> {
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) {
			// The code editor of n8n reads the declarations of this one.
			if (!path.endsWith('node_modules/n8n-workflow')) await slim(path);
		} else if (
			needless.test(entry.name) ||
			(folder.endsWith('/isolated-vm') && entry.name.endsWith('.tgz'))
		) {
			await unlink(path);
		}
	}
}

/** Slims all packages, some at a time: there are a thousand, and the disk can serve several. */
async function slimPackages(modules: string): Promise<void> {
	const waiting = (await readdir(modules, { withFileTypes: true }))
		.filter((entry) => entry.isDirectory() && entry.name !== 'n8n-workflow')
		.values();
	const worker = async () => {
		for (const { name } of waiting) await slim(join(modules, name));
	};
	await Promise.all(Array.from({ length: 8 }, worker));
}

/** Whether n8n's database driver loads in the Node that is to run n8n. */
async function driverWorks(folder: string): Promise<boolean> {
	const { binary } = hostNode(folder);
	const purpose = "Loading n8n's database driver";
	return await runCommand(binary, ['-e', "require('sqlite3')"], { cwd: folder, purpose }).then(
		() => true,
		() => false,
	);
}

/**
 * Builds the database driver, or takes the build of another n8n on this machine: the driver
 * uses Node-API, so that one build serves every version of Node.
 */
async function buildDriver(folder: string): Promise<void> {
	if (await driverWorks(folder)) return;
	const driver = join(folder, 'node_modules', 'sqlite3');
	const { version } = JSON.parse(await readFile(join(driver, 'package.json'), 'utf8')) as {
		version: string;
	};
	const built = join(driver, 'build', 'Release', 'node_sqlite3.node');
	const kept = join(
		cacheFolder,
		'drivers',
		`sqlite3-${version}-${process.platform}-${process.arch}.node`,
	);
	if (existsSync(kept)) {
		await mkdir(dirname(built), { recursive: true });
		await copyFile(kept, built);
		if (await driverWorks(folder)) return;
	}
	const { headers } = hostNode(folder);
	await runCommand(
		'npm',
		['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'],
		{
			cwd: folder,
			env: {
				npm_config_jobs: 'max',
				...(headers === undefined ? {} : { npm_config_nodedir: headers }),
			},
			purpose: "Building n8n's database driver (it needs python3, make and a C++ compiler)",
		},
	);
	await mkdir(dirname(kept), { recursive: true });
	await copyFile(built, `${kept}.${process.pid}`);
	await rename(`${kept}.${process.pid}`, kept);
}

const PROGRESS_MS = 15_000;

/** Tells every few seconds how far some work is that fills the disk; npm itself says nothing. */
async function withProgress<Result>(
	folder: string,
	what: string,
	tell: Tell,
	work: () => Promise<Result>,
): Promise<Result> {
	const free = async () => {
		const { bavail, bsize } = await statfs(folder);
		return bavail * bsize;
	};
	const [before, start] = [await free(), Date.now()];
	const show = async () => tell(progressLine(what, before - (await free()), Date.now() - start));
	const timer = setInterval(() => void show().catch(() => undefined), PROGRESS_MS);
	return await work().finally(() => clearInterval(timer));
}

/** Loads each node once: a package that n8n does not name, and one of its nodes needs, would be noticed by a person only. */
export async function requireAllNodes(folder: string): Promise<void> {
	const { binary } = hostNode(folder);
	await runCommand(binary, [join(repository, 'test', 'host', 'loadNodes.cjs')], {
		cwd: folder,
		purpose: "Loading all of n8n's nodes",
	});
}

/**
 * Makes sure that the n8n of a private package is installed; the first time it takes some minutes.
 * A stamp written last, holding the hash of the lock, tells a complete installation from one that was
 * interrupted or is out of date.
 *
 * @param folder the private package: package.json, package-lock.json, .npmrc
 * @param name how to call it in what is told
 * @param tell gets a line for each step
 * @throws Problem when a step fails
 */
export async function installFolder(folder: string, name: string, tell: Tell): Promise<void> {
	const lock = await readFile(join(folder, 'package-lock.json'));
	const machine = `${process.platform} ${process.arch} ${process.versions.modules}`;
	const wanted = createHash('sha256').update(lock).update(`${RECIPE} ${machine}`).digest('hex');
	const stamp = join(folder, 'node_modules', '.installed');
	const isInstalled = async () => (await readFile(stamp, 'utf8').catch(() => '')) === wanted;
	if (await isInstalled()) return;

	const key = createHash('sha256').update(folder).digest('hex').slice(0, 12);
	const waiting = () => tell(`Waiting for another run that is installing ${name} …`);
	await withFileLock(join(cacheFolder, 'locks', `install-${key}.lock`), waiting, async () => {
		if (await isInstalled()) return;
		await rm(stamp, { force: true });
		const start = Date.now();
		const seconds = () => Math.round((Date.now() - start) / 1000);
		tell(`Installing ${name} (once; about five minutes, 1.3 GB) …`);
		// A thousand packages: one of them that does not come at once must not be the end.
		const retries = '--fetch-retries=5';
		const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
		await withProgress(
			folder,
			`installing ${name}`,
			tell,
			async () =>
				await runCommand('npm', ['ci', '--omit=optional', ...quiet, retries], {
					cwd: folder,
					purpose: `Installing ${name}`,
				}),
		);
		tell(`  packages are there (${seconds()} s); building the database driver …`);
		// Two majors that are installed at the same time share one build.
		const drivers = join(cacheFolder, 'locks', 'driver.lock');
		await withFileLock(
			drivers,
			() => {},
			async () => await buildDriver(folder),
		);
		tell(`  driver is built (${seconds()} s); removing source maps and type declarations …`);
		await slimPackages(join(folder, 'node_modules'));
		await requireAllNodes(folder);
		await writeFile(stamp, wanted);
		tell(`  ${name} is installed (${seconds()} s)`);
	});
}

/** Makes sure that an n8n of the given major is installed and gives its folder. */
export async function installHost(major: Major, tell: Tell): Promise<string> {
	const folder = hostFolders[major];
	const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	await installFolder(folder, `n8n ${dependencies.n8n}`, tell);
	return folder;
}

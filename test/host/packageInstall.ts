import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from './commands.ts';
import { cacheFolder, repository } from './folders.ts';
import { Problem } from './problem.ts';

interface Manifest {
	name: string;
	version: string;
	dependencies?: Record<string, string>;
	n8n?: { nodes?: string[]; credentials?: string[] };
}

async function readManifest(path: string): Promise<Manifest> {
	return JSON.parse(await readFile(path, 'utf8')) as Manifest;
}

/** What the build is made of. */
const SOURCES = ['{nodes,credentials,icons}/**', '{gulpfile.js,package*.json,tsconfig*.json}'];

/** The newest change of the files and folders that match, in milliseconds since 1970. */
async function newestChange(...patterns: string[]): Promise<number> {
	let newest = 0;
	for await (const path of glob(patterns, { cwd: repository })) {
		newest = Math.max(newest, (await stat(join(repository, path))).mtimeMs);
	}
	return newest;
}

/**
 * Makes sure that `dist` holds what package.json promises and is not older than the sources.
 *
 * @throws Problem that says what to run
 */
export async function requireFreshBuild(): Promise<void> {
	const manifest = await readManifest(join(repository, 'package.json'));
	const entries = [...(manifest.n8n?.nodes ?? []), ...(manifest.n8n?.credentials ?? [])];
	for (const entry of entries) {
		const path = join(repository, entry);
		if (!existsSync(path)) throw new Problem(`${entry} is missing: run 'npm run build'.`);
	}
	if ((await newestChange('dist/**')) < (await newestChange(...SOURCES))) {
		throw new Problem("The build in dist/ is older than the sources: run 'npm run build'.");
	}
}

/** Builds the package, unless its sources haven't changed since. @throws Problem with the compiler's last lines */
export async function buildPackage(): Promise<void> {
	const isFresh = await requireFreshBuild().then(
		() => true,
		() => false,
	);
	if (isFresh) return;
	await runCommand('npm', ['run', 'build'], { cwd: repository, purpose: 'Building the package' });
}

/** Packs the built package as it would be published and gives the path of the tarball. */
export async function packPackage(): Promise<string> {
	await requireFreshBuild();
	// Several programs may pack at the same time.
	const destination = join(cacheFolder, 'package', String(process.pid));
	await mkdir(destination, { recursive: true });
	const output = await runCommand('npm', ['pack', '--json', '--pack-destination', destination], {
		cwd: repository,
		purpose: 'Packing the package',
	});
	const packed = JSON.parse(output) as Array<{ filename: string }>;
	const filename = packed[0]?.filename;
	if (filename === undefined) throw new Error(`npm pack named no file: ${output}`);
	return join(destination, filename);
}

/**
 * Installs a packed package into the user folder of an n8n that does not run, by the steps that n8n
 * itself takes for community packages: unpack, and note the package in the list of installed ones.
 *
 * @param tarball as {@link packPackage} gives it
 * @param userFolder of the n8n
 * @returns the package's name, which is the prefix of its node types, and its version
 */
export async function installPackage(
	tarball: string,
	userFolder: string,
): Promise<{ name: string; version: string }> {
	const { name } = await readManifest(join(repository, 'package.json'));
	const nodesFolder = join(userFolder, '.n8n', 'nodes');
	const target = join(nodesFolder, 'node_modules', name);
	await rm(target, { recursive: true, force: true });
	await mkdir(target, { recursive: true });
	await runCommand('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], {
		cwd: nodesFolder,
		purpose: 'Unpacking the package',
	});

	const manifest = await readManifest(join(target, 'package.json'));
	if (manifest.dependencies)
		throw new Error('The package has dependencies, which n8n would install');
	const listPath = join(nodesFolder, 'package.json');
	const list = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [name]: manifest.version },
	};
	await writeFile(listPath, JSON.stringify(list, null, 2));
	return { name, version: manifest.version };
}

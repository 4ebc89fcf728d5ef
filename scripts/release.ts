/**
 * `npm run release:check`: names what stops a release, and exits 1 then. npm runs it before each publication,
 * where the package must have been built. In the workflow of a tag it also compares the tag and the repository.
 */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runProgram } from '../test/host/cleanup.ts';
import { repository } from '../test/host/folders.ts';
import { requireFreshBuild } from '../test/host/packageInstall.ts';
import { type Manifest, releaseObstacles } from './releaseCheck.ts';

/** The files that name the repository for people. */
const PAGES = [
	'*.md',
	'docs/*.md',
	'.github/**/*.{md,yml}',
	'nodes/**/*.node.json',
	'credentials/*.ts',
];

const read = async (file: string): Promise<string> =>
	await readFile(join(repository, file), 'utf8');

await runProgram(async () => {
	const { GITHUB_REF_NAME, GITHUB_REF_TYPE, GITHUB_REPOSITORY, npm_lifecycle_event } = process.env;
	const pages = new Map<string, string>();
	for await (const file of glob(PAGES, { cwd: repository })) pages.set(file, await read(file));
	const obstacles = releaseObstacles(JSON.parse(await read('package.json')) as Manifest, pages, {
		repository: GITHUB_REPOSITORY,
		tag: GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined,
	});
	if (npm_lifecycle_event === 'prepublishOnly') {
		await requireFreshBuild().catch(({ message }: Error) => obstacles.push(message));
	}
	for (const obstacle of obstacles) process.stderr.write(`${obstacle}\n`);
	if (obstacles.length === 0) process.stdout.write('Nothing stops a release.\n');
	return obstacles.length > 0 ? 1 : 0;
});

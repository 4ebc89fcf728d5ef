/**
 * `npm run release`: publishes with n8n's own tool, in the GitHub workflow of a tag only, and refuses
 * while package.json has placeholders. `npm run release -- --check` looks and publishes nothing.
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repository } from '../test/host/folders.ts';
import { type Manifest, releaseObstacles } from './releaseCheck.ts';

const { GITHUB_ACTIONS, GITHUB_REF_NAME, GITHUB_REF_TYPE, GITHUB_REPOSITORY } = process.env;
const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Manifest;
const obstacles = releaseObstacles(
	manifest,
	await readFile(join(repository, 'CHANGELOG.md'), 'utf8'),
	{
		repository: GITHUB_REPOSITORY,
		tag: GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined,
	},
);
const checkOnly = process.argv.includes('--check');
if (!checkOnly && (GITHUB_ACTIONS !== 'true' || GITHUB_REF_TYPE !== 'tag')) {
	obstacles.push('Releases are published by GitHub: push a tag (see CONTRIBUTING.md).');
}
for (const obstacle of obstacles) process.stderr.write(`${obstacle}\n`);
if (obstacles.length > 0) process.exit(1);
if (checkOnly) {
	process.stdout.write(`${manifest.name} ${manifest.version} may be released\n`);
	process.exit(0);
}
const tool = join(repository, 'node_modules', '@n8n', 'node-cli', 'bin', 'n8n-node.mjs');
process.exit(spawnSync(process.execPath, [tool, 'release'], { stdio: 'inherit' }).status ?? 1);

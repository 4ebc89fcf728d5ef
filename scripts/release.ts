/**
 * `npm run release:check`: what stops a release, before `n8n-node release` publishes; npm runs it again before
 * each `npm publish`. Exits 1 if anything does. In the publish workflow it also compares the tag and the repository.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { requireFreshBuild } from '../test/host/packageInstall.ts';
import { repository } from '../test/host/folders.ts';
import { explain } from '../test/host/problem.ts';
import { type Manifest, releaseObstacles } from './releaseCheck.ts';

const { GITHUB_REF_NAME, GITHUB_REF_TYPE, GITHUB_REPOSITORY } = process.env;

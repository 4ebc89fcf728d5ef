import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Holds packed packages, user folders of n8n and locks; can be deleted at any time, never committed. */
export const cacheFolder = join(repository, '.cache');

/** The private packages that install n8n, by its major version. */
export const hostFolders = {
	1: join(repository, 'test', 'host', 'n8n-1'),
	2: join(repository, 'test', 'host', 'n8n-2'),
} as const;

/** The two majors of n8n that the nodes are shown to work in. */
export type Major = keyof typeof hostFolders;

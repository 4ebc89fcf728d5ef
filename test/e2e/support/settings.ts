import type { Major } from '../../../demo/host/folders.ts';

/** What run.ts tells the tests through the environment. */
function setting(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`${name} is not set: these tests are started by 'npm run test:e2e'.`);
}

/** Path of the packed package. */
export const tarball = (): string => setting('E2E_TARBALL');

/** Folder for the user folders of all n8n of a run. */
export const runFolder = (): string => setting('E2E_FOLDER');

/** The majors of n8n to try. */
export const majors = (): Major[] => setting('E2E_MAJORS').split(',').map(Number) as Major[];

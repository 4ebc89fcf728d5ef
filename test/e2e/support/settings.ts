import type { Major } from '../../host/folders.ts';

/** Set by the projects of jest.config.cjs. */
declare const e2eMajor: Major;

/** A value that run.ts passes to the tests through the environment. */
function setting(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`${name} is not set: these tests are started by 'npm run test:e2e'.`);
}

/** Path of the packed package. */
export const tarball = (): string => setting('E2E_TARBALL');

/** Folder for the user folders of all n8n of a run. */
export const runFolder = (): string => setting('E2E_FOLDER');

/** The address of the n8n that several files share; `run.ts` starts one for each major. */
export const sharedN8n = (): string => setting(`E2E_N8N_${major}`);

/** The major of n8n that this file is run with; it is run once for each. */
export const major: Major = e2eMajor;

/** Whether the pictures of the documentation are to be taken. */
export const wantsPictures = process.env.E2E_PICTURES === 'true';

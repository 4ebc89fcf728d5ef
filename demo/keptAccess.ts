import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { ServiceAccess } from './host/serviceProcess.ts';

/** What has to stay the same when the service of `npm start` starts again with its data. */
export type KeptAccess = Pick<
	ServiceAccess,
	'apiKey' | 'clientId' | 'clientSecret' | 'workspaceId'
>;

/** The access of the last run; nothing at the first. */
export async function readAccess(file: string): Promise<Partial<KeptAccess>> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as KeptAccess;
	} catch {
		return {};
	}
}

/** Keeps the access for the next run, readable by its owner only. */
export async function keepAccess(file: string, access: ServiceAccess): Promise<void> {
	const { apiKey, clientId, clientSecret, workspaceId } = access;
	await mkdir(dirname(file), { recursive: true });
	const text = JSON.stringify({ apiKey, clientId, clientSecret, workspaceId }, null, 2);
	await writeFile(file, text, { mode: 0o600 });
}

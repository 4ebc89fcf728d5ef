import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { KeptAccess, ServiceAccess } from '../test/host/serviceProcess.ts';

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
	const { apiKey, clientId, clientSecret, workspaceId, settingsPassword } = access;
	const kept: KeptAccess = { apiKey, clientId, clientSecret, workspaceId, settingsPassword };
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, JSON.stringify(kept, null, 2), { mode: 0o600 });
}

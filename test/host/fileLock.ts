/** One task at a time over all processes of this machine. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { until } from './deadline.ts';

/**
 * Runs a task while no other process of this machine runs it; others wait. SQLite locks the file by means of the
 * system, which lets it go when the owner dies.
 *
 * @param path the lock file
 * @param onWait called once if somebody else has the lock
 * @param task what to do
 */
export async function withFileLock<Result>(
	path: string,
	onWait: () => void,
	task: () => Promise<Result>,
): Promise<Result> {
	await mkdir(dirname(path), { recursive: true });
	const lock = new DatabaseSync(path, { timeout: 0 });
	const isTaken = () => {
		try {
			lock.exec('BEGIN EXCLUSIVE');
			return true;
		} catch {
			return undefined;
		}
	};
	try {
		if (!isTaken()) {
			onWait();
			await until('another process', isTaken, Infinity, 250);
		}
		return await task();
	} finally {
		lock.close();
	}
}

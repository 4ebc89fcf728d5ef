import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

function isAlive(processId: number): boolean {
	try {
		process.kill(processId, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** Takes the lock file; undefined when a living process has it. */
async function tryTake(path: string): Promise<boolean> {
	try {
		const file = await open(path, 'wx');
		await file.writeFile(String(process.pid));
		await file.close();
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
	const owner = Number(await readFile(path, 'utf8').catch(() => ''));
	// An empty file belongs to somebody who is just writing it, or who died before: both wait a turn.
	if (owner === 0 || !isAlive(owner)) {
		if (owner === 0) await sleep(500);
		const now = await readFile(path, 'utf8').catch(() => undefined);
		if (now !== undefined && Number(now) === owner) {
			// Renaming succeeds for one of several that try to clear away what a dead process left.
			const aside = `${path}.${process.pid}`;
			await rename(path, aside).catch(() => undefined);
			await rm(aside, { force: true });
		}
	}
	return false;
}

/**
 * Runs a task while no other process of this machine runs it; others wait. A lock whose owner died
 * is taken over.
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
	let told = false;
	while (!(await tryTake(path))) {
		if (!told) onWait();
		told = true;
		await sleep(250);
	}
	try {
		return await task();
	} finally {
		await rm(path, { force: true });
	}
}

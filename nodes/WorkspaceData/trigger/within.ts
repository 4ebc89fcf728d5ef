import { systemClock, wait } from '../transport/clock';

/**
 * Waits for a task, but not longer than so many ms. The task itself goes on.
 *
 * @param otherwise gives the result when the time is over
 */
export async function within<T>(ms: number, task: Promise<T>, otherwise: () => T): Promise<T> {
	const done = new AbortController();
	try {
		return await Promise.race([task, wait(ms, systemClock, done.signal).then(otherwise)]);
	} finally {
		done.abort();
	}
}

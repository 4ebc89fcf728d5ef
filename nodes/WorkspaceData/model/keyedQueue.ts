/** Runs tasks with the same key one after the other; tasks with different keys run side by side. */

/**
 * Runs a task after all earlier tasks with the same key have ended, whether they succeeded or not.
 *
 * @returns the task's result
 * @throws the task's error
 */
export type KeyedQueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates an empty queue. It keeps nothing about a key whose tasks have ended. */
export function createKeyedQueue(): KeyedQueue {
	/** The last task of each key. */
	const lastTasks = new Map<string, Promise<unknown>>();

	return async (key, task) => {
		const earlier = lastTasks.get(key);
		const result = earlier ? earlier.then(task, task) : startNow(task);
		const ended = result.catch(() => undefined);
		lastTasks.set(key, ended);
		try {
			return await result;
		} finally {
			if (lastTasks.get(key) === ended) lastTasks.delete(key);
		}
	};
}

/** Starts a task at once; an error that it throws before its first wait counts as a rejection. */
async function startNow<T>(task: () => Promise<T>): Promise<T> {
	return await task();
}

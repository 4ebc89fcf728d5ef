/** Runs tasks with the same key one after the other. Tasks with different keys run in parallel. */

/**
 * Runs a task after all earlier tasks with the same key have ended, with or without success.
 *
 * @returns the task's result
 * @throws the task's error
 */
export type KeyedQueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates an empty queue. It keeps nothing about a key whose tasks have ended. */
export function createKeyedQueue(): KeyedQueue {
	/** The last task of each key. */
	const last = new Map<string, Promise<unknown>>();
	return async (key, task) => {
		const earlier = last.get(key);
		// Without an earlier one, it starts at once. What it throws before its first wait is a rejection, too.
		const result = earlier ? earlier.then(task, task) : (async () => await task())();
		last.set(key, result);
		try {
			return await result;
		} finally {
			if (last.get(key) === result) last.delete(key);
		}
	};
}

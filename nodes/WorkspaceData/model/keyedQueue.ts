/** Runs tasks with the same key one after the other; tasks with different keys run side by side. */

/**
 * Runs a task after all earlier tasks with the same key have ended, whether they succeeded or not.
 *
 * @param kind tasks of one kind run side by side, unless one of another kind came between them. Without it, a task
 * runs side by side with none
 * @returns the task's result
 * @throws the task's error
 */
export type KeyedQueue = <T>(key: string, task: () => Promise<T>, kind?: string) => Promise<T>;

/** Tasks that run side by side. */
interface Batch {
	kind: string | undefined;
	/** Ends with the batch before this one; undefined if nothing is waited for. */
	earlier: Promise<unknown> | undefined;
	tasks: Set<Promise<unknown>>;
}

/** Creates an empty queue. It keeps nothing about a key whose tasks have ended. */
export function createKeyedQueue(): KeyedQueue {
	/** The last batch of each key. */
	const last = new Map<string, Batch>();

	function batchFor(key: string, kind: string | undefined): Batch {
		const known = last.get(key);
		if (known && kind !== undefined && known.kind === kind) return known;
		const earlier = known && Promise.allSettled(known.tasks);
		const batch: Batch = { kind, earlier, tasks: new Set() };
		last.set(key, batch);
		return batch;
	}

	return async (key, task, kind) => {
		const batch = batchFor(key, kind);
		const result = batch.earlier ? batch.earlier.then(task) : startNow(task);
		batch.tasks.add(result);
		try {
			return await result;
		} finally {
			batch.tasks.delete(result);
			if (batch.tasks.size === 0 && last.get(key) === batch) last.delete(key);
		}
	};
}

/** Starts a task at once; an error that it throws before its first wait counts as a rejection. */
async function startNow<T>(task: () => Promise<T>): Promise<T> {
	return await task();
}

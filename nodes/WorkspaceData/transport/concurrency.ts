/** Runs tasks side by side, at most so many at once, in the order in which they came. */
export type Limiter = <T>(maxParallel: number, task: () => Promise<T>) => Promise<T>;

/**
 * Creates a limiter. The limit comes with each task, as items may have different ones: a task starts
 * when fewer tasks than its own limit are running.
 */
export function createLimiter(): Limiter {
	let running = 0;
	const waiting: Array<{ maxParallel: number; start: () => void }> = [];

	function startNext(): void {
		while (waiting[0] && running < waiting[0].maxParallel) {
			running += 1;
			waiting.shift()?.start();
		}
	}

	return async (maxParallel, task) => {
		await new Promise<void>((start) => {
			waiting.push({ maxParallel: Math.max(1, maxParallel), start });
			startNext();
		});
		try {
			return await task();
		} finally {
			running -= 1;
			startNext();
		}
	};
}

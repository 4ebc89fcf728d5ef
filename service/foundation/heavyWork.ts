/** Large pieces of work, one in each turn of the event loop, so that small requests are served between them. */

/** Waits until it is the turn of a large piece of work; at most one begins in each turn of the event loop. */
export type HeavyWork = () => Promise<void>;

/** Bytes from which a body is a large piece of work. */
export const heavyBytes = 32 * 1024;

/** Longest time that one piece of a page may take, in ms. */
export const heavyMs = 3;

/** Makes the queue. */
export function createHeavyWork(): HeavyWork {
	const waiting: Array<() => void> = [];
	let isScheduled = false;
	const schedule = () => {
		isScheduled = waiting.length > 0;
		if (isScheduled) setImmediate(next);
	};
	const next = () => {
		waiting.shift()?.();
		schedule();
	};
	return async () =>
		await new Promise<void>((begin) => {
			waiting.push(begin);
			if (!isScheduled) schedule();
		});
}

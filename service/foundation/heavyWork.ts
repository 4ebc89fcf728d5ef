/** Large pieces of work, one in each turn of the event loop, so that small requests are served between them. */

/** Waits until it is the turn of a large piece of work; at most one begins in each turn of the event loop. */
export type HeavyWork = () => Promise<void>;

/** Bytes from which a body is a large piece of work. */
export const heavyBytes = 32 * 1024;

/** Longest time that one piece of a page may take, in ms. */
export const heavyMs = 3;

/** Turns of the event loop between two large pieces of work: about as many as a small request needs. */
const turnsBetween = 3;

/** Makes the queue. */
export function createHeavyWork(): HeavyWork {
	const waiting: Array<() => void> = [];
	/** Turns until the next one may begin; undefined while nothing waits and nothing has begun lately. */
	let turnsLeft: number | undefined;
	const turn = () => {
		turnsLeft = (turnsLeft ?? 1) - 1;
		if (turnsLeft <= 0) {
			const begin = waiting.shift();
			turnsLeft = begin ? turnsBetween : undefined;
			begin?.();
		}
		if (turnsLeft !== undefined) setImmediate(turn);
	};
	return async () =>
		await new Promise<void>((begin) => {
			waiting.push(begin);
			if (turnsLeft !== undefined) return;
			turnsLeft = 1;
			setImmediate(turn);
		});
}

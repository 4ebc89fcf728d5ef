/** Large pieces of work, with turns of the event loop in between, so that small requests are served. */

/**
 * Waits until it is an owner's turn to do a large piece of work; owners who wait take turns. Of an owner's pieces, the one
 * with the lowest number is first: what has begun ends before more begins, so that less is in memory at a time.
 */
export type HeavyWork = (owner: string, number?: number) => Promise<void>;

/** Waits for the next turn of the owner who is served. */
export type Turn = () => Promise<void>;

/** Bytes from which a record or a list is large. */
export const heavyBytes = 32 * 1024;

/** Bytes from which a body is large: the same bytes cost more to parse than to write, by what they hold. */
export const heavyBodyBytes = 8 * 1024;

/** Time after which a piece of work ends, in ms: a large one takes about as long as a small request. */
export const heavyMs = 1;

/** Turns of the event loop between two large pieces of work: about as many as a small request needs. */
const turnsBetween = 3;

/**
 * Makes a queue.
 * @param between turns between two pieces of work
 * @param schedule brings the next turn about
 */
export function createHeavyWork(
	between = turnsBetween,
	schedule: (turn: () => void) => void = setImmediate,
): HeavyWork {
	/** What waits for each owner, by its number; the owner who waits longest for a turn is first. */
	const waiting = new Map<string, Array<{ begin: () => void; number: number }>>();
	/** Turns until the next one may begin; undefined while nothing waits and nothing has begun lately. */
	let turnsLeft: number | undefined;
	const next = () => {
		const [first] = waiting;
		if (!first) return undefined;
		const [owner, pieces] = first;
		waiting.delete(owner);
		const piece = pieces.shift();
		if (pieces.length > 0) waiting.set(owner, pieces);
		return piece?.begin;
	};
	const turn = () => {
		turnsLeft = (turnsLeft ?? 1) - 1;
		if (turnsLeft <= 0) {
			const begin = next();
			turnsLeft = begin ? between : undefined;
			begin?.();
		}
		if (turnsLeft !== undefined) schedule(turn);
	};
	return async (owner, number = 0) =>
		await new Promise<void>((begin) => {
			const pieces = waiting.get(owner) ?? [];
			const before = pieces.findLastIndex((piece) => piece.number <= number);
			pieces.splice(before + 1, 0, { begin, number });
			waiting.set(owner, pieces);
			if (turnsLeft !== undefined) return;
			turnsLeft = 1;
			schedule(turn);
		});
}

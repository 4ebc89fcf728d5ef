import { systemClock, type Clock } from '../../transport/http/clock';

/**
 * How long the items of a run compute before n8n's event loop gets its turn, in ms. A step that has
 * begun ends first, so that the whole may be longer; nothing here may take more than 200 ms.
 */
const SLICE_MS = 20;

/** Waits until the caller may compute. One step for each call: hand in the next one by calling again. */
export type Turns = () => Promise<void>;

/** Has the steps of all items of a run computed one after the other, in slices. */
export function createTurns({ now, sleep }: Pick<Clock, 'now' | 'sleep'> = systemClock): Turns {
	let waiting: Array<() => void> = [];
	let handing = false;
	/** End of the slice, in ms since the epoch. */
	let end = 0;

	async function handOut(): Promise<void> {
		while (waiting.length > 0) {
			const batch = waiting;
			waiting = [];
			for (const start of batch) {
				if (now() >= end) {
					// A timer: others get a millisecond at least, as most of them need several turns of the event loop.
					await sleep(0);
					end = now() + SLICE_MS;
				}
				start();
				// Tasks that wait for this turn compute before the clock is looked at again.
				await Promise.resolve();
			}
		}
		handing = false;
	}

	return () => {
		const turn = new Promise<void>((start) => waiting.push(start));
		if (!handing) {
			handing = true;
			void handOut();
		}
		return turn;
	};
}

/**
 * Waits for something that many items wait for. After it they compute in turn, not all at once. A failure passes at
 * once: it must be able to stop the run before other requests go out.
 */
export async function inTurnAfter<Value>(turn: Turns, shared: Promise<Value>): Promise<Value> {
	const value = await shared;
	await turn();
	return value;
}

/** How many entries are worked on before others have their turn. */
const ENTRIES_A_TURN = 100;

/** As `Array.prototype.map`, but tens of thousands of entries do not keep the event loop. */
export async function mapInTurns<Entry, Result>(
	turn: Turns,
	entries: readonly Entry[],
	work: (entry: Entry) => Result,
): Promise<Result[]> {
	const results: Result[] = [];
	for (const entry of entries) {
		if (results.length % ENTRIES_A_TURN === 0) await turn();
		results.push(work(entry));
	}
	return results;
}

/** Shares the event loop with n8n when there are thousands of items: waits, maps and sorts in slices. */
import { systemClock, type Clock } from '../../transport/http/clock';

/**
 * How long items compute before they yield to n8n, in ms. A step that has begun ends first, so a slice may take
 * longer. No step may take more than 200 ms.
 */
const SLICE_MS = 20;

/** Waits until the caller may compute its next step. */
export type YieldToLoop = () => Promise<void>;

/** Runs the items' computing steps one at a time, and yields to the event loop every 20 ms. */
export function createYieldToLoop(clock: Clock = systemClock): YieldToLoop {
	let last = Promise.resolve();
	/** The end of the slice, in ms since the epoch. */
	let end = 0;
	// Called once the step before has computed.
	const next = async (): Promise<void> => {
		if (clock.now() < end) return;
		// A timer gives others at least a millisecond, because most need several ticks.
		await clock.sleep(0);
		end = clock.now() + SLICE_MS;
	};
	return () => {
		last = last.then(next);
		return last;
	};
}

/**
 * Waits for a value that many items need, then lets them continue one at a time. A failure is passed on
 * immediately, so that it can stop the run before other requests are sent.
 */
export async function yieldAfter<Value>(
	yieldToLoop: YieldToLoop,
	shared: Promise<Value>,
): Promise<Value> {
	const value = await shared;
	await yieldToLoop();
	return value;
}

/** The number of entries processed between two yields. */
const SLICE_ENTRIES = 100;

/** As `Array.prototype.forEach`, but yields to the event loop. */
export async function eachInSlices<Entry>(
	yieldToLoop: YieldToLoop,
	entries: Iterable<Entry>,
	work: (entry: Entry) => void,
): Promise<void> {
	let done = 0;
	for (const entry of entries) {
		if (done % SLICE_ENTRIES === 0) await yieldToLoop();
		done += 1;
		work(entry);
	}
}

/** As `Array.prototype.map`, but yields to the event loop. */
export async function mapInSlices<Entry, Result>(
	yieldToLoop: YieldToLoop,
	entries: readonly Entry[],
	work: (entry: Entry) => Result,
): Promise<Result[]> {
	const results: Result[] = [];
	await eachInSlices(yieldToLoop, entries, (entry) => void results.push(work(entry)));
	return results;
}

/** The number of entries sorted or merged between two yields: this takes a few ms for any of our orders. */
const STEP = 1_000;

/**
 * Sorts stably like `Array.prototype.sort`, but in slices, so that tens of thousands of entries don't block the
 * event loop.
 *
 * @returns a new list
 */
export async function sortInSlices<Entry>(
	yieldToLoop: YieldToLoop,
	entries: readonly Entry[],
	compare: (a: Entry, b: Entry) => number,
): Promise<Entry[]> {
	if (entries.length <= STEP) {
		await yieldToLoop();
		return [...entries].sort(compare);
	}
	const middle = Math.ceil(entries.length / 2);
	const left = await sortInSlices(yieldToLoop, entries.slice(0, middle), compare);
	const right = await sortInSlices(yieldToLoop, entries.slice(middle), compare);
	const merged: Entry[] = [];
	let [a, b] = [0, 0];
	while (merged.length < entries.length) {
		if (merged.length % STEP === 0) await yieldToLoop();
		const takesLeft =
			b >= right.length || (a < left.length && compare(left[a] as Entry, right[b] as Entry) <= 0);
		merged.push((takesLeft ? left[a++] : right[b++]) as Entry);
	}
	return merged;
}

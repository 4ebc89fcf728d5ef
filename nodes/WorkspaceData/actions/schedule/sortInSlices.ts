import type { YieldToLoop } from './yieldToLoop';

/** How many entries are sorted or merged between two yields: a few ms for any of our orders. */
const STEP = 1_000;

async function merge<Entry>(
	yieldToLoop: YieldToLoop,
	left: readonly Entry[],
	right: readonly Entry[],
	compare: (a: Entry, b: Entry) => number,
): Promise<Entry[]> {
	const merged: Entry[] = [];
	let [a, b] = [0, 0];
	while (a < left.length || b < right.length) {
		if (merged.length % STEP === 0) await yieldToLoop();
		const takesLeft =
			b >= right.length || (a < left.length && compare(left[a] as Entry, right[b] as Entry) <= 0);
		merged.push((takesLeft ? left[a++] : right[b++]) as Entry);
	}
	return merged;
}

/**
 * Sorts as `Array.prototype.sort` does, stably, but in slices: tens of thousands of entries do not block
 * the event loop.
 *
 * @returns a new list
 */
export async function sortInSlices<Entry>(
	yieldToLoop: YieldToLoop,
	entries: readonly Entry[],
	compare: (a: Entry, b: Entry) => number,
): Promise<Entry[]> {
	let parts: Entry[][] = [];
	for (let start = 0; start < entries.length; start += STEP) {
		await yieldToLoop();
		parts.push(entries.slice(start, start + STEP).sort(compare));
	}
	while (parts.length > 1) {
		const merged: Entry[][] = [];
		for (let place = 0; place < parts.length; place += 2) {
			const [left = [], right] = [parts[place], parts[place + 1]];
			merged.push(right ? await merge(yieldToLoop, left, right, compare) : left);
		}
		parts = merged;
	}
	return parts[0] ?? [];
}

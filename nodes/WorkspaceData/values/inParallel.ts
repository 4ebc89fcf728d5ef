/** Works on several things at once. */

/**
 * Works on things in their order, some of them at a time.
 *
 * @param width how many at a time
 * @param work must not throw: the other things would go on
 */
export async function inParallel<Thing>(
	width: number,
	things: Iterable<Thing>,
	work: (thing: Thing) => Promise<void>,
): Promise<void> {
	// All workers take from one iterator.
	const left = things[Symbol.iterator]();
	const workThrough = async (): Promise<void> => {
		for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
	};
	await Promise.all(Array.from({ length: Math.max(1, width) }, workThrough));
}

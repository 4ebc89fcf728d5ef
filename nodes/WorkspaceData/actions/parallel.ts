/**
 * Does some work for each entry, side by side. After a failure none is begun, and what is under way is
 * awaited: nothing happens after the end.
 *
 * @param maxParallel how much is under way at most
 * @returns the results, in the order of the entries
 * @throws what the first failure threw
 */
export async function inParallel<Entry, Result>(
	entries: readonly Entry[],
	maxParallel: number,
	work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
	const results = new Array<Result>(entries.length);
	const failures: unknown[] = [];
	let next = 0;
	const worker = async (): Promise<void> => {
		while (next < entries.length && failures.length === 0) {
			const place = next;
			next += 1;
			try {
				results[place] = await work(entries[place] as Entry);
			} catch (error) {
				failures.push(error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(maxParallel, entries.length) }, worker));
	if (failures.length > 0) throw failures[0];
	return results;
}

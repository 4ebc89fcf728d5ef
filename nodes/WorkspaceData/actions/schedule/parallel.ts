/**
 * Does some work for each entry, side by side. After a failure none is begun, and running work is
 * awaited: nothing happens after the end.
 *
 * @param atOnce how much may be under way now; asked again whenever some of it is done
 * @param failed is told the first failure, how much was done, and all failures
 * @returns the results, in the order of the entries
 * @throws the first failure
 */
export async function inParallel<Entry, Result>(
	entries: readonly Entry[],
	atOnce: () => number,
	work: (entry: Entry) => Promise<Result>,
	failed: (error: unknown, done: number, errors: readonly unknown[]) => void = () => {},
): Promise<Result[]> {
	const results = new Array<Result>(entries.length);
	const failures: unknown[] = [];
	let next = 0;
	let underWay = 0;
	let done = 0;
	await new Promise<void>((end) => {
		const begin = async (place: number): Promise<void> => {
			try {
				results[place] = await work(entries[place] as Entry);
				done += 1;
			} catch (error) {
				failures.push(error);
			}
			underWay -= 1;
			beginMore();
		};
		const beginMore = (): void => {
			const mayBegin = () => failures.length === 0 && underWay < Math.max(1, atOnce());
			while (next < entries.length && mayBegin()) {
				underWay += 1;
				next += 1;
				void begin(next - 1);
			}
			if (underWay === 0) end();
		};
		beginMore();
	});
	if (failures.length === 0) return results;
	failed(failures[0], done, failures);
	throw failures[0];
}

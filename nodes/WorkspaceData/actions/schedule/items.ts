/** Works through the items of a run, a limited number at a time. Items can wait for work that is done once for all of them. */
export interface Items {
	/**
	 * Does some work for every item. Starts them in their order, up to `MAX_AT_ONCE` at a time.
	 *
	 * @returns the results, in the order of the items
	 */
	each<Result>(work: (itemIndex: number) => Promise<Result>): Promise<Result[]>;
	/**
	 * Waits until every item of the run waits here or has ended, then does the work of this key once, with what the
	 * items contribute. An item that waits here makes room for another.
	 *
	 * @param key items with the same key share the work
	 * @param contribution what this item contributes
	 * @param work gets the contributions of all items with this key, in the order of the items
	 * @returns the result of the work, the same for all
	 */
	gather<Contribution, Result>(
		key: string,
		itemIndex: number,
		contribution: Contribution,
		work: (all: readonly Contribution[]) => Promise<Result>,
	): Promise<Result>;
}

/**
 * The most items at a time. Each takes some kilobytes until it ends, and there may be a hundred thousand. The limit
 * is several times the number of requests at once, so that requests never wait for items.
 */
const MAX_AT_ONCE = 500;

/** @param count of the items of the run */
export function createItems(count: number, atOnce = MAX_AT_ONCE): Items {
	let next = 0;
	/** The items that have started, and neither wait for the others nor have ended. */
	const busy = new Set<number>();
	const groups = new Map<string, Array<{ itemIndex: number; contribution: unknown }>>();
	const results = new Map<string, Promise<unknown>>();
	let open = (): void => {};
	const complete = new Promise<void>((resolve) => (open = resolve));
	let startMore = (): void => {};

	function leave(itemIndex: number): void {
		if (!busy.delete(itemIndex)) return;
		startMore();
		if (next === count && busy.size === 0) open();
	}

	return {
		async each<Result>(work: (itemIndex: number) => Promise<Result>) {
			const ended: Result[] = [];
			const allEnded = new Promise<void>((resolve, reject) => {
				let left = count;
				if (left === 0) resolve();
				async function runItem(itemIndex: number): Promise<void> {
					ended[itemIndex] = await work(itemIndex);
					leave(itemIndex);
					left -= 1;
					if (left === 0) resolve();
				}
				startMore = () => {
					while (next < count && busy.size < atOnce) {
						const itemIndex = next;
						next += 1;
						busy.add(itemIndex);
						runItem(itemIndex).catch(reject);
					}
				};
			});
			startMore();
			await allEnded;
			return ended;
		},
		async gather<Contribution, Result>(
			key: string,
			itemIndex: number,
			contribution: Contribution,
			work: (all: readonly Contribution[]) => Promise<Result>,
		) {
			const group = groups.get(key) ?? [];
			groups.set(key, group);
			group.push({ itemIndex, contribution });
			leave(itemIndex);
			await complete;
			const inOrder = () =>
				group
					.sort((a, b) => a.itemIndex - b.itemIndex)
					.map((entry) => entry.contribution as Contribution);
			const result = results.get(key) ?? work(inOrder());
			results.set(key, result);
			return (await result) as Result;
		},
	};
}

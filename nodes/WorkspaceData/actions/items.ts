/** Items of a run that wait for each other, so that work for all of them is done once, with all their values. */
export interface Gathering {
	/**
	 * Waits until every item of the run has come to such a place or has ended, then does the work of this
	 * key once.
	 *
	 * @param key items with the same key share the work
	 * @param brought the part of this item
	 * @param work gets the parts of all items, in their order
	 * @returns the result of the work, the same for all
	 */
	together<Brought, Result>(
		key: string,
		itemIndex: number,
		brought: Brought,
		work: (all: readonly Brought[]) => Promise<Result>,
	): Promise<Result>;
	/** No longer waits for an item. */
	ended(itemIndex: number): void;
}

/** @param count of the items of the run; all of them start, whatever becomes of the others */
export function createGathering(count: number): Gathering {
	const awaited = new Set(Array.from({ length: count }, (_, index) => index));
	const groups = new Map<string, Array<{ itemIndex: number; brought: unknown }>>();
	const results = new Map<string, Promise<unknown>>();
	let open = (): void => {};
	const complete = new Promise<void>((resolve) => (open = resolve));

	function ended(itemIndex: number): void {
		awaited.delete(itemIndex);
		if (awaited.size === 0) open();
	}

	return {
		ended,
		async together<Brought, Result>(
			key: string,
			itemIndex: number,
			brought: Brought,
			work: (all: readonly Brought[]) => Promise<Result>,
		) {
			const group = groups.get(key) ?? [];
			groups.set(key, group);
			group.push({ itemIndex, brought });
			ended(itemIndex);
			await complete;
			const inOrder = () =>
				group.sort((a, b) => a.itemIndex - b.itemIndex).map((entry) => entry.brought as Brought);
			const result = results.get(key) ?? work(inOrder());
			results.set(key, result);
			return (await result) as Result;
		},
	};
}

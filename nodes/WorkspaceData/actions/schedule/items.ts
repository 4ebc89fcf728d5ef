/** Processes the items of a run, a limited number at a time. Items can wait for work that is done once for all. */
import { yieldAfter, type YieldToLoop } from './yieldToLoop';

/**
 * The maximum number of items at a time. Each takes some kilobytes until it ends, and there may be 100,000. The
 * limit is several times the number of parallel requests, so that requests never wait for items.
 */
const MAX_AT_ONCE = 500;

/** The items that share some work. */
interface Group {
	/** By item index. */
	contributions: unknown[];
	result?: Promise<unknown>;
}

/** The items of one run. */
export class Items {
	private readonly count: number;
	private readonly atOnce: number;
	private readonly yieldToLoop: YieldToLoop;
	private next = 0;
	/** The items that have started but not ended, and don't wait for others. */
	private readonly busy = new Set<number>();
	private readonly groups = new Map<string, Group>();
	/** The first item that has neither begun its ordered task nor ended, and the later ones that have. */
	private turn = 0;
	private readonly passed = new Set<number>();
	/** By item that waits for its turn: begins it. */
	private readonly waiting = new Map<number, () => void>();
	private open = (): void => {};
	private readonly complete = new Promise<void>((resolve) => (this.open = resolve));
	private start: (itemIndex: number) => void = () => {};

	/**
	 * @param count the number of items in the run
	 * @param yieldToLoop is awaited by each item after it has gathered
	 */
	constructor(count: number, yieldToLoop: YieldToLoop, atOnce = MAX_AT_ONCE) {
		this.count = count;
		this.yieldToLoop = yieldToLoop;
		this.atOnce = atOnce;
	}

	/**
	 * Does some work for every item. Starts the items in order, up to `MAX_AT_ONCE` at a time.
	 *
	 * @returns the results in the order of the items
	 */
	async each<Result>(work: (itemIndex: number) => Promise<Result>): Promise<Result[]> {
		const ended: Result[] = [];
		let left = this.count;
		await new Promise<void>((resolve, reject) => {
			const runItem = async (itemIndex: number): Promise<void> => {
				ended[itemIndex] = await work(itemIndex);
				this.leave(itemIndex);
				this.pass(itemIndex);
				left -= 1;
				if (left === 0) resolve();
			};
			this.start = (itemIndex) => void runItem(itemIndex).catch(reject);
			if (left === 0) resolve();
			this.startMore();
		});
		return ended;
	}

	/**
	 * Begins a task after all earlier items have begun theirs, or have ended. Each item may have only one. The
	 * part of the task before its first wait runs in the order of the items.
	 */
	async inItemOrder<Result>(itemIndex: number, task: () => Promise<Result>): Promise<Result> {
		if (itemIndex > this.turn) {
			const turn = new Promise<void>((begin) => void this.waiting.set(itemIndex, begin));
			this.settle();
			await turn;
		}
		const result = task();
		this.pass(itemIndex);
		return await result;
	}

	/**
	 * Waits until every item of the run waits here or has ended, then does the work of this key once, with the
	 * contributions of the items. An item that waits here makes room for another.
	 *
	 * @param key items with the same key share the work
	 * @param contribution the contribution of this item
	 * @param work receives the contributions of all items with this key, in the order of the items
	 * @returns the result of the work, the same for all
	 */
	async gather<Contribution, Result>(
		key: string,
		itemIndex: number,
		contribution: Contribution,
		work: (all: readonly Contribution[]) => Promise<Result>,
	): Promise<Result> {
		const group = this.groups.get(key) ?? { contributions: [] };
		this.groups.set(key, group);
		group.contributions[itemIndex] = contribution;
		this.leave(itemIndex);
		await this.complete;
		// In the order of the items. Some items may have none.
		group.result ??= work(Object.values(group.contributions) as Contribution[]);
		return (await yieldAfter(this.yieldToLoop, group.result)) as Result;
	}

	/** The number of items that count toward the limit. Once one has gathered, items that wait for it don't count. */
	private get active(): number {
		return this.busy.size - (this.groups.size > 0 ? this.waiting.size : 0);
	}

	private startMore(): void {
		while (this.next < this.count && this.active < this.atOnce) {
			this.busy.add(this.next);
			this.next += 1;
			this.start(this.next - 1);
		}
	}

	private pass(itemIndex: number): void {
		// An item passes again when it ends.
		if (itemIndex < this.turn) return;
		this.passed.add(itemIndex);
		while (this.passed.delete(this.turn)) this.turn += 1;
		this.waiting.get(this.turn)?.();
		this.waiting.delete(this.turn);
	}

	private settle(): void {
		this.startMore();
		// If there were more items, some would be active.
		if (this.active <= 0) this.open();
	}

	private leave(itemIndex: number): void {
		if (this.busy.delete(itemIndex)) this.settle();
	}
}

/**
 * Does some work for each entry in parallel. After a failure no work is started, and running work is awaited, so
 * that nothing happens after the end.
 *
 * @param atOnce the maximum under way now; called again whenever some work is done
 * @param failed receives the results so far, and all failures
 * @returns the results in the order of the entries
 * @throws the first failure
 */
export async function inParallel<Entry, Result>(
	entries: readonly Entry[],
	atOnce: () => number,
	work: (entry: Entry) => Promise<Result>,
	failed: (
		results: ReadonlyArray<Result | undefined>,
		errors: readonly unknown[],
	) => void = () => {},
): Promise<Result[]> {
	const results = new Array<Result>(entries.length);
	const failures: unknown[] = [];
	const underWay = new Set<Promise<void>>();
	for (const [place, entry] of entries.entries()) {
		while (underWay.size >= Math.max(1, atOnce())) await Promise.race(underWay);
		if (failures.length > 0) break;
		const running: Promise<void> = work(entry)
			.then(
				(result) => void (results[place] = result),
				(error: unknown) => void failures.push(error),
			)
			.finally(() => underWay.delete(running));
		underWay.add(running);
	}
	await Promise.all(underWay);
	if (failures.length === 0) return results;
	failed(results, failures);
	throw failures[0];
}

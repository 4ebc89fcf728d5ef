/** The order of a run's writes, and of those of all executions of this process. */
import { Cancelled } from '../../transport/failure/failureKinds';
import type { KeyedQueue } from '../../model/keyedQueue';
import type { Session } from '../../transport/session';
import type { Items } from '../schedule/items';
import { turns } from './acrossRuns';

/** What takes turns: the items of a run, and its requests. */
interface Queues {
	session: Session;
	items: Items;
	inOrder: KeyedQueue;
}

/** The target of a write. */
interface Target {
	card: { id: string };
	/** True in a dry run, which nobody else waits for. */
	isDry: boolean;
}

export class Turns {
	private readonly run: Queues;

	constructor(run: Queues) {
		this.run = run;
	}

	/** Returns the address of a part of the workspace, the same in all executions. */
	address(...parts: string[]): string {
		const { baseUrl, workspaceId } = this.run.session;
		return JSON.stringify([baseUrl, workspaceId, ...parts]);
	}

	/** Runs a task after those of earlier items for the same part of a card. Each item may have only one. */
	async inItemOrder<T>(
		itemIndex: number,
		{ card }: Pick<Target, 'card'>,
		part: string,
		task: () => Promise<T>,
	): Promise<T> {
		const key = JSON.stringify([card.id, part]);
		const begin = async () => await this.run.inOrder(key, task);
		return await this.run.items.inItemOrder(itemIndex, begin);
	}

	/**
	 * Runs a task after all earlier ones of this process for the same thing. It waits as long as the earlier
	 * tasks send requests, each with its timeout.
	 *
	 * @param thing the part of the workspace that the task changes, for example `fields of crd_1`
	 * @throws Cancelled if it is canceled while waiting
	 */
	async exclusively<T>(thing: string, task: () => Promise<T>): Promise<T> {
		const { halted } = this.run.session;
		let begun: Promise<T> | undefined;
		const waiting = turns(this.address(thing), async () => {
			if (halted.isOver) throw new Cancelled();
			return await (begun = task());
		});
		// A task that has begun is awaited: its requests end with the execution, and its result says what was sent.
		return await halted
			.wait(waiting)
			.catch(async (error: unknown) => await (begun ?? Promise.reject(error as Error)));
	}

	/** As `exclusively`, for the records of a key: two executions that don't find a record would both create it. */
	async onKey<T>({ card, isDry }: Target, key: string, task: () => Promise<T>): Promise<T> {
		const thing = JSON.stringify([card.id, key]);
		return await (isDry ? this.run.inOrder(thing, task) : this.exclusively(thing, task));
	}
}

/** The order of a run's writes, and of those of all executions of this process. */
import {
	Cancelled,
	mayHaveHappened,
	UnexpectedResponse,
} from '../../transport/failure/failureKinds';
import { systemClock } from '../../transport/http/clock';
import { turns, unclearCreations } from './acrossRuns';
import { UNCLEAR_MS } from './cardLog';
import type { CardReference, RunParts } from './listings';

/** The target of a write. */
interface Target {
	card: CardReference;
	/** True in a dry run, which nobody else waits for. */
	isDry: boolean;
}

export class Turns {
	private readonly run: RunParts;

	constructor(run: RunParts) {
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

	/**
	 * Creates something with a name, unless a creation less than a minute ago got no clear response: it may still succeed.
	 *
	 * @param name the name in all executions, for example `field "Price" of crd_1`
	 * @param shown the name in a message, for example `Field 'Price'`
	 * @param create returns undefined if the response doesn't show it
	 * @param find finds it without a clear response, because the request isn't repeated
	 * @returns undefined if it was created, but isn't found
	 * @throws UnexpectedResponse if it may exist
	 */
	async creating<T>(
		name: string,
		shown: string,
		create: () => Promise<T | undefined>,
		find: () => Promise<T | undefined> = async () => undefined,
	): Promise<T | undefined> {
		const key = this.address(name);
		if (systemClock.now() - (unclearCreations.get(key) ?? -Infinity) < UNCLEAR_MS) {
			throw new UnexpectedResponse(
				`${shown} may exist already, but the service doesn't list it`,
				'Its creation less than a minute ago got no clear response. Nothing was created, to avoid a duplicate. Run the item again in a minute.',
			);
		}
		let failure: unknown;
		const shownNow = await create().catch((error: unknown) => {
			if (!mayHaveHappened(error)) throw error;
			failure = error;
			return undefined;
		});
		const made = shownNow ?? (await find().catch(() => undefined));
		if (made === undefined) unclearCreations.set(key, systemClock.now());
		if (made === undefined && failure !== undefined) throw failure;
		return made;
	}
}

/** The order of writes: of the items of a run, and of all executions of this process that concern the same thing. */
import { createKeyedQueue } from '../../model/keyedQueue';
import { Cancelled, mayStillHappen } from '../../transport/failure/failures';
import { DEFAULT_TIMEOUT_MS } from '../../transport/http/attempt';
import { wait, type Clock } from '../../transport/http/clock';
import type { Items } from '../schedule/items';
import type { CardReference } from './listings';

/** The part of a card that a write concerns. */
export interface WriteTarget {
	card: CardReference;
	/** A record's ID, or another name for a part of the card. */
	part: string;
	/** Whether other executions of this process wait, too: two that look for a key and then create it would both create it. */
	isShared?: boolean;
}

/** Runs tasks in order. */
export interface WriteOrder {
	/**
	 * Runs a task after all tasks of earlier items on the same target. Each item may do so once. Other processes do not
	 * wait. Tasks on a shared target also wait for requests that the service may still carry out.
	 *
	 * @throws Cancelled while it waits for another execution
	 */
	inItemOrder<T>(itemIndex: number, target: WriteTarget, task: () => Promise<T>): Promise<T>;
	/** As `inItemOrder`, but in the order of the calls. */
	inOrder<T>(target: WriteTarget, task: () => Promise<T>): Promise<T>;
	/**
	 * Runs a task after all earlier tasks on the same thing, those of other executions of this process included. A task
	 * waits as long as those before it send requests, each with its time-out. It also waits for requests that the service
	 * may still carry out.
	 *
	 * @param thing the part of the workspace that it changes, for example `fields of crd_1`
	 * @throws Cancelled while it waits
	 */
	exclusively<T>(thing: string, task: () => Promise<T>): Promise<T>;
	/**
	 * Runs a task that reads all records of a card while no execution of this process deletes any of them: if the service
	 * counts its cursors from the first record, each deletion makes a reader miss a record. Deletions wait for the task.
	 *
	 * @throws Cancelled while it waits
	 */
	withoutDeletions<T>(card: CardReference, task: () => Promise<T>): Promise<T>;
	/**
	 * Runs a task that deletes records of a card while no execution of this process reads all of them.
	 *
	 * @throws Cancelled while it waits
	 */
	asDeletion<T>(card: CardReference, task: () => Promise<T>): Promise<T>;
	/**
	 * Runs a task that writes a record after all earlier ones of this process have ended. Such a task waits for nothing but
	 * its request.
	 *
	 * @throws Cancelled while it waits
	 */
	onRecord<T>(card: CardReference, id: string, task: () => Promise<T>): Promise<T>;
}

/** Orders the writes that executions of this process share. */
const processQueue = createKeyedQueue();

/**
 * Creates the order of a run's writes.
 *
 * @param address names a part of the workspace, the same in all executions
 * @param signal ends the wait for other executions
 * @param clock times the wait for requests that the service may still carry out
 * @param onCarriedOut hears of an error whose request the service can no longer carry out
 */
export function createWriteOrder(
	address: (...parts: string[]) => string,
	items: Items,
	signal: AbortSignal,
	clock: Pick<Clock, 'alarm' | 'sleep'>,
	onCarriedOut: (error: unknown) => void,
): WriteOrder {
	const queue = createKeyedQueue();

	/**
	 * Waits until a task has ended. If it was cancelled on the way, or given up early, the service may still carry it out
	 * for as long as a request may usually take.
	 */
	async function untilCarriedOut(task: () => Promise<unknown>): Promise<void> {
		await task().catch(async (error: unknown) => {
			if (!mayStillHappen(error)) return;
			await new Promise<void>((resolve) => clock.alarm(DEFAULT_TIMEOUT_MS, resolve));
			onCarriedOut(error);
		});
	}

	/**
	 * Runs a task in the queue of the process. It does not begin once the run was cancelled.
	 *
	 * @param kind tasks of one kind run side by side
	 */
	async function inProcess<T>(key: string, task: () => Promise<T>, kind?: string): Promise<T> {
		// Once it has begun, its result says what was sent: its requests end with the execution.
		let begun: Promise<T> | undefined;
		const begin = async () => {
			if (signal.aborted) throw new Cancelled();
			return await (begun = task());
		};
		return await wait(processQueue(key, begin, kind), clock, signal).catch(
			async (error: unknown) => await (begun ?? Promise.reject(error as Error)),
		);
	}

	/**
	 * Runs a task in the queue of the process and returns its result at once. Later tasks also wait for requests that the service
	 * may still carry out.
	 */
	async function alone<T>(key: string, task: () => Promise<T>, kind?: string): Promise<T> {
		return await new Promise((resolve, reject) => {
			const taskAndRequests = async () =>
				await untilCarriedOut(async () => {
					const done = task();
					done.then(resolve, reject);
					await done;
				});
			inProcess(key, taskAndRequests, kind).catch(reject);
		});
	}

	async function exclusively<T>(thing: string, task: () => Promise<T>): Promise<T> {
		return await alone(address(thing), task);
	}

	async function inOrder<T>(
		{ card, part, isShared }: WriteTarget,
		task: () => Promise<T>,
	): Promise<T> {
		const key = JSON.stringify([card.id, part]);
		return await (isShared ? alone(address(key), task) : queue(key, task));
	}

	/** Runs a task side by side with others of its kind, but not with those of the other kind. */
	async function onRecords<T>(
		kind: 'reads all' | 'deletes',
		card: CardReference,
		task: () => Promise<T>,
	): Promise<T> {
		return await alone(address(`records of ${card.id}`), task, kind);
	}

	return {
		inOrder,
		inItemOrder: async (itemIndex, target, task) =>
			await items.inItemOrder(itemIndex, async () => await inOrder(target, task)),
		exclusively,
		withoutDeletions: async (card, task) => await onRecords('reads all', card, task),
		asDeletion: async (card, task) => await onRecords('deletes', card, task),
		onRecord: async (card, id, task) => await inProcess(address('record', card.id, id), task),
	};
}

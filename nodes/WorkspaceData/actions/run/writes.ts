/** The writes of a run: their order, and what this process knows about the records that it wrote. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import type { Zone } from '../../model/time';
import { createKeyedQueue } from '../../model/keyedQueue';
import type { WorkspaceApi } from '../../transport/api';
import { Cancelled, mayHaveHappened, mayStillHappen } from '../../transport/failure/failures';
import { DEFAULT_TIMEOUT_MS } from '../../transport/http/attempt';
import {
	createUnlessCancelled,
	unlessCancelledBefore,
	type Clock,
} from '../../transport/http/clock';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import type { Items } from '../schedule/items';
import type { CardReference, Records } from './listings';
import { createMatchIndex, matchKey, type MatchIndex } from './matchIndex';
import { createRecordStates, type RecordStates, type WriteEvent } from './recordStates';

/** The part of a card that a write concerns. */
export interface WriteTarget {
	card: CardReference;
	/** A record's ID, or another name for a part of the card. */
	part: string;
	/** Whether other executions of this process wait, too: two that look for a key and then create it would both create it. */
	isShared?: boolean;
}

/** Where a write goes. */
export interface WritePlace {
	card: CardReference;
	/** Whether nothing is sent: then only this run knows of the write. */
	dryRun: boolean;
}

/** The writes of a run. */
export interface Writes {
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
	/** Creates a record by `send`, and lets all executions of this process know. */
	create(place: WritePlace, sent: JsonObject, send: () => Promise<DataRecord>): Promise<DataRecord>;
	/** Changes a record by `send`, and lets all executions of this process know. */
	change(
		place: WritePlace,
		id: string,
		sent: JsonObject,
		send: () => Promise<DataRecord>,
	): Promise<DataRecord>;
	/** Deletes a record by `send`, and lets all executions of this process know. */
	remove(place: WritePlace, id: string, send: () => Promise<void>): Promise<void>;
	/**
	 * The records of a card as writes of this process have left them. Ask before the records are listed: earlier writes
	 * are not known.
	 */
	states(card: CardReference): RecordStates;
	/**
	 * The records of a card by the values of their matching fields, read once.
	 *
	 * @param index the live field listing
	 */
	matches(
		card: CardReference,
		index: FieldIndex,
		fieldIds: readonly string[],
		request: ReadOptions,
	): Promise<MatchIndex>;
	/** Forgets what other executions write. */
	close(): void;
}

/** Orders the writes that executions of this process share. */
const processQueue = createKeyedQueue();

/** Receives the writes of a card. */
type Listener = (event: WriteEvent) => void;

/** The runs that have listed a card, by the card's address; a run leaves when it ends. */
const listeners = new Map<string, Set<Listener>>();

/** @returns ends the subscription */
function subscribe(address: string, listener: Listener): () => void {
	const audience = listeners.get(address) ?? new Set();
	listeners.set(address, audience.add(listener));
	return () => {
		audience.delete(listener);
		if (audience.size === 0) listeners.delete(address);
	};
}

/**
 * Creates the writes of a run.
 *
 * @param signal ends the wait for other executions
 * @param zone of times without an offset
 * @param clock times the wait for requests that the service may still carry out
 */
export function createWrites(
	{ baseUrl, workspaceId }: Pick<WorkspaceApi, 'baseUrl' | 'workspaceId'>,
	records: Records,
	items: Items,
	signal: AbortSignal,
	zone: Zone,
	clock: Pick<Clock, 'alarm'>,
): Writes {
	const queue = createKeyedQueue();
	const unlessCancelled = createUnlessCancelled(signal);
	const states = new Map<string, RecordStates>();
	const indexes = new Map<string, Promise<MatchIndex>>();
	/** What this run has listed, by the ID of the card. */
	const own = new Map<string, Listener[]>();
	const subscriptions: Array<() => void> = [];

	const address = (...parts: string[]) => JSON.stringify([baseUrl, workspaceId, ...parts]);
	function hear(card: CardReference, listener: Listener): void {
		own.set(card.id, [...(own.get(card.id) ?? []), listener]);
		subscriptions.push(subscribe(address(card.id), listener));
	}
	function tell({ card, dryRun }: WritePlace, event: WriteEvent): void {
		const audience = dryRun ? own.get(card.id) : listeners.get(address(card.id));
		audience?.forEach((listener) => listener(event));
	}

	/** The errors of writes to records that the service may still carry out, and what others learn then. */
	const lost = new WeakMap<Error, { place: WritePlace; events: readonly WriteEvent[] }>();

	/** Sends a write to a record. @param events what others learn once it may have been carried out */
	async function sending<Result>(
		place: WritePlace,
		events: readonly WriteEvent[],
		send: () => Promise<Result>,
	): Promise<Result> {
		return await send().catch(async (error: unknown) => {
			if (error instanceof Error && mayStillHappen(error)) lost.set(error, { place, events });
			return await Promise.reject(error as Error);
		});
	}

	/**
	 * Waits until a task has ended. If it was cancelled on the way, or given up early, the service may still carry it out
	 * for as long as a request may usually take.
	 */
	async function untilCarriedOut(task: () => Promise<unknown>): Promise<void> {
		await task().catch(async (error: unknown) => {
			if (!mayStillHappen(error)) return;
			await new Promise<void>((resolve) => clock.alarm(DEFAULT_TIMEOUT_MS, resolve));
			// Who has listed the card meanwhile has missed it.
			const write = lost.get(error as Error);
			if (write) for (const event of write.events) tell(write.place, event);
		});
	}

	/**
	 * Runs a task in the queue of the process. It does not begin once the run was cancelled.
	 *
	 * @param kind tasks of one kind run side by side
	 */
	async function inProcess<T>(key: string, task: () => Promise<T>, kind?: string): Promise<T> {
		const enqueue = async (begin: () => Promise<T>) => await processQueue(key, begin, kind);
		return await unlessCancelledBefore(unlessCancelled, enqueue, async () => {
			if (signal.aborted) throw new Cancelled();
			return await task();
		});
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

	async function withoutDeletions<T>(card: CardReference, task: () => Promise<T>): Promise<T> {
		return await onRecords('reads all', card, task);
	}

	async function changing<Result>(
		place: WritePlace,
		id: string,
		send: () => Promise<Result>,
		outcome: (result: Result) => WriteEvent,
	): Promise<Result> {
		tell(place, { type: 'changing', id });
		let event: WriteEvent = { type: 'failed', id };
		try {
			const unclear = [{ type: 'changing', id } as const, { type: 'failed', id } as const];
			const result = await sending(place, unclear, send);
			event = outcome(result);
			return result;
		} finally {
			tell(place, event);
		}
	}

	function statesOf(card: CardReference): RecordStates {
		const known = states.get(card.id);
		if (known) return known;
		const created = createRecordStates();
		states.set(card.id, created);
		hear(card, (event) => created.apply(event));
		return created;
	}

	return {
		inOrder,
		inItemOrder: async (itemIndex, target, task) =>
			await items.inItemOrder(itemIndex, async () => await inOrder(target, task)),
		exclusively,
		withoutDeletions,
		async create(place, sent, send) {
			const creation = sending(place, [{ type: 'maybeCreated', sent }], send).then(
				(record) => {
					tell(place, { type: 'created', record, sent });
					return record;
				},
				async (error: unknown) => {
					if (mayHaveHappened(error)) tell(place, { type: 'maybeCreated', sent });
					return await Promise.reject(error as Error);
				},
			);
			tell(place, { type: 'creating', settled: creation });
			return await creation;
		},
		async change(place, id, sent, send) {
			return await changing(place, id, send, (record) => ({ type: 'changed', record, sent }));
		},
		async remove(place, id, send) {
			const task = async () => await changing(place, id, send, () => ({ type: 'deleted', id }));
			await (place.dryRun ? task() : onRecords('deletes', place.card, task));
		},
		states: statesOf,
		async matches(card, index, fieldIds, request) {
			const key = JSON.stringify([card.id, fieldIds]);
			const known = indexes.get(key);
			if (known) return await known;
			const created = createMatchIndex(
				async (take) =>
					await withoutDeletions(card, async () => {
						for await (const record of records.again(card, request)) take(record);
					}),
				(data) => matchKey(fieldIds, data, index, zone),
				fieldIds,
				statesOf(card),
			);
			hear(card, (event) => created.apply(event));
			const built = created.read().then(() => created);
			indexes.set(key, built);
			return await built;
		},
		close() {
			for (const end of subscriptions.splice(0)) end();
		},
	};
}

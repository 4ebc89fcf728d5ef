/** The writes of a run to records, and what this process knows about the records that it wrote. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import type { Zone } from '../../model/time';
import type { Session } from '../../transport/session';
import {
	Failure,
	mayHaveHappened,
	mayStillHappen,
	namesGone,
} from '../../transport/failure/failures';
import type { Clock } from '../../transport/http/clock';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import type { Items } from '../schedule/items';
import type { YieldToLoop } from '../schedule/yieldToLoop';
import type { CardReference, Records } from './listings';
import { createMatchIndex, looseKey, matchKey, type MatchIndex } from './matchIndex';
import { RecentWrites, rememberWrite } from './recentWrites';
import { createRecordStates, type RecordStates, type WriteEvent } from './recordStates';
import { createWriteOrder, type WriteOrder } from './writeOrder';

/** Where a write goes. */
export interface WritePlace {
	card: CardReference;
	/** Whether nothing is sent: then only this run knows of the write. */
	dryRun: boolean;
}

/** The writes of a run. */
export interface Writes extends WriteOrder {
	/** Creates a record by `send`, and lets all executions of this process know. */
	create(place: WritePlace, sent: JsonObject, send: () => Promise<DataRecord>): Promise<DataRecord>;
	/** Changes a record by `send`, after all earlier writes to it, and lets all executions of this process know. */
	change(
		place: WritePlace,
		id: string,
		sent: JsonObject,
		send: () => Promise<DataRecord>,
		earlier?: DataRecord,
	): Promise<DataRecord>;
	/**
	 * As `change`, if it is still wanted.
	 *
	 * @param earlier gives the record as it was, if that is known
	 * @param isWanted asked right before it is sent; other executions may have written the record meanwhile
	 * @returns undefined where it was not
	 */
	changeIf(
		place: WritePlace,
		id: string,
		sent: JsonObject,
		send: () => Promise<DataRecord>,
		isWanted: () => boolean,
		earlier: () => DataRecord | undefined,
	): Promise<DataRecord | undefined>;
	/**
	 * Deletes a record by `send`, after all earlier writes to it, and lets all executions of this process know. Waits for
	 * tasks that read all records.
	 *
	 * @param isWanted as of `changeIf`
	 * @returns whether it was wanted
	 */
	remove(
		place: WritePlace,
		id: string,
		send: () => Promise<void>,
		isWanted?: () => boolean,
	): Promise<boolean>;
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

/** How often records are read whose order shifts. */
export const MAX_READINGS = 3;

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
	{ baseUrl, workspaceId }: Pick<Session, 'baseUrl' | 'workspaceId'>,
	records: Records,
	items: Items,
	signal: AbortSignal,
	zone: Zone,
	clock: Pick<Clock, 'alarm' | 'now' | 'sleep'>,
	yieldToLoop: YieldToLoop,
): Writes {
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
		if (!dryRun) rememberWrite(address(card.id), event, clock.now());
		audience?.forEach((listener) => listener(event));
	}

	/** The errors of writes to records that the service may still carry out, and what others learn then. */
	const lost = new WeakMap<Error, { place: WritePlace; events: readonly WriteEvent[] }>();

	const order = createWriteOrder(address, items, signal, clock, (error) => {
		// Who has listed the card meanwhile has missed it.
		const write = lost.get(error as Error);
		if (write) for (const event of write.events) tell(write.place, event);
	});

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
			const result = await sending(place, unclear, send).catch(async (error: unknown) => {
				const isRefused = error instanceof Failure && !mayHaveHappened(error);
				if (isRefused) event = { type: namesGone(error, 'record') ? 'deleted' : 'refused', id };
				return await Promise.reject(error as Error);
			});
			event = outcome(result);
			return result;
		} finally {
			tell(place, event);
		}
	}

	/** Runs the write of a record after all earlier ones, if it is still wanted then. */
	async function ifWanted<Result>(
		{ card, dryRun }: WritePlace,
		id: string,
		isWanted: () => boolean,
		write: () => Promise<Result>,
	): Promise<Result | undefined> {
		const task = async () => (isWanted() ? await write() : undefined);
		return await (dryRun ? task() : order.onRecord(card, id, task));
	}

	const changeIf: Writes['changeIf'] = async (place, id, sent, send, isWanted, earlier) =>
		await ifWanted(
			place,
			id,
			isWanted,
			async () =>
				await changing(place, id, send, (record) => {
					return { type: 'changed', record, sent, before: earlier()?.data };
				}),
		);

	/** Reads all records; again where the order has shifted meanwhile. @returns whether none can have been skipped */
	async function readAll(
		card: CardReference,
		request: ReadOptions,
		take: (record: DataRecord) => void,
	): Promise<boolean> {
		for (let tries = 0; tries < MAX_READINGS; tries += 1) {
			const listing = records.again(card, request);
			for await (const record of listing) take(record);
			if (!listing.hasShifted()) return true;
		}
		return false;
	}

	function statesOf(card: CardReference): RecordStates {
		const known = states.get(card.id);
		if (known) return known;
		const created = createRecordStates(new RecentWrites(address(card.id), clock.now()));
		states.set(card.id, created);
		hear(card, (event) => created.apply(event));
		return created;
	}

	return {
		...order,
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
		changeIf,
		async change(place, id, sent, send, earlier) {
			const changed = await changeIf(
				place,
				id,
				sent,
				send,
				() => true,
				() => earlier,
			);
			return changed as DataRecord;
		},
		async remove(place, id, send, isWanted = () => true) {
			const deletion = async () => {
				await changing(place, id, send, () => ({ type: 'deleted', id }));
				return true;
			};
			const task = async () => (await ifWanted(place, id, isWanted, deletion)) ?? false;
			return await (place.dryRun ? task() : order.asDeletion(place.card, task));
		},
		states: statesOf,
		async matches(card, index, fieldIds, request) {
			const key = JSON.stringify([card.id, fieldIds]);
			const known = indexes.get(key);
			if (known) return await known;
			const created = createMatchIndex(
				async (take) =>
					await order.withoutDeletions(card, async () => await readAll(card, request, take)),
				{
					keyOf: (data) => matchKey(fieldIds, data, index, zone),
					nearKeyOf: (data) => looseKey(fieldIds, data, index, zone),
					yieldToLoop,
				},
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

/** The writes of a run: their order, and what this process knows about the written records. */
import type { FieldIndex } from '../../model/fieldIndex';
import { UNKNOWN_ID, type DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import { createKeyedQueue } from '../../model/keyedQueue';
import type { Zone } from '../../model/time';
import type { Session } from '../../transport/session';
import {
	Cancelled,
	Failure,
	mayHaveHappened,
	mayStillHappen,
	namesGone,
	UnexpectedResponse,
} from '../../transport/failure/failures';
import { wait, type Clock } from '../../transport/http/clock';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import type { Items } from '../schedule/items';
import type { YieldToLoop } from '../schedule/yieldToLoop';
import { CardMemory, LAG_MS, type CardView } from './cardMemory';
import type { CardReference, Records } from './listings';
import { looseKey, MatchIndex, matchKey } from './matchIndex';
import { forgetCards, memoryOf, turns, unclearCreations } from './processState';

/** The target of a write. */
export interface WritePlace {
	card: CardReference;
	/** True in a dry run, where nothing is sent and only this run knows of the write. */
	isDry: boolean;
}

/** A change of a record, right before it is sent. */
export interface Change {
	/** The record before the change, if it is known. */
	earlier: DataRecord | undefined;
	/** The new values of the record, keyed by field ID. */
	values: JsonObject;
}

/** How often records are read if their order shifts. */
const MAX_READINGS = 3;

/** The parts of a run that its writes need. */
export interface WritesOfRun {
	session: Pick<Session, 'baseUrl' | 'workspaceId' | 'halted'>;
	records: Records;
	items: Items;
	zone: Zone;
	clock: Pick<Clock, 'now' | 'sleep'>;
	yieldToLoop: YieldToLoop;
}

/** A card in a run. */
interface Seen {
	memory: CardMemory;
	view: CardView;
}

export class Writes {
	private readonly run: WritesOfRun;
	private readonly queue = createKeyedQueue();
	private readonly seen = new Map<string, Seen>();
	/** The writes of a dry run, by the ID of the card. */
	private readonly pretended = new Map<string, CardMemory>();
	private readonly indexes = new Map<string, Promise<MatchIndex>>();

	constructor(run: WritesOfRun) {
		this.run = run;
	}

	/** Runs a task after those of earlier items for the same part of a card. Each item may have only one. */
	async inItemOrder<T>(
		itemIndex: number,
		{ card }: WritePlace,
		part: string,
		task: () => Promise<T>,
	): Promise<T> {
		const key = JSON.stringify([card.id, part]);
		const begin = async () => await this.queue(key, task);
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
		const { clock, session } = this.run;
		let begun: Promise<T> | undefined;
		const waiting = turns(this.address(thing), async () => {
			if (session.halted.aborted) throw new Cancelled();
			return await (begun = task());
		});
		// A task that has begun is awaited: its requests end with the execution, and its result says what was sent.
		return await wait(waiting, clock, session.halted).catch(
			async (error: unknown) => await (begun ?? Promise.reject(error as Error)),
		);
	}

	/** As `exclusively`, for the records of a key: two executions that don't find a record would both create it. */
	async onKey<T>({ card, isDry }: WritePlace, key: string, task: () => Promise<T>): Promise<T> {
		const thing = JSON.stringify([card.id, key]);
		return await (isDry ? this.queue(thing, task) : this.exclusively(thing, task));
	}

	/**
	 * Creates something with a name, unless a creation less than a minute ago got no response: it may still succeed.
	 *
	 * @param name the name in all executions, for example `field "Price" of crd_1`
	 * @param shown the name in a message, for example `Field 'Price'`
	 * @throws UnexpectedResponse if it may exist
	 */
	async creating<T>(name: string, shown: string, create: () => Promise<T>): Promise<T> {
		const key = this.address(name);
		const { clock } = this.run;
		if (clock.now() - (unclearCreations.get(key) ?? -Infinity) < LAG_MS) {
			throw new UnexpectedResponse(
				`${shown} may exist already, but the service doesn't list it`,
				'The response to its creation was lost less than a minute ago. Nothing was created, to avoid a duplicate. Run the item again in a minute.',
			);
		}
		return await create().catch(async (error: unknown) => {
			if (mayStillHappen(error)) unclearCreations.set(key, clock.now());
			return await Promise.reject(error as Error);
		});
	}

	/** Creates a record with `send`, and informs all executions of this process. */
	async create(
		place: WritePlace,
		sent: JsonObject,
		send: () => Promise<DataRecord>,
	): Promise<DataRecord> {
		const { now } = this.run.clock;
		const record = await send().catch(async (error: unknown) => {
			const creation = mayStillHappen(error) ? 'unanswered' : 'answered';
			if (mayHaveHappened(error)) this.memory(place).createdUnknown(creation, sent, now());
			return await Promise.reject(error as Error);
		});
		const memory = this.memory(place);
		if (record.id === UNKNOWN_ID) memory.createdUnknown('done', sent, now());
		else memory.created(record, sent, now());
		return record;
	}

	/**
	 * Changes a record after all earlier writes of this run to it.
	 *
	 * @param prepare called right before it is sent, because other executions may have written the record meanwhile;
	 * returns undefined if the record should no longer be changed
	 */
	async change<Prepared extends Change>(
		place: WritePlace,
		id: string,
		prepare: () => Prepared | undefined,
		send: (change: Prepared) => Promise<DataRecord>,
	): Promise<DataRecord | undefined> {
		return await this.onRecord(place, id, prepare, async (change, memory) => {
			const record = await send(change);
			memory.changed(record, change.values, change.earlier?.data, this.run.clock.now());
			return record;
		});
	}

	/** Deletes a record with `send`, like `change`. @returns true if it was still wanted */
	async remove(
		place: WritePlace,
		id: string,
		send: () => Promise<void>,
		isWanted: () => boolean = () => true,
	): Promise<boolean> {
		const wanted = () => (isWanted() ? true : undefined);
		const removed = await this.onRecord(place, id, wanted, async (_, memory) => {
			await memory.deleting(send);
			memory.end(id, 'deleted', this.run.clock.now());
			return true;
		});
		return removed ?? false;
	}

	/** Returns a view of a card's records that includes this process's writes. Open it before they are listed. */
	view(place: WritePlace): CardView {
		return this.seenOf(place).view;
	}

	/**
	 * Reads all records of a card. Reads again if pages may have skipped some, because their order has shifted
	 * or this process has deleted records meanwhile.
	 *
	 * @param open opens a listing
	 * @param read reads the listing
	 * @returns the last listing
	 */
	async readAll<Listing extends { hasShifted(): boolean }>(
		place: WritePlace,
		open: (isFirst: boolean) => Listing,
		read: (listing: Listing) => Promise<void>,
	): Promise<Listing> {
		return (await this.readWhole(place, open, read)).listing;
	}

	/** As `readAll`, and tells if the last listing can't have skipped a record. */
	private async readWhole<Listing extends { hasShifted(): boolean }>(
		place: WritePlace,
		open: (isFirst: boolean) => Listing,
		read: (listing: Listing) => Promise<void>,
	): Promise<{ listing: Listing; isWhole: boolean }> {
		const { memory } = this.seenOf({ ...place, isDry: false });
		for (let tries = 1; ; tries += 1) {
			const listing = open(tries === 1);
			const isSteady = await memory.withoutDeletions(async () => await read(listing));
			const isWhole = isSteady && !listing.hasShifted();
			if (isWhole || tries === MAX_READINGS) return { listing, isWhole };
		}
	}

	/**
	 * Finds records of a card by the values of their matching fields. The records are read once.
	 *
	 * @param index the current field listing
	 */
	async matches(
		place: WritePlace,
		index: FieldIndex,
		fieldIds: readonly string[],
		request: ReadOptions,
	): Promise<MatchIndex> {
		const key = JSON.stringify([place.card.id, place.isDry, fieldIds]);
		const known = this.indexes.get(key);
		if (known) return await known;
		const { records, zone, yieldToLoop } = this.run;
		const matches = new MatchIndex({
			readAll: async (take) => {
				const open = () => records.again(place.card, request);
				const { isWhole } = await this.readWhole(place, open, async (all) => {
					for await (const record of all) take(record);
				});
				return isWhole;
			},
			keyOf: (data) => matchKey(fieldIds, data, index, zone),
			looseKeyOf: (data) => looseKey(fieldIds, data, index, zone),
			fieldIds,
			view: this.view(place),
			yieldToLoop,
		});
		const built = matches.read().then(() => matches);
		this.indexes.set(key, built);
		return await built;
	}

	/** Closes the run's views, and forgets what only they need. */
	close(): void {
		for (const { memory, view } of this.seen.values()) memory.close(view);
		forgetCards(this.run.clock.now());
	}

	private address(...parts: string[]): string {
		const { baseUrl, workspaceId } = this.run.session;
		return JSON.stringify([baseUrl, workspaceId, ...parts]);
	}

	/** Returns a card with its view, which keeps its memory until the run is closed. */
	private seenOf({ card, isDry }: WritePlace): Seen {
		const key = JSON.stringify([card.id, isDry]);
		const known = this.seen.get(key);
		if (known) return known;
		const beneath = isDry ? this.view({ card, isDry: false }) : undefined;
		const memory = this.memory({ card, isDry });
		const seen = { memory, view: memory.open(this.run.clock.now(), beneath) };
		this.seen.set(key, seen);
		return seen;
	}

	private memory({ card, isDry }: WritePlace): CardMemory {
		if (!isDry) return memoryOf(this.address(card.id));
		const known = this.pretended.get(card.id) ?? new CardMemory();
		this.pretended.set(card.id, known);
		return known;
	}

	/** Writes a record after all earlier writes of this run to it. @returns undefined if it was no longer wanted */
	private async onRecord<Prepared, Result>(
		place: WritePlace,
		id: string,
		prepare: () => Prepared | undefined,
		write: (prepared: Prepared, memory: CardMemory) => Promise<Result>,
	): Promise<Result | undefined> {
		const { now } = this.run.clock;
		return await this.queue(JSON.stringify(['record', place.card.id, id]), async () => {
			const prepared = prepare();
			if (prepared === undefined) return undefined;
			const memory = this.memory(place);
			memory.begin(id, now());
			return await write(prepared, memory).catch(async (error: unknown) => {
				const isRefused = error instanceof Failure && !mayHaveHappened(error);
				const isGone = isRefused && namesGone(error, 'record');
				memory.end(id, isGone ? 'deleted' : isRefused ? 'refused' : 'unclear', now());
				return await Promise.reject(error as Error);
			});
		});
	}
}

/** The writes of a run: their order, and what this process knows about the written records. */
import type { FieldIndex } from '../../model/fieldIndex';
import { UNKNOWN_ID, type DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import {
	Cancelled,
	Failure,
	mayHaveHappened,
	mayStillHappen,
	namesGone,
	saysGone,
	UnexpectedResponse,
} from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { systemClock } from '../../transport/http/clock';
import { type CardMemory, LAG_MS, type CardView } from './cardMemory';
import { getOrCreate } from './getOrCreate';
import type { CardReference, RunParts } from './listings';
import { forgetCards, memoryOf, turns, unclearCreations } from './processState';

/** The target of a write. */
export interface WritePlace {
	card: CardReference;
	/** True in a dry run, where nothing is sent and only this run knows of the write. */
	isDry: boolean;
}

/** Writes records of a card. Values are keyed by field ID. */
export interface Writer extends WritePlace {
	/** How its requests are sent. */
	request: ReadOptions;
	create(sent: JsonObject): Promise<DataRecord>;
	/** @throws UnexpectedResponse if something else responded, such as a proxy's page */
	update(id: string, change: Change): Promise<DataRecord>;
	/** @throws UnexpectedResponse as `update` */
	delete(id: string): Promise<void>;
}

/** A change of a record, right before it is sent. */
export interface Change {
	/** The record before the change, if it is known; completes responses that show only a part. */
	earlier: DataRecord | undefined;
	/** The new values of the record, keyed by field ID. */
	values: JsonObject;
	/** Those of them that are sent; empty if the record has them already. */
	sent: JsonObject;
	/** The current field listing. */
	index: FieldIndex;
}

/** What became of a record. */
export interface Changed {
	action: 'updated' | 'unchanged';
	record: DataRecord;
}

export class Writes {
	private readonly run: RunParts;
	private readonly now = systemClock.now;
	private readonly views = new Map<string, CardView>();

	constructor(run: RunParts) {
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
		const { session } = this.run;
		let begun: Promise<T> | undefined;
		const waiting = turns(this.address(thing), async () => {
			if (session.halted.isOver) throw new Cancelled();
			return await (begun = task());
		});
		// A task that has begun is awaited: its requests end with the execution, and its result says what was sent.
		return await session.halted
			.wait(waiting)
			.catch(async (error: unknown) => await (begun ?? Promise.reject(error as Error)));
	}

	/** As `exclusively`, for the records of a key: two executions that don't find a record would both create it. */
	async onKey<T>({ card, isDry }: WritePlace, key: string, task: () => Promise<T>): Promise<T> {
		const thing = JSON.stringify([card.id, key]);
		return await (isDry ? this.run.inOrder(thing, task) : this.exclusively(thing, task));
	}

	/**
	 * Creates something with a name, unless a creation less than a minute ago got no response: it may still succeed.
	 *
	 * @param name the name in all executions, for example `field "Price" of crd_1`
	 * @param shown the name in a message, for example `Field 'Price'`
	 * @param find finds it after a lost response, because the request isn't repeated
	 * @throws UnexpectedResponse if it may exist
	 */
	async creating<T>(
		name: string,
		shown: string,
		create: () => Promise<T>,
		find: () => Promise<T | undefined> = async () => undefined,
	): Promise<T> {
		const key = this.address(name);
		if (this.now() - (unclearCreations.get(key) ?? -Infinity) < LAG_MS) {
			throw new UnexpectedResponse(
				`${shown} may exist already, but the service doesn't list it`,
				'The response to its creation was lost less than a minute ago. Nothing was created, to avoid a duplicate. Run the item again in a minute.',
			);
		}
		return await create().catch(async (error: unknown) => {
			if (mayStillHappen(error)) unclearCreations.set(key, this.now());
			const arrived = mayHaveHappened(error) && (await find().catch(() => undefined));
			return arrived || (await Promise.reject(error as Error));
		});
	}

	/** Creates a record, and informs all executions of this process. */
	async create(writer: Writer, sent: JsonObject): Promise<DataRecord> {
		const record = await writer.create(sent).catch(async (error: unknown) => {
			const isFailed = !mayStillHappen(error);
			if (mayHaveHappened(error)) this.memory(writer).mayExist(sent, isFailed, this.now());
			return await Promise.reject(error as Error);
		});
		const memory = this.memory(writer);
		if (record.id === UNKNOWN_ID) memory.mayExist(sent, false, this.now());
		else memory.created(record, sent, this.now());
		return record;
	}

	/**
	 * Changes a record after all earlier writes of this run to it.
	 *
	 * @param prepare called right before it is sent, because other executions may have written the record meanwhile;
	 * returns undefined if the record should no longer be changed
	 */
	async change(
		writer: Writer,
		id: string,
		prepare: () => Change | undefined,
	): Promise<Changed | undefined> {
		return await this.inTurn(writer, id, async () => {
			const change = prepare();
			if (!change) return undefined;
			const { earlier, values, sent } = change;
			if (earlier && Object.keys(sent).length === 0)
				return { action: 'unchanged', record: earlier };
			const update = async () => await writer.update(id, change);
			const record = await this.noted(writer, id, update);
			this.memory(writer).changed(record, values, earlier?.data, this.now());
			return { action: 'updated', record };
		});
	}

	/**
	 * Deletes a record after all earlier writes of this run to it.
	 *
	 * @param isWanted for a listed record, which may have been written or deleted since: returns true if it should still
	 * be deleted; called right before that
	 * @returns true if it is gone; false if it was no longer wanted
	 */
	async remove(writer: Writer, id: string, isWanted?: () => boolean): Promise<boolean> {
		const remove = async () =>
			await writer.delete(id).catch((error: unknown) => {
				if (!isWanted || !saysGone(error, ['record'])) throw error;
			});
		return await this.inTurn(writer, id, async () => {
			if (isWanted?.() === false) return false;
			await this.noted(writer, id, async () => await this.memory(writer).deleting(remove));
			this.memory(writer).end(id, 'deleted', this.now());
			return true;
		});
	}

	/**
	 * Returns a view of a card's records that includes this process's writes. Open it before they are listed. It keeps the
	 * card's memory until the run is closed.
	 */
	view({ card, isDry }: WritePlace): CardView {
		return getOrCreate(this.views, JSON.stringify([card.id, isDry]), () => {
			const own = memoryOf(this.address(card.id));
			return (isDry ? own.copy() : own).open(this.now());
		});
	}

	/** Closes the run's views, and forgets what only they need. */
	close(): void {
		for (const view of this.views.values()) view.memory.close(view);
		forgetCards(this.now());
	}

	private address(...parts: string[]): string {
		const { baseUrl, workspaceId } = this.run.session;
		return JSON.stringify([baseUrl, workspaceId, ...parts]);
	}

	private memory(place: WritePlace): CardMemory {
		return place.isDry ? this.view(place).memory : memoryOf(this.address(place.card.id));
	}

	/** Runs a task after all earlier ones of this run for a record. */
	private async inTurn<T>({ card }: WritePlace, id: string, task: () => Promise<T>): Promise<T> {
		return await this.run.inOrder(JSON.stringify(['record', card.id, id]), task);
	}

	/** Sends a change or a deletion, and notes its beginning and its failure. */
	private async noted<T>(place: WritePlace, id: string, send: () => Promise<T>): Promise<T> {
		// Not before, because the process forgets a memory that nobody uses.
		const memory = this.memory(place);
		memory.begin(id, this.now());
		return await send().catch(async (error: unknown) => {
			const isRefused = error instanceof Failure && !mayHaveHappened(error);
			const isGone = isRefused && namesGone(error, 'record');
			memory.end(id, isGone ? 'deleted' : isRefused ? 'refused' : 'unclear', this.now());
			return await Promise.reject(error as Error);
		});
	}
}

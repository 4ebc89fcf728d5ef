/** The writes of a run: their order, and what this run knows about the records that it wrote. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/answer/record';
import type { Zone } from '../../model/time';
import { createKeyedQueue } from '../../model/keyedQueue';
import type { WorkspaceApi } from '../../transport/api';
import { createUnlessCancelled } from '../../transport/http/clock';
import { openRecordListing, type ReadOptions } from '../../transport/listings';
import type { CardReference } from './cards';
import { buildMatchIndex, matchKey, type MatchIndex } from './matchIndex';

/** The state of a record that this run has written. */
export type Written = DataRecord | 'deleted';

/** The writes of a run. */
export interface Writes {
	/** Runs a task after all earlier tasks on the same part of the card, such as the records with one key. */
	inOrder<T>(card: CardReference, part: string, task: () => Promise<T>): Promise<T>;
	/**
	 * Runs a task after all earlier tasks on the same thing, those of other executions of this process included: two
	 * tasks that look for something and then create it would both create it. Other processes do not wait. A task waits
	 * as long as those before it send requests, each with its time-out.
	 *
	 * @param thing the part of the workspace that it changes, for example `fields of crd_1`
	 * @throws Cancelled while it waits
	 */
	exclusively<T>(thing: string, task: () => Promise<T>): Promise<T>;
	/** The records of a card by the values of their matching fields: one listing of the records for each field listing. */
	matches(
		card: CardReference,
		index: FieldIndex,
		fieldIds: readonly string[],
		request: ReadOptions,
	): Promise<MatchIndex>;
	/** Remembers what became of a record that the run listed. */
	changed(card: CardReference, recordId: string, state: Written): void;
	/** A listed record as this run has left it. */
	current(card: CardReference, listed: DataRecord): Written;
}

/** Orders the changes to things of a workspace that executions of this process share. */
const processQueue = createKeyedQueue();

/**
 * Creates the writes of a run.
 *
 * @param signal ends the wait for other executions
 * @param zone of times without an offset
 */
export function createWrites(
	api: WorkspaceApi,
	signal: AbortSignal | undefined,
	zone: Zone,
): Writes {
	const queue = createKeyedQueue();
	const unlessCancelled = createUnlessCancelled(signal);
	const indexes = new Map<FieldIndex, Map<string, Promise<MatchIndex>>>();
	const states = new Map<string, Written>();
	const place = (card: CardReference, recordId: string) => JSON.stringify([card.id, recordId]);

	return {
		async inOrder(card, part, task) {
			return await queue(JSON.stringify([card.id, part]), task);
		},
		async exclusively(thing, task) {
			const key = JSON.stringify([api.baseUrl, api.workspaceId, thing]);
			return await unlessCancelled(processQueue(key, task));
		},
		async matches(card, index, fieldIds, request) {
			const ofListing = indexes.get(index) ?? new Map<string, Promise<MatchIndex>>();
			indexes.set(index, ofListing);
			const key = JSON.stringify(fieldIds);
			const built =
				ofListing.get(key) ??
				buildMatchIndex(
					() => openRecordListing(api, card.id, Infinity, request),
					(data) => matchKey(fieldIds, data, index, zone),
				);
			ofListing.set(key, built);
			return await built;
		},
		changed(card, recordId, state) {
			states.set(place(card, recordId), state);
		},
		current: (card, listed) => states.get(place(card, listed.id)) ?? listed,
	};
}

import type { IExecuteFunctions } from 'n8n-workflow';
import type { Card } from '../../model/answer/card';
import { kindOfValues } from '../../model/value/fieldKind';
import { indexFields, type FieldIndex } from '../../model/fieldIndex';
import { locateCard, readLocator, type Locator } from '../../model/locator';
import { ownValue, type JsonObject } from '../../model/answer/shapes';
import { openApi, type WorkspaceApi } from '../../transport/api';
import { toAuthentication } from '../../transport/auth/credential';
import { getDescription } from '../../transport/description';
import { ApiFailure, saysGone } from '../../transport/failure/failures';
import {
	listFields,
	openCardListing,
	openRecordListing,
	type ReadOptions,
	type RecordListing,
} from '../../transport/listings';
import type { Listing } from '../../transport/paging';
import { createItems, type Items } from '../schedule/items';
import { createNames } from './names';
import { createTurns, inTurnAfter, type Turns } from '../schedule/turns';
import { createKeyedQueue } from '../../model/keyedQueue';
import { createUnlessCancelled } from '../../transport/http/clock';

/** A card that an item works on, and how messages call it. */
export interface CardReference {
	id: string;
	name: string;
}

/** Records in which the values of unknown types are looked at. */
const SAMPLED = 100;

/** The state that all items of one execution share, so that nothing is read twice. */
export interface Run extends Items {
	context: IExecuteFunctions;
	api: WorkspaceApi;
	/** Waits until an item may compute: thousands of items share the event loop with all of n8n. */
	turn: Turns;
	/** The cards of the workspace, read once per execution. */
	cards(options?: ReadOptions): Listing<Card>;
	/** Finds the card that a locator means. @throws InputError */
	card(locator: Locator, options?: ReadOptions): Promise<CardReference>;
	/** As `card`, for changes that cannot be undone: a name must be exactly the card's. */
	exactCard(locator: Locator, options?: ReadOptions): Promise<CardReference>;
	/** The fields of a card, read once per execution. */
	fields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read a second time and no more: the first listing may have grown old. */
	freshFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read again after this run has changed them: all items use these from then on. */
	changedFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/**
	 * The same fields; unknown types are inferred from the values of the card's records, of which one page
	 * is read.
	 */
	sampledFields(card: CardReference, index: FieldIndex, options?: ReadOptions): Promise<FieldIndex>;
	/** The records of a card, read once per execution. */
	records(card: CardReference, wanted: number, options?: ReadOptions): RecordListing;
	/** The service's own description, read once per execution. */
	description(format: 'json' | 'yaml', options?: ReadOptions): Promise<JsonObject>;
	/** Runs a task after all earlier tasks on the same key of the card. */
	inOrder<T>(card: CardReference, key: string, task: () => Promise<T>): Promise<T>;
	/**
	 * Runs a task after all earlier tasks on the same thing, those of other executions of this process included: two
	 * tasks that look for something and then create it would both create it. Other processes do not wait. A task waits
	 * as long as those before it send requests, each with its time-out.
	 *
	 * @param thing the part of the workspace that it changes, for example `fields of crd_1`
	 * @throws Cancelled while it waits
	 */
	exclusively<T>(thing: string, task: () => Promise<T>): Promise<T>;
	/** Puts names where a text has the ids of fields and cards. */
	withNames(text: string): string;
	/** Adds to a failure the advice for a person who uses this node. */
	explain(error: unknown): unknown;
	/** Remembers how far the run came before an error, for its message. */
	note(error: unknown, text: string): void;
	noteOn(error: unknown): string | undefined;
	/** Shows the user a hint next to the output; each text once, however often it is given. */
	hint(message: string): void;
	/** Adds work for the end of the run, unless a failure ends it. */
	atEnd(work: () => void): void;
	/** Does the work that `atEnd` added. */
	end(): void;
	/** Starts nothing more: an item has failed, and the run ends with it. */
	stop(): void;
	/** Whether `stop` was called. */
	readonly stopped: boolean;
}

/** Orders the changes to things of a workspace that executions of this process share. */
const processQueue = createKeyedQueue();

/** The value of a key; created if missing. */
function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const value = create();
	map.set(key, value);
	return value;
}

/**
 * Opens the state that the items of one execution share.
 *
 * @throws InputError when the credential is missing or cannot be used
 */
export async function openRun(context: IExecuteFunctions): Promise<Run> {
	// Not an expression: the same for all items.
	const authentication = toAuthentication(context.getNodeParameter('authentication', 0, 'apiKey'));
	const api = await openApi(context, authentication);
	const items = createItems(context.getInputData().length);
	const names = createNames();
	const fieldIndexes = new Map<string, Promise<FieldIndex>>();
	const freshIndexes = new Map<string, Promise<FieldIndex>>();
	const sampledIndexes = new Map<FieldIndex, Promise<FieldIndex>>();
	const recordListings = new Map<string, RecordListing>();
	const descriptions = new Map<string, Promise<JsonObject>>();
	const queue = createKeyedQueue();
	const unlessCancelled = createUnlessCancelled(context.getExecutionCancelSignal());
	const hints = new Set<string>();
	const notes = new Map<unknown, string>();
	const lastWorks: Array<() => void> = [];
	let cardListing: Listing<Card> | undefined;
	let stopped = false;

	function hint(message: string): void {
		if (hints.has(message)) return;
		hints.add(message);
		context.addExecutionHints({ message, location: 'outputPane' });
	}

	async function readFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const fields = await listFields(api, card.id, options);
		for (const { id, name } of fields) names.learn(id, name);
		const index = indexFields(fields, card.name);
		const shown = fields.filter((field) => index.keyOf(field) !== field.name);
		if (shown.length > 0) {
			const twice = [...new Set(shown.map(({ name }) => `'${name}'`))].join(', ');
			hint(
				`Fields of card '${card.name}' called ${twice} appear under their IDs, because their names are not unique`,
			);
		}
		return index;
	}

	async function sampleFields(
		card: CardReference,
		index: FieldIndex,
		options?: ReadOptions,
	): Promise<FieldIndex> {
		// A key that may only write reads no sample: then values are sent unchanged.
		const sample = await openRecordListing(api, card.id, SAMPLED, options)
			.first(SAMPLED)
			.catch(() => []);
		const fields = index.fields.map((field) =>
			field.kind === 'unknown'
				? { ...field, kind: kindOfValues(sample.map(({ data }) => ownValue(data, field.id))) }
				: field,
		);
		return indexFields(fields, card.name);
	}

	const turn = createTurns();
	const awaited = async <Value>(value: Promise<Value>) => await inTurnAfter(turn, value);

	const cards = (options?: ReadOptions) => (cardListing ??= openCardListing(api, options));

	async function findCard(
		locator: Locator,
		options: ReadOptions | undefined,
		isExact: boolean,
	): Promise<CardReference> {
		const chosen = readLocator(locator, 'Card');
		const listed = async () => await awaited(cards(options).first(Infinity));
		const { id, name } = await locateCard(chosen, listed, isExact);
		names.learn(id, name);
		return { id, name };
	}

	return {
		each: items.each,
		together: async (...parts) => await awaited(items.together(...parts)),
		context,
		api,
		turn,
		hint,
		cards,
		card: async (locator, options) => await findCard(locator, options, false),
		exactCard: async (locator, options) => await findCard(locator, options, true),
		async fields(card, options) {
			const reading = async () => await readFields(card, options);
			return await awaited(getOrCreate(fieldIndexes, card.id, reading));
		},
		async freshFields(card, options) {
			const reading = async () => {
				const fresh = await readFields(card, options);
				fieldIndexes.set(card.id, Promise.resolve(fresh));
				return fresh;
			};
			return await awaited(getOrCreate(freshIndexes, card.id, reading));
		},
		async changedFields(card, options) {
			const changed = await readFields(card, options);
			fieldIndexes.set(card.id, Promise.resolve(changed));
			freshIndexes.delete(card.id);
			return changed;
		},
		async sampledFields(card, index, options) {
			const sampling = async () => await sampleFields(card, index, options);
			return await awaited(getOrCreate(sampledIndexes, index, sampling));
		},
		records(card, wanted, options) {
			const open = (keep: boolean) => openRecordListing(api, card.id, wanted, options, keep);
			// Nobody else reads them, so records that were returned need not stay in memory.
			if (context.getInputData().length <= 1) return open(false);
			return getOrCreate(recordListings, JSON.stringify([card.id, wanted]), () => open(true));
		},
		async description(format, options) {
			return await getOrCreate(
				descriptions,
				format,
				async () => await getDescription(api, format, options),
			);
		},
		async inOrder(card, key, task) {
			return await queue(JSON.stringify([card.id, key]), task);
		},
		async exclusively(thing, task) {
			const key = JSON.stringify([api.baseUrl, api.workspaceId, thing]);
			return await unlessCancelled(processQueue(key, task));
		},
		withNames: (text) => names.putInto(text),
		explain(error) {
			// A bare `not-found` may be about the record.
			if (!(error instanceof ApiFailure) || !/card/.test(error.problem.kind ?? '')) return error;
			if (!saysGone(error, ['card'])) return error;
			const advice = "It may have been deleted. Choose the card again in 'Card'.";
			const both = [error.advice, advice].filter(Boolean).join(' ');
			return new ApiFailure(error.problem, both, error.rateLimited);
		},
		note(error, text) {
			notes.set(error, text);
		},
		noteOn: (error) => notes.get(error),
		atEnd(work) {
			lastWorks.push(work);
		},
		end() {
			for (const work of lastWorks) work();
		},
		stop() {
			stopped = true;
			api.stop();
		},
		get stopped() {
			return stopped;
		},
	};
}

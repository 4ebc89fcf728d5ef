/** Remembers what a run has read, once for all items: the workspace's cards, their records and their fields. */
import type { Field } from '../../model/response/field';
import { foldCase } from '../../model/text';
import type { Card } from '../../model/response/card';
import { ownValue } from '../../model/response/shapes';
import { FieldIndex } from '../../model/fieldIndex';
import { locateCard, readLocator, type Locator } from '../../model/locator';
import type { Session } from '../../transport/session';
import {
	listFields,
	openCardListing,
	type ReadOptions,
} from '../../transport/cardAndFieldListings';
import type { Listing } from '../../transport/paging';
import { openRecordListing, type RecordListing } from '../../transport/recordListing';
import { yieldAfter, type YieldToLoop } from '../schedule/yieldToLoop';
import type { Messages } from './messages';

/** The number of records whose values show the habits of a card. */
const SAMPLED = 100;

/** A card that an item uses, and its name in messages. */
export interface CardReference {
	id: string;
	name: string;
}

export interface Cards {
	/** Returns the listing of the workspace's cards. */
	list(options?: ReadOptions): Listing<Card>;
	/** Finds the card that a locator means. @throws InputError */
	find(locator: Locator, options?: ReadOptions): Promise<CardReference>;
	/** As `find`, for changes that can't be undone: a name must match the card's exactly. */
	findExact(locator: Locator, options?: ReadOptions): Promise<CardReference>;
}

/** Creates the card listings of a run, without reading anything yet. */
export function createCards(session: Session, messages: Messages, yieldToLoop: YieldToLoop): Cards {
	let listing: Listing<Card> | undefined;
	const list = (options?: ReadOptions) => (listing ??= openCardListing(session, options));

	async function find(
		locator: Locator,
		options: ReadOptions | undefined,
		isExact: boolean,
	): Promise<CardReference> {
		const chosen = readLocator(locator, 'Card');
		const listed = async () => await yieldAfter(yieldToLoop, list(options).first(Infinity));
		const { id, name } = await locateCard(chosen, listed, isExact);
		messages.learnName(id, name);
		return { id, name };
	}

	return {
		list,
		find: async (locator, options) => await find(locator, options, false),
		findExact: async (locator, options) => await find(locator, options, true),
	};
}

/** The record listings of a run. */
export interface Records {
	/**
	 * The records of a card. Items that need the same number share a listing.
	 *
	 * @param wanted the maximum number of records to read; Infinity for all
	 * @param repeats true if a repeated record is returned again: its last reading is the newest
	 */
	of(card: CardReference, wanted: number, options?: ReadOptions, repeats?: boolean): RecordListing;
	/** All records of a card, in a new listing that can be read only once. Returns repeated records again. */
	again(card: CardReference, options?: ReadOptions): RecordListing;
}

/**
 * Creates the record listings of a run, without reading anything yet.
 *
 * @param isShared true if there are several items
 */
export function createRecords(session: Session, isShared: boolean): Records {
	const listings = new Map<string, RecordListing>();
	return {
		of(card, wanted, options, repeats = false) {
			const how = { keep: isShared, repeats };
			const open = () => openRecordListing(session, card.id, wanted, options, how);
			// Nobody else reads them, so returned records needn't stay in memory.
			if (!isShared) return open();
			const key = JSON.stringify([card.id, wanted, repeats]);
			const listing = listings.get(key) ?? open();
			listings.set(key, listing);
			return listing;
		},
		again: (card, options) =>
			openRecordListing(session, card.id, Infinity, options, { keep: false, repeats: true }),
	};
}

/** The field listings of a run. */
export interface Fields {
	/** The fields of a card, read once. */
	of(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read a second time at most: the first listing may be outdated. */
	fresh(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read again after this run has changed them. All items use these from then on. */
	changed(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** Adds further names of fields. @param names each with its field */
	called(card: CardReference, index: FieldIndex, names: ReadonlyMap<string, Field>): FieldIndex;
	/**
	 * The same fields, with the habits that the card's records show. One page of records is read.
	 */
	sampled(card: CardReference, index: FieldIndex, options?: ReadOptions): Promise<FieldIndex>;
}

/** The value of a key; created if missing. */
function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const value = create();
	map.set(key, value);
	return value;
}

interface Reader {
	session: Session;
	records: Records;
	messages: Messages;
	yieldToLoop: YieldToLoop;
}

/** The field listings of a run; none is read before an item needs it. */
export class FieldListings implements Fields {
	private readonly reader: Reader;
	private readonly indexes = new Map<string, Promise<FieldIndex>>();
	private readonly freshIndexes = new Map<string, Promise<FieldIndex>>();
	private readonly sampledIndexes = new Map<FieldIndex, Promise<FieldIndex>>();
	/** Further names of fields, with their IDs, by card. */
	private readonly aliases = new Map<string, Map<string, string>>();

	constructor(reader: Reader) {
		this.reader = reader;
	}

	async of(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const reading = async () => await this.read(card, options);
		return await this.once(this.indexes, card.id, reading);
	}

	async fresh(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const reading = async () => {
			const fresh = await this.read(card, options);
			this.indexes.set(card.id, Promise.resolve(fresh));
			return fresh;
		};
		return await this.once(this.freshIndexes, card.id, reading);
	}

	async changed(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const changed = await this.read(card, options);
		this.indexes.set(card.id, Promise.resolve(changed));
		this.freshIndexes.delete(card.id);
		return changed;
	}

	called(card: CardReference, index: FieldIndex, names: ReadonlyMap<string, Field>): FieldIndex {
		const own = getOrCreate(this.aliases, card.id, () => new Map<string, string>());
		for (const [name, { id }] of names) own.set(foldCase(name), id);
		const called = new FieldIndex(index.fields, card.name, own);
		this.indexes.set(card.id, Promise.resolve(called));
		return called;
	}

	async sampled(
		card: CardReference,
		index: FieldIndex,
		options?: ReadOptions,
	): Promise<FieldIndex> {
		const sampling = async () => await this.sample(card, index, options);
		return await this.once(this.sampledIndexes, index, sampling);
	}

	/** Reads once for all items that need it. Each of them continues in its turn. */
	private async once<Key>(
		known: Map<Key, Promise<FieldIndex>>,
		key: Key,
		read: () => Promise<FieldIndex>,
	): Promise<FieldIndex> {
		return await yieldAfter(this.reader.yieldToLoop, getOrCreate(known, key, read));
	}

	private async read(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const { session, messages } = this.reader;
		const fields = await listFields(session, card.id, options);
		for (const { id, name } of fields) messages.learnName(id, name);
		const index = new FieldIndex(fields, card.name, this.aliases.get(card.id));
		const shown = fields.filter((field) => index.keyOf(field) !== field.name);
		if (shown.length > 0) {
			const twice = [...new Set(shown.map(({ name }) => `'${name}'`))].join(', ');
			messages.hint(
				`Fields of card '${card.name}' called ${twice} appear under their IDs, because their names aren't unique`,
			);
		}
		return index;
	}

	private async sample(
		card: CardReference,
		index: FieldIndex,
		options?: ReadOptions,
	): Promise<FieldIndex> {
		// A write-only key can't read a sample, so values are sent unchanged.
		const sampled = await this.reader.records
			.of(card, SAMPLED, options)
			.first(SAMPLED)
			.catch(() => []);
		const fields = index.fields.map((field) => ({
			...field,
			habit: field.kind.habitOf?.(sampled.map(({ data }) => ownValue(data, field.id))),
		}));
		return new FieldIndex(fields, card.name, this.aliases.get(card.id));
	}
}

/** Remembers what a run has read, once for all items: the workspace's cards, their records and their fields. */
import type { Field } from '../../model/response/field';
import { foldCase } from '../../values/nameSpelling';
import type { Card } from '../../model/response/card';
import type { KeyedQueue } from '../../model/keyedQueue';
import { FieldIndex } from '../../records/fieldIndex';
import { locateCard, readLocator, type Locator } from '../../records/locator';
import type { Session } from '../../transport/session';
import {
	listFields,
	openCardListing,
	type ReadOptions,
} from '../../transport/cardAndFieldListings';
import type { Listing } from '../../transport/paging';
import { openRecordListing, type RecordListing } from '../../transport/recordListing';
import type { Items } from '../schedule/items';
import { yieldAfter, type YieldToLoop } from '../schedule/yieldToLoop';
import type { Messages } from './messages';
import { sampledFields } from './sampledFields';
import type { Turns } from './turns';

/** A card that an item uses, and its name in messages. */
export interface CardReference {
	id: string;
	name: string;
}

/** What the parts of a run share. */
export interface RunParts {
	session: Session;
	records: Records;
	messages: Messages;
	items: Items;
	inOrder: KeyedQueue;
	turns: Turns;
	yieldToLoop: YieldToLoop;
}

/** The cards of a run's workspace; nothing is read before an item needs it. */
export class Cards {
	private readonly run: RunParts;
	private listing: Listing<Card> | undefined;

	constructor(run: RunParts) {
		this.run = run;
	}

	/** Returns the listing of the workspace's cards. */
	list(options?: ReadOptions): Listing<Card> {
		return (this.listing ??= openCardListing(this.run.session, options));
	}

	/**
	 * Finds the card that a locator means.
	 *
	 * @param isExact true for changes that can't be undone: a name must match the card's exactly
	 * @throws InputError
	 */
	async find(locator: Locator, options?: ReadOptions, isExact = false): Promise<CardReference> {
		const { messages, yieldToLoop } = this.run;
		const chosen = readLocator(locator, 'Card');
		const listed = async () => await yieldAfter(yieldToLoop, this.list(options).first(Infinity));
		const { id, name } = await locateCard(chosen, listed, isExact);
		messages.learnName(id, name);
		return { id, name };
	}
}

/** The record listings of a run; nothing is read before an item needs it. */
export class Records {
	private readonly session: Session;
	private readonly isShared: boolean;
	private readonly listings = new Map<string, RecordListing>();

	/** @param isShared true if there are several items */
	constructor(session: Session, isShared: boolean) {
		this.session = session;
		this.isShared = isShared;
	}

	/**
	 * The records of a card. Items that need the same number share a listing.
	 *
	 * @param wanted the maximum number of records to read; Infinity for all
	 * @param repeats true if a repeated record is returned again: its last reading is the newest
	 */
	of(card: CardReference, wanted: number, options?: ReadOptions, repeats = false): RecordListing {
		const how = { keep: this.isShared, repeats };
		const open = () => openRecordListing(this.session, card.id, wanted, options, how);
		// Nobody else reads them, so returned records needn't stay in memory.
		if (!this.isShared) return open();
		const key = JSON.stringify([card.id, wanted, repeats]);
		const listing = this.listings.get(key) ?? open();
		this.listings.set(key, listing);
		return listing;
	}

	/** All records of a card, in a new listing that can be read only once. Returns repeated records again. */
	again(card: CardReference, options?: ReadOptions): RecordListing {
		const how = { keep: false, repeats: true };
		return openRecordListing(this.session, card.id, Infinity, options, how);
	}
}

/** The key of the second listing. */
const freshKey = ({ id }: CardReference): string => `fresh ${id}`;

/** The field listings of a run; none is read before an item needs it. */
export class Fields {
	private readonly run: RunParts;
	/** The first and the fresh listing of a card, and what is sampled for a listing. */
	private readonly known = new Map<string | FieldIndex, Promise<FieldIndex>>();
	/** Further names of fields, with their IDs, by card. */
	private readonly aliases = new Map<string, Map<string, string>>();

	constructor(run: RunParts) {
		this.run = run;
	}

	/** The fields of a card, read once. */
	async of(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		return await this.once(card.id, async () => await this.read(card, options));
	}

	/** The fields of a card, read a second time at most: the first listing may be outdated. */
	async fresh(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		return await this.once(freshKey(card), async () => await this.readAgain(card, options));
	}

	/** The fields of a card, read again after this run has changed them. All items use these from then on. */
	async changed(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		this.known.delete(freshKey(card));
		return await this.readAgain(card, options);
	}

	/** Adds further names of fields. @param names each with its field */
	called(card: CardReference, index: FieldIndex, names: ReadonlyMap<string, Field>): FieldIndex {
		const own = this.aliases.get(card.id) ?? new Map<string, string>();
		this.aliases.set(card.id, own);
		for (const [name, { id }] of names) own.set(foldCase(name), id);
		const called = new FieldIndex(index.fields, card.name, own);
		this.known.set(card.id, Promise.resolve(called));
		return called;
	}

	/** The same fields, with the habits that the card's records show. One page of records is read. */
	async sampled(
		card: CardReference,
		index: FieldIndex,
		options?: ReadOptions,
	): Promise<FieldIndex> {
		const first = async (number: number) =>
			await this.run.records.of(card, number, options).first(number);
		const sampling = async () => await sampledFields(index, first);
		return await this.once(index, sampling);
	}

	/** Reads once for all items that need it. Each of them continues in its turn. */
	private async once(key: string | FieldIndex, read: () => Promise<FieldIndex>) {
		const reading = this.known.get(key) ?? read();
		this.known.set(key, reading);
		return await yieldAfter(this.run.yieldToLoop, reading);
	}

	private async readAgain(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const index = await this.read(card, options);
		this.known.set(card.id, Promise.resolve(index));
		return index;
	}

	private async read(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const { session, messages } = this.run;
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
}

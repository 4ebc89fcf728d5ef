/** The cards of the workspace and their records, read once for all items of a run. */
import type { Card } from '../../model/answer/card';
import { locateCard, readLocator, type Locator } from '../../model/locator';
import type { WorkspaceApi } from '../../transport/api';
import { openCardListing, type ReadOptions } from '../../transport/cardAndFieldListings';
import type { Listing } from '../../transport/paging';
import { yieldAfter, type YieldToLoop } from '../schedule/yieldToLoop';
import type { Messages } from './messages';
import { openRecordListing, type RecordListing } from '../../transport/recordListing';

/** A card that an item works on, and how messages call it. */
export interface CardReference {
	id: string;
	name: string;
}

/** The cards that a run knows. */
export interface Cards {
	/** The listing of the workspace's cards. */
	list(options?: ReadOptions): Listing<Card>;
	/** Finds the card that a locator means. @throws InputError */
	find(locator: Locator, options?: ReadOptions): Promise<CardReference>;
	/** As `find`, for changes that cannot be undone: a name must be exactly the card's. */
	findExact(locator: Locator, options?: ReadOptions): Promise<CardReference>;
}

/** Creates the cards of a run; nothing is read yet. */
export function createCards(
	api: WorkspaceApi,
	messages: Messages,
	yieldToLoop: YieldToLoop,
): Cards {
	let listing: Listing<Card> | undefined;
	const list = (options?: ReadOptions) => (listing ??= openCardListing(api, options));

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
	 * The records of a card. Items that want the same number share a listing.
	 *
	 * @param wanted how many records are read at most; Infinity for all
	 */
	of(card: CardReference, wanted: number, options?: ReadOptions): RecordListing;
	/** All records of a card, in a new listing, which can be read once. */
	again(card: CardReference, options?: ReadOptions): RecordListing;
}

/**
 * Creates the record listings of a run; nothing is read yet.
 *
 * @param isShared whether there are several items
 */
export function createRecords(api: WorkspaceApi, isShared: boolean): Records {
	const listings = new Map<string, RecordListing>();
	return {
		of(card, wanted, options) {
			const open = () => openRecordListing(api, card.id, wanted, options, isShared);
			// Nobody else reads them, so records that were returned need not stay in memory.
			if (!isShared) return open();
			const key = JSON.stringify([card.id, wanted]);
			const listing = listings.get(key) ?? open();
			listings.set(key, listing);
			return listing;
		},
		again: (card, options) => openRecordListing(api, card.id, Infinity, options, false),
	};
}

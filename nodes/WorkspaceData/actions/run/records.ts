/** The records of cards, read once for all items of a run. */
import type { WorkspaceApi } from '../../transport/api';
import { openRecordListing, type ReadOptions, type RecordListing } from '../../transport/listings';
import type { CardReference } from './cards';

/** The record listings that a run knows. */
export interface Records {
	/**
	 * The records of a card. Items that want the same number share a listing.
	 *
	 * @param wanted how many records are read at most; Infinity for all
	 */
	of(card: CardReference, wanted: number, options?: ReadOptions): RecordListing;
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
	};
}

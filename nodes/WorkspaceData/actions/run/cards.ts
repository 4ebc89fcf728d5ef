/** The cards of the workspace, read once for all items of a run. */
import type { Card } from '../../model/answer/card';
import { locateCard, readLocator, type Locator } from '../../model/locator';
import type { WorkspaceApi } from '../../transport/api';
import { openCardListing, type ReadOptions } from '../../transport/listings';
import type { Listing } from '../../transport/paging';
import { yieldAfter, type YieldToLoop } from '../schedule/yieldToLoop';
import type { Messages } from './messages';

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

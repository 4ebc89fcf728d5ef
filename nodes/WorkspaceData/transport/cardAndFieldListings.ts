/** Lists the cards of a workspace and the fields of a card. */
import { readCard, readCards, type Card } from '../model/response/card';
import { readFields, type Field } from '../model/response/field';
import { readNextQuery, readTotal } from '../model/response/page';
import type { Session } from './session';
import { UnexpectedResponse } from './failure/failureKinds';
import { Listing } from './paging';
import type { PathPart, ReadOptions } from './request';

export type { ReadOptions };

export const unexpected = (what: string): UnexpectedResponse =>
	new UnexpectedResponse(
		`The response isn't ${what}`,
		"Check 'Base URL' in the credential: another server may be answering at that address.",
	);

export const cardPath = (cardId: string): PathPart[] => [
	'cards',
	{ value: cardId, parameter: 'Card' },
];

const INCOMPLETE =
	"Nothing was done with it: what it doesn't show could be created twice. Try again, or tell the operator of the service.";

/** The status of a response without a body. For a listing it means that there are no entries. */
export const NO_CONTENT = 204;
/** The status of a partial response. @see RFC 9110, section 15.3.7 */
export const PARTIAL = 206;

/**
 * Opens a listing for which the interface shows no pages. It is complete unless the response says otherwise.
 *
 * @param what the name of the listing in messages
 * @throws UnexpectedResponse if the list is incomplete or repeats an entry, because then another one is missing
 */
function openPlainListing<Entry extends { id: string }>(
	session: Session,
	what: string,
	path: PathPart[],
	read: (body: unknown) => Entry[] | undefined,
	options: ReadOptions,
): Listing<Entry> {
	const ids = new Set<string>();
	return new Listing(`The ${what}`, async (next) => {
		const query = Object.fromEntries(new URLSearchParams(next));
		const request = { method: 'GET', path, query, ...options } as const;
		const { status, body, headers } = await session.request(request);
		const entries = status === NO_CONTENT ? [] : read(body);
		if (!entries) throw unexpected(`a ${what}`);
		if (status === PARTIAL || (status === NO_CONTENT && next !== undefined)) {
			throw new UnexpectedResponse(`The service's ${what} is incomplete`, INCOMPLETE);
		}
		for (const { id } of entries) {
			if (ids.has(id)) {
				throw new UnexpectedResponse(`The service's ${what} shows the ID ${id} twice`, INCOMPLETE);
			}
			ids.add(id);
		}
		const following = readNextQuery(body, headers.link);
		const total = readTotal(body, headers['x-total-count']) ?? 0;
		if (!following && total > ids.size) {
			throw new UnexpectedResponse(
				`The service's ${what} is incomplete: it shows ${ids.size} of ${total}`,
				INCOMPLETE,
			);
		}
		return { entries, nextCursor: following && new URLSearchParams(following).toString() };
	});
}

/** Opens the listing of the workspace's cards. @see service interface, part 4, "Cards" */
export function openCardListing(session: Session, options: ReadOptions = {}): Listing<Card> {
	return openPlainListing(session, 'list of cards', ['cards'], readCards, options);
}

export async function listCards(session: Session, options: ReadOptions = {}): Promise<Card[]> {
	return await openCardListing(session, options).first(Infinity);
}

/** Finds one card. @throws UnexpectedResponse if the response has no card */
export async function getCard(
	session: Session,
	cardId: string,
	options: ReadOptions = {},
): Promise<Card> {
	const { body } = await session.request({ method: 'GET', path: cardPath(cardId), ...options });
	const card = readCard(body);
	if (!card) throw unexpected('a card');
	return card;
}

/** Lists all fields of a card. @see service interface, part 4, "Fields" */
export async function listFields(
	session: Session,
	cardId: string,
	options: ReadOptions = {},
): Promise<Field[]> {
	const path = [...cardPath(cardId), 'fields'];
	const listing = openPlainListing(session, 'list of fields', path, readFields, options);
	return await listing.first(Infinity);
}

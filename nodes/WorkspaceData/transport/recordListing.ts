/** Lists the records of a card, in pages as large as the service allows. */
import { readNextQuery, type Page } from '../model/response/page';
import { readRecordPage, type DataRecord, type RecordPage } from '../model/response/record';
import type { Session } from './session';
import { Cancelled, UnexpectedResponse } from './failure/failureKinds';
import { lastChange } from './sharedState';
import { Listing, type ListingOptions } from './paging';
import { mayRefuseSize } from './refusedPageSize';
import type { ApiRequest, ReadOptions } from './request';
import { cardPath, NO_CONTENT, PARTIAL, unexpected } from './cardAndFieldListings';

/** The maximum page size that is requested; larger pages save little and block the event loop. */
const MAX_PAGE_SIZE = 1_000;
/** How often the records of a card are read at most, if their pages shift. */
export const MAX_READINGS = 3;

/**
 * Reads one page of records.
 *
 * @param query the number of records wanted on this page; and `next_cursor` of the previous page, none for the first
 * @throws UnexpectedResponse if the response isn't a list of records, or is known to lack some
 */
export async function getRecordPage(
	session: Session,
	cardId: string,
	query: { limit?: number; cursor?: string },
	options: ReadOptions & Pick<ApiRequest, 'once' | 'replaceable'> = {},
): Promise<RecordPage> {
	const { status, body, headers } = await session.request({
		method: 'GET',
		path: [...cardPath(cardId), 'records'],
		query,
		...options,
	});
	if (status === NO_CONTENT && query.cursor === undefined) return { records: [], nextCursor: null };
	const page = readRecordPage(body);
	if (!page) throw unexpected('a list of records');
	if (page.nextCursor === null && (status === PARTIAL || readNextQuery({}, headers.link))) {
		page.gap = 'there are more pages, but it tells no cursor';
	}
	if (page.gap) {
		throw new UnexpectedResponse(
			`The service's list of records is incomplete: ${page.gap}`,
			'Nothing was done with it, because records could be missed. Try again, or tell the operator of the service.',
		);
	}
	return page;
}

export type RecordListing = Listing<DataRecord>;

/**
 * Opens the listing of a card's records, in pages of 1,000. If the first page fails for a reason that its size can
 * have, it is requested once without `limit`. If that works, `limit` is no longer sent with this key.
 *
 * @param wanted the maximum number of records to read; Infinity for all
 * @param how defines if records are kept for other readers, and returned again if they are repeated
 * @see service interface, part 4, "Records", rule 2
 */
export function openRecordListing(
	session: Session,
	cardId: string,
	wanted: number,
	options: ReadOptions = {},
	how: Omit<ListingOptions, 'wanted'> = {},
): RecordListing {
	const { key } = session;
	let query: { limit?: number } = { limit: evenPart(wanted) };

	async function readFirst(): Promise<RecordPage> {
		if (key.omitsLimit) query = {};
		const replaceable = query.limit !== undefined;
		const reading = getRecordPage(session, cardId, query, { ...options, replaceable });
		return await reading.catch(async (error: unknown) => {
			if (!replaceable || !mayRefuseSize(error)) throw error;
			const plain = getRecordPage(session, cardId, {}, { ...options, once: true });
			const page = await plain.catch((second: unknown) => {
				throw second instanceof Cancelled ? second : error;
			});
			query = {};
			key.omitsLimit = true;
			return page;
		});
	}

	async function readPage(cursor: string | undefined): Promise<Page<DataRecord>> {
		const asOf = lastChange();
		const page =
			cursor === undefined
				? await readFirst()
				: await getRecordPage(session, cardId, { ...query, cursor }, options);
		for (const record of page.records) record.asOf = asOf;
		return { entries: page.records, nextCursor: page.nextCursor };
	}

	return new Listing(`The listing of card '${cardId}'`, readPage, { ...how, wanted });
}

/** Returns the size of equal pages that together hold the wanted number. */
const evenPart = (wanted: number): number =>
	wanted === Infinity ? MAX_PAGE_SIZE : Math.ceil(wanted / Math.ceil(wanted / MAX_PAGE_SIZE));

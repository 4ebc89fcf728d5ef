/** Lists the records of a card, in pages as large as the service allows. */
import { readNextQuery, type Page } from '../model/response/page';
import { readRecordPage, type DataRecord, type RecordPage } from '../model/response/record';
import type { Session } from './session';
import { ApiFailure, UnexpectedResponse } from './failure/failures';
import { SMALL_PAGE } from './pageSize';
import { lastChange } from './processState';
import { Listing, type ListingOptions } from './paging';
import type { ApiRequest, ReadOptions } from './request';
import { cardPath, NO_CONTENT, PARTIAL, unexpected } from './cardAndFieldListings';

/** How often the records of a card are read at most, if their pages shift. */
export const MAX_READINGS = 3;

/** Reads one page of records. @param limit records wanted */
async function readRecords(
	session: Session,
	cardId: string,
	cursor: string | undefined,
	limit: number,
	options: ReadOptions & Pick<ApiRequest, 'shrinks'>,
): Promise<RecordPage> {
	const { status, body, headers } = await session.request({
		method: 'GET',
		path: [...cardPath(cardId), 'records'],
		query: { limit, ...(cursor !== undefined && { cursor }) },
		...options,
	});
	if (status === NO_CONTENT && cursor === undefined) return { records: [], nextCursor: null };
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

/**
 * Reads one page of records. If the service refuses its size, smaller ones are tried.
 *
 * @param cursor `next_cursor` of the previous page; undefined for the first page
 * @param limit records wanted on this page
 */
export async function getRecordPage(
	session: Session,
	cardId: string,
	cursor: string | undefined,
	limit: number,
	options: ReadOptions = {},
): Promise<RecordPage> {
	const reading = readRecords(session, cardId, cursor, limit, options);
	return await reading.catch(async (error: unknown) => {
		const isRefused = error instanceof ApiFailure;
		const smaller = isRefused && session.pace.pageSize.smallerAfter(error, limit);
		if (!smaller) throw error;
		return await getRecordPage(session, cardId, cursor, smaller, options);
	});
}

export type RecordListing = Listing<DataRecord>;

/**
 * Opens the listing of a card's records, in pages as large as the service allows.
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
	const { pageSize } = session.pace;
	/**
	 * The size of all pages. A cursor may be a page number, which would mean another place with another size. So the
	 * size never changes between two pages. If it must shrink, the listing starts again.
	 */
	let size = evenPart(wanted, pageSize.most);
	/** The last failure with a larger size since the last page. */
	let refusal: unknown;

	async function readPage(cursor: string | undefined): Promise<Page<DataRecord> | 'restart'> {
		const request = { ...options, shrinks: size > SMALL_PAGE };
		const asOf = lastChange();
		const reading = readRecords(session, cardId, cursor, size, request);
		const page = await reading.catch((error: unknown) => {
			const smaller = pageSize.smallerAfter(error, size);
			if (smaller === undefined) throw error;
			refusal = error;
			size = smaller;
		});
		if (!page) return 'restart';
		for (const record of page.records) record.asOf = asOf;
		pageSize.accepted(size, refusal);
		refusal = undefined;
		return { entries: page.records, nextCursor: page.nextCursor };
	}

	return new Listing(`The listing of card '${cardId}'`, readPage, { ...how, wanted });
}

/** Returns the size of equal pages, of at most `most` records, that together hold the wanted number. */
const evenPart = (wanted: number, most: number): number =>
	wanted === Infinity ? most : Math.ceil(wanted / Math.ceil(wanted / most));

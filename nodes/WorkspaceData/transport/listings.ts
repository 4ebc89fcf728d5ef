import { readCard, readCards, type Card } from '../model/card';
import { readFields, type Field } from '../model/field';
import { readCursor } from '../model/page';
import { readRecordPage, type DataRecord, type RecordPage } from '../model/record';
import type { WorkspaceApi } from './api';
import { ApiFailure, UnexpectedAnswer } from './failures';
import { openListing, type Listing } from './paging';
import type { ApiAnswer, ApiRequest, PathPart } from './request';

/** How a listing is read: the settings of a request other than its address. */
export type ReadOptions = Pick<ApiRequest, 'timeoutMs' | 'maxParallel' | 'impatient' | 'ahead'>;

/** Most records of a page that are asked for; the interface names no maximum. */
export const MAX_PAGE_SIZE = 100;

const unexpected = (what: string): UnexpectedAnswer =>
	new UnexpectedAnswer(
		`The answer is not ${what}`,
		"Check 'Base URL' in the credential: another server may be answering at that address.",
	);

export const cardPath = (cardId: string): PathPart[] => [
	'cards',
	{ value: cardId, parameter: 'Card' },
];

/**
 * Opens a listing for which the interface shows no pages: what comes without a cursor is all of it.
 *
 * @param what how messages call it
 */
function openPlainListing<Entry extends { id: string }>(
	api: WorkspaceApi,
	what: string,
	path: PathPart[],
	read: (body: unknown) => Entry[] | undefined,
	options: ReadOptions,
): Listing<Entry> {
	return openListing(`The ${what}`, async (cursor) => {
		const query = cursor === undefined ? {} : { query: { cursor } };
		const { body } = await api.request({ method: 'GET', path, ...query, ...options });
		const entries = read(body);
		if (!entries) throw unexpected(`a ${what}`);
		return { entries, nextCursor: readCursor(body) };
	});
}

/** Opens the listing of the workspace's cards. @see service interface, part 4, "Cards" */
export function openCardListing(api: WorkspaceApi, options: ReadOptions = {}): Listing<Card> {
	return openPlainListing(api, 'list of cards', ['cards'], readCards, options);
}

/** All cards of the workspace. */
export async function listCards(api: WorkspaceApi, options: ReadOptions = {}): Promise<Card[]> {
	return await openCardListing(api, options).first(Infinity);
}

/** One card. @throws UnexpectedAnswer when the answer holds none */
export async function getCard(
	api: WorkspaceApi,
	cardId: string,
	options: ReadOptions = {},
): Promise<Card> {
	const { body } = await api.request({ method: 'GET', path: cardPath(cardId), ...options });
	const card = readCard(body);
	if (!card) throw unexpected('a card');
	return card;
}

/** All fields of a card. @see service interface, part 4, "Fields" */
export async function listFields(
	api: WorkspaceApi,
	cardId: string,
	options: ReadOptions = {},
): Promise<Field[]> {
	const path = [...cardPath(cardId), 'fields'];
	const listing = openPlainListing(api, 'list of fields', path, readFields, options);
	return await listing.first(Infinity);
}

/** Whether the service refuses the page size; it may have a smaller maximum than ours. */
function refusesLimit(error: unknown): boolean {
	if (!(error instanceof ApiFailure)) return false;
	const { status, kind, title, detail } = error.problem;
	return (status === 400 || status === 422) && /limit/i.test(`${kind} ${title} ${detail}`);
}

/**
 * One page of records. If the service refuses a page size, it chooses one itself.
 *
 * @param cursor `next_cursor` of the page before; undefined for the first page
 * @param limit records wanted on this page; undefined leaves it to the service
 * @returns the page, and whether the service refused the limit
 */
export async function getRecordPage(
	api: WorkspaceApi,
	cardId: string,
	cursor: string | undefined,
	limit: number | undefined,
	options: ReadOptions = {},
): Promise<RecordPage & { limitRefused: boolean }> {
	const read = async (size?: number): Promise<ApiAnswer> =>
		await api.request({
			method: 'GET',
			path: [...cardPath(cardId), 'records'],
			query: { ...(size && { limit: size }), ...(cursor !== undefined && { cursor }) },
			...options,
		});
	let limitRefused = false;
	const { body } = await read(limit).catch(async (error: unknown) => {
		if (limit === undefined || !refusesLimit(error)) throw error;
		limitRefused = true;
		return await read();
	});
	const page = readRecordPage(body);
	if (!page) throw unexpected('a list of records');
	return { ...page, limitRefused };
}

/** The records of a card. */
export type RecordListing = Listing<DataRecord>;

/**
 * Opens the listing of a card's records.
 *
 * @param wanted how many records will be read at most; Infinity for all
 * @see service interface, part 4, "Records", rule 2
 */
export function openRecordListing(
	api: WorkspaceApi,
	cardId: string,
	wanted: number,
	options: ReadOptions = {},
): RecordListing {
	/** Whether the service takes our page sizes: otherwise each page would cost two requests. */
	let takesLimit = true;
	return openListing(`The listing of card '${cardId}'`, async (cursor, known) => {
		const size = Math.min(Math.max(wanted - known, 1), MAX_PAGE_SIZE);
		const limit = takesLimit ? size : undefined;
		const page = await getRecordPage(api, cardId, cursor, limit, options);
		takesLimit &&= !page.limitRefused;
		return { entries: page.records, nextCursor: page.nextCursor };
	});
}

import { readCard, readCards, type Card } from '../model/answer/card';
import { readFields, type Field } from '../model/answer/field';
import { peekCursor, readCursor } from '../model/answer/page';
import { readRecordPage, type DataRecord, type RecordPage } from '../model/answer/record';
import type { WorkspaceApi } from './api';
import type { Peek } from './http/body';
import { ApiFailure, UnexpectedAnswer, Unreachable } from './failure/failures';
import { getDescription } from './description';
import {
	bearableSize,
	describedPageSize,
	MAX_PAGE_BYTES,
	MAX_PAGE_SIZE,
	pageSizeOf,
	sizeAfterTooLarge,
} from './pageSize';
import { openListing, type Announce, type Listing } from './paging';
import type { ApiRequest, PathPart, ReadOptions } from './request';

export type { ReadOptions };

/** How long the service's description is waited for, in ms: without it, smaller pages are tried. */
const DESCRIPTION_MS = 5_000;

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
 * Opens a listing for which the interface shows no pages: an answer without a cursor is complete.
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

/** One page of records. @param limit records wanted; undefined leaves it to the service */
async function readRecords(
	api: WorkspaceApi,
	cardId: string,
	cursor: string | undefined,
	limit: number | undefined,
	options: ReadOptions & Pick<ApiRequest, 'peek'>,
): Promise<RecordPage> {
	const { body } = await api.request({
		method: 'GET',
		path: [...cardPath(cardId), 'records'],
		query: { ...(limit && { limit }), ...(cursor !== undefined && { cursor }) },
		...options,
	});
	const page = readRecordPage(body);
	if (!page) throw unexpected('a list of records');
	return page;
}

/**
 * One page of records. If the service refuses a page size, it chooses one itself.
 *
 * @param cursor `next_cursor` of the page before; undefined for the first page
 * @param limit records wanted on this page; undefined leaves it to the service
 */
export async function getRecordPage(
	api: WorkspaceApi,
	cardId: string,
	cursor: string | undefined,
	limit: number | undefined,
	options: ReadOptions = {},
): Promise<RecordPage> {
	return await readRecords(api, cardId, cursor, limit, options).catch(async (error: unknown) => {
		if (limit === undefined || !refusesLimit(error)) throw error;
		return await readRecords(api, cardId, cursor, undefined, options);
	});
}

/** The largest page that the service's description names; one try, as it only helps. */
async function readDescribedSize(
	api: WorkspaceApi,
	options: ReadOptions,
): Promise<number | undefined> {
	const { timeoutMs = DESCRIPTION_MS } = options;
	return describedPageSize(
		await getDescription(api, 'json', {
			impatient: true,
			timeoutMs: Math.min(timeoutMs, DESCRIPTION_MS),
		}),
	);
}

/** The records of a card. */
export type RecordListing = Listing<DataRecord>;

/**
 * Opens the listing of a card's records, in pages as large as the service gives them.
 *
 * @param wanted how many records will be read at most; Infinity for all
 * @param keep whether the records are kept for others who read them
 * @see service interface, part 4, "Records", rule 2
 */
export function openRecordListing(
	api: WorkspaceApi,
	cardId: string,
	wanted: number,
	options: ReadOptions = {},
	keep = true,
): RecordListing {
	const pageSize = pageSizeOf(api.baseUrl);
	let bearable = MAX_PAGE_SIZE;

	async function readPage(
		cursor: string | undefined,
		needed: number,
		announce: Announce,
	): Promise<RecordPage> {
		const peek: Peek = (end, bytes) => {
			// The page after one that is too large is to be smaller: its records are counted first.
			if (bytes > MAX_PAGE_BYTES) return false;
			const next = peekCursor(end);
			return next !== undefined && announce(next);
		};
		// Ends: each refusal leaves a smaller size, and at last none.
		for (;;) {
			const most = pageSize.most();
			const size = most && Math.min(most, needed, bearable);
			const page = await readRecords(api, cardId, cursor, size, { ...options, peek }).catch(
				async (error: unknown) => {
					if (size && size > 1 && error instanceof Unreachable && error.tooLarge) {
						bearable = sizeAfterTooLarge(size);
						return undefined;
					}
					if (!size || !pageSize.isRefused(error, size)) throw error;
					await pageSize.refused(size, async () => await readDescribedSize(api, options));
					return undefined;
				},
			);
			if (page && size) pageSize.took(size);
			if (page) return page;
		}
	}

	const what = `The listing of card '${cardId}'`;
	const read = async (cursor: string | undefined, known: number, announce: Announce) => {
		const page = await readPage(cursor, Math.max(wanted - known, 1), announce);
		bearable = bearableSize(page.records);
		return { entries: page.records, nextCursor: page.nextCursor };
	};
	return openListing(what, read, { wanted, keep });
}

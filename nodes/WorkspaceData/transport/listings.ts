import { readCard, readCards, type Card } from '../model/card';
import { readFields, type Field } from '../model/field';
import { readRecordPage, type DataRecord, type RecordPage } from '../model/record';
import type { ApiAnswer, ApiRequest, PathPart, WorkspaceApi } from './api';
import { ApiFailure, UnexpectedAnswer } from './failures';

/** How a listing is read: what a request takes beside its address. */
export type ReadOptions = Pick<ApiRequest, 'timeoutMs' | 'maxParallel' | 'impatient'>;

/** Most records of a page that are asked for; the interface names no maximum. */
export const MAX_PAGE_SIZE = 100;
/** A listing longer than this is taken for one that never ends. */
const MAX_PAGES = 100_000;

const unexpected = (what: string): UnexpectedAnswer =>
	new UnexpectedAnswer(
		`The answer is not ${what}`,
		"Check 'Base URL' in the credential: another server may be answering at that address.",
	);

export const cardPath = (cardId: string): PathPart[] => [
	'cards',
	{ value: cardId, parameter: 'Card' },
];

/** All cards of the workspace. @see service interface, part 4, "Cards" */
export async function listCards(api: WorkspaceApi, options: ReadOptions = {}): Promise<Card[]> {
	const { body } = await api.request({ method: 'GET', path: ['cards'], ...options });
	const cards = readCards(body);
	if (!cards) throw unexpected('a list of cards');
	return cards;
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
	const { body } = await api.request({ method: 'GET', path, ...options });
	const fields = readFields(body);
	if (!fields) throw unexpected('a list of fields');
	return fields;
}

/** Whether the service refuses the page size; it may have a smaller maximum than ours. */
function refusesLimit(error: unknown): boolean {
	if (!(error instanceof ApiFailure)) return false;
	const { status, kind, title, detail } = error.problem;
	return (status === 400 || status === 422) && /limit/i.test(`${kind} ${title} ${detail}`);
}

/**
 * One page of records. A page size that the service refuses is left to the service.
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

/**
 * A listing that is read at most once, however many read from it: pages are fetched when somebody
 * gets there, and kept.
 */
export interface RecordListing {
	/** The records from the first on, without those that came twice because the listing moved. */
	[Symbol.asyncIterator](): AsyncIterator<DataRecord>;
	/** The record with this id; reads on until it comes. Undefined when the listing ends without it. */
	find(id: string): Promise<DataRecord | undefined>;
}

/**
 * Opens the listing of a card's records.
 *
 * @param wanted how many records will be read at most; Infinity for all
 * @throws UnexpectedAnswer when a cursor repeats or the listing does not end
 * @see service interface, part 4, "Records", rule 2
 */
export function openRecordListing(
	api: WorkspaceApi,
	cardId: string,
	wanted: number,
	options: ReadOptions = {},
): RecordListing {
	const records: DataRecord[] = [];
	const byId = new Map<string, DataRecord>();
	const cursors = new Set<string>();
	/** Whether the service takes our page sizes: otherwise each page would cost two requests. */
	let takesLimit = true;
	let next: string | null | undefined;
	let fetching: Promise<void> | undefined;

	async function fetchPage(): Promise<void> {
		const size = Math.min(Math.max(wanted - records.length, 1), MAX_PAGE_SIZE);
		const limit = takesLimit ? size : undefined;
		const page = await getRecordPage(api, cardId, next ?? undefined, limit, options);
		takesLimit &&= !page.limitRefused;
		for (const record of page.records) {
			if (byId.has(record.id)) continue;
			byId.set(record.id, record);
			records.push(record);
		}
		next = page.nextCursor;
		if (next === null) return;
		if (cursors.has(next) || cursors.size >= MAX_PAGES) {
			throw new UnexpectedAnswer(
				`The listing of card '${cardId}' does not end: a page points back to an earlier one`,
				'Nothing was left out up to there, but the rest cannot be reached. Try again, or tell the operator of the service.',
			);
		}
		cursors.add(next);
	}

	/** Reads on by one page. @returns false when there is no more */
	async function readOn(): Promise<boolean> {
		if (next === null) return false;
		// Stays when it fails: whoever else reads here is told the same, without asking again.
		fetching ??= fetchPage().then(() => {
			fetching = undefined;
		});
		await fetching;
		return true;
	}

	return {
		async find(id) {
			while (!byId.has(id)) {
				if (!(await readOn())) return undefined;
			}
			return byId.get(id);
		},
		async *[Symbol.asyncIterator]() {
			for (let index = 0; ; index += 1) {
				while (index >= records.length) {
					if (!(await readOn())) return;
				}
				const record = records[index];
				if (record) yield record;
			}
		},
	};
}

/** The 'From List' lists of the pickers: cards, fields, records and filter values. */
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import {
	comparedField,
	chosenCardFields,
	chosenCardId,
	EDITOR_READ,
	editorCall,
	hasCard,
	openEditorApi,
	whyNoFields,
} from './editorApi';
import { cards, fieldsOf, recordsOf, type DataRecord, type PageQuery } from '../transport/api';
import { entryText } from '../transport/credential';

/** Entries on one page of a picker, and records that are searched at a time for it. */
const PAGE_SIZE = 100;
/** Pages of records that a search reads before it shows its results. */
const PAGES_PER_SEARCH = 5;

/** Returns true if an entry matches the search text: any part of its name, or the beginning of its ID. */
function matches(filter: string, { name, value }: INodeListSearchItems): boolean {
	const wanted = filter.trim().toLowerCase();
	return name.toLowerCase().includes(wanted) || String(value).toLowerCase().startsWith(wanted);
}

/** A list that is completely in memory, page by page. The token is the position to continue from. */
const listInMemory = (
	read: (context: ILoadOptionsFunctions, filter: string) => Promise<INodeListSearchItems[]>,
) =>
	editorCall(
		async (context, filter: string = '', token?: string): Promise<INodeListSearchResult> => {
			const items = (await read(context, filter)).filter((item) => matches(filter, item));
			const start = Number(token ?? 0) || 0;
			const end = start + PAGE_SIZE;
			return {
				results: items.slice(start, end),
				...(end < items.length && { paginationToken: String(end) }),
			};
		},
	);

/** Cards of the workspace, by name. */
export const searchCards = listInMemory(async (context) => {
	const api = await openEditorApi(context);
	const { webUrl } = api.access.credential;
	const listed = await api.list(cards, EDITOR_READ);
	return listed
		.map(({ id, name }) => ({ name, value: id, url: webAddress(webUrl, id) }))
		.sort((a, b) => a.name.localeCompare(b.name));
});

/** The placeholder for a card's ID in the credential's 'Web URL'. */
const CARD_PLACE = '{card}';

/**
 * The address of a card in a browser. The node never sends a request to it.
 *
 * @param webUrl the credential's entry
 * @returns undefined if it is empty, or isn't a web address with a place for the card
 */
function webAddress(webUrl: unknown, cardId: string): string | undefined {
	const pattern = entryText(webUrl);
	const isUsable = /^https?:\/\//i.test(pattern) && URL.canParse(pattern);
	if (!isUsable || !pattern.includes(CARD_PLACE)) return undefined;
	return pattern.replaceAll(CARD_PLACE, () => encodeURIComponent(cardId));
}

/** Fields of the selected card, in the card's order. Without any, the reason is the only entry. */
export const searchFields = listInMemory(async (context) => {
	const { fields } = await chosenCardFields(context);
	if (fields.length === 0) return [{ name: whyNoFields(context), value: '' }];
	return fields.map(({ id, name }) => ({ name, value: id }));
});

/** The label of a record: its first text values say more than its ID. */
function recordLabel(record: DataRecord, fieldIds: readonly string[]): string {
	const texts = fieldIds
		.map((id) => record.data[id])
		.filter((value) => typeof value === 'string' || typeof value === 'number')
		.map((value) => String(value).trim())
		.filter((text) => text !== '')
		.slice(0, 2);
	return texts.length > 0 ? `${texts.join(' · ')} (${record.id})` : record.id;
}

/** Records of the selected card, page by page. The token is the service's cursor. */
export const searchRecords = editorCall(
	async (context, filter: string = '', token?: string): Promise<INodeListSearchResult> => {
		if (!hasCard(context)) {
			const name = whyNoFields(context).replace('fields', 'records');
			return { results: [{ name, value: '' }] };
		}
		const api = await openEditorApi(context);
		const cardId = (await chosenCardId(context, api)) ?? '';
		const fields = await api.list(fieldsOf(cardId), EDITOR_READ);
		const fieldIds = fields.map(({ id }) => id);
		let results: INodeListSearchItems[] = [];
		let cursor: string | null = token ?? '';
		for (let page = 0; page < PAGES_PER_SEARCH && results.length === 0; page += 1) {
			const query: PageQuery = { limit: PAGE_SIZE, ...(cursor && { cursor }) };
			const { things: records, nextCursor } = await api.page(recordsOf(cardId), query, EDITOR_READ);
			results = records
				.map((record) => ({ name: recordLabel(record, fieldIds), value: record.id }))
				.filter((item) => matches(filter, item));
			cursor = nextCursor;
			if (cursor === null) break;
		}
		return { results, ...(cursor && { paginationToken: cursor }) };
	},
);

/** Values for the filter condition: the field's choices, days or numbers of days, and the entered text. */
export const searchFilterValues = listInMemory(async (context, filter) => {
	const typed = filter.trim();
	const field = await comparedField(context);
	const condition = context.getCurrentNodeParameter('&condition');
	const { options, filterValues = options } = field?.kind.input ?? {};
	const offered = (field && filterValues?.(field, condition)) ?? [];
	const items = offered.map(({ name, value }) => ({ name, value: String(value) }));
	const isOffered = items.some(
		({ name, value }) => name.toLowerCase() === typed.toLowerCase() || value === typed,
	);
	return typed === '' || isOffered ? items : [...items, { name: typed, value: typed }];
});

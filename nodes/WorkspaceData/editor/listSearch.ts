/** The 'From List' lists of the pickers: cards, fields, records and filter values. */
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { FieldIndex } from '../model/fieldIndex';
import type { DataRecord } from '../model/response/record';
import { readCardPages } from './webUrl';
import { listCards, listFields } from '../transport/cardAndFieldListings';
import {
	comparedField,
	chosenCardFields,
	chosenCardId,
	EDITOR_READ,
	editorAuthentication,
	forEditor,
	openEditorApi,
} from './editorApi';
import { getRecordPage } from '../transport/recordListing';

/** Entries on one page of a picker, and records that are searched at a time for it. */
const PAGE_SIZE = 100;
/** Pages of records that a search reads before it shows its results. */
const PAGES_PER_SEARCH = 5;

/** Returns true if an entry matches the search text: any part of its name, or the beginning of its ID. */
function matches(filter: string | undefined, name: string, id: string): boolean {
	const wanted = filter?.trim().toLowerCase() ?? '';
	return name.toLowerCase().includes(wanted) || id.toLowerCase().startsWith(wanted);
}

/** One page of a list that is completely in memory. The token is the position to continue from. */
function pageOf(items: INodeListSearchItems[], paginationToken?: string): INodeListSearchResult {
	const start = Number(paginationToken ?? 0) || 0;
	const end = start + PAGE_SIZE;
	return {
		results: items.slice(start, end),
		...(end < items.length && { paginationToken: String(end) }),
	};
}

const byName = (a: INodeListSearchItems, b: INodeListSearchItems): number =>
	a.name.localeCompare(b.name);

/** Cards of the workspace, by name. */
export async function searchCards(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await forEditor(this, async () => {
		const cards = await listCards(await openEditorApi(this), EDITOR_READ);
		const pageOfCard = await readCardPages(this, editorAuthentication(this));
		const items = cards
			.filter(({ id, name }) => matches(filter, name, id))
			.map(({ id, name }) => ({ name, value: id, ...(pageOfCard && { url: pageOfCard(id) }) }))
			.sort(byName);
		return pageOf(items, paginationToken);
	});
}

/** Fields of the selected card, in the card's order. */
export async function searchFields(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await forEditor(this, async () => {
		const { fields } = await chosenCardFields(this);
		const items = fields
			.filter(({ id, name }) => matches(filter, name, id))
			.map(({ id, name }) => ({ name, value: id }));
		return pageOf(items, paginationToken);
	});
}

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
export async function searchRecords(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await forEditor(this, async () => {
		const session = await openEditorApi(this);
		const cardId = await chosenCardId(this, session);
		if (cardId === undefined) return { results: [] };
		const { fields } = new FieldIndex(await listFields(session, cardId, EDITOR_READ), cardId);
		const fieldIds = fields.map(({ id }) => id);
		const results: INodeListSearchItems[] = [];
		let cursor: string | null | undefined = paginationToken;
		for (let page = 0; page < PAGES_PER_SEARCH && results.length === 0; page += 1) {
			const { records, nextCursor } = await getRecordPage(
				session,
				cardId,
				cursor ?? undefined,
				PAGE_SIZE,
				EDITOR_READ,
			);
			for (const record of records) {
				const name = recordLabel(record, fieldIds);
				if (matches(filter, name, record.id)) results.push({ name, value: record.id });
			}
			cursor = nextCursor;
			if (cursor === null) break;
		}
		return { results, ...(cursor && { paginationToken: cursor }) };
	});
}

/** Values for the filter condition: the field's choices, days or numbers of days, and the entered text. */
export async function searchFilterValues(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await forEditor(this, async () => {
		const typed = filter?.trim() ?? '';
		const field = await comparedField(this);
		const condition = this.getCurrentNodeParameter('&condition');
		const { options, filterValues = options } = field?.kind.input ?? {};
		const offered = (field && filterValues?.(field, condition)) ?? [];
		const found = offered
			.map(({ name, value }) => ({ name, value: String(value) }))
			.filter(({ name }) => matches(filter, name, ''));
		const isOffered = found.some(
			({ name, value }) => name.toLowerCase() === typed.toLowerCase() || value === typed,
		);
		const own = typed === '' || isOffered ? [] : [{ name: typed, value: typed }];
		return pageOf([...found, ...own], paginationToken);
	});
}

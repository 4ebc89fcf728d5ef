/** The operations of clients on the records of a card. */
import type { HeavyWork } from '../foundation/heavyWork.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { inSlices } from '../foundation/slices.ts';
import { afterAll, type StoredRecord } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import type { Cards } from './cards.ts';
import type { Fields } from './fields.ts';
import { differences, type StoredData, toShown, toStored, withoutNulls } from './recordData.ts';
import { refusal } from './refusal.ts';

/** A record as the API shows it. */
export interface ApiRecord {
	id: string;
	data: Record<string, unknown>;
	created_at: string;
}

/** The operations of clients on the records of a card; each change is one transaction with its events. */
export type Records = ReturnType<typeof createRecords>;

/** Records of a page from which reading it is a large piece of work. */
const heavyLimit = 200;

/** Longest time that a search takes, in ms. */
const maximumSearchMs = 2_000;

/** Whether one of the values has a text, in lower case. */
function hasText({ data }: ApiRecord, wanted: string): boolean {
	if (wanted === '') return true;
	return Object.values(data).some((value) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return text.toLowerCase().includes(wanted);
	});
}

/** Gives the operations over a store. */
export function createRecords(
	store: Store,
	cards: Cards,
	fields: Pick<Fields, 'noteValues'>,
	quotas: Pick<Quotas, 'recordBytes'>,
	heavyWork: HeavyWork,
) {
	const { records } = store;

	const show = (cardId: string, record: StoredRecord): ApiRecord => ({
		id: record.id,
		data: toShown(record.data, store.fields.of(cardId)),
		created_at: record.created_at,
	});

	const find = (workspaceId: string, cardId: string, id: string) => {
		cards.get(workspaceId, cardId);
		const record = records.find(cardId, id);
		if (record) return record;
		throw refusal('record-not-found', `Record "${id}" does not exist in card "${cardId}".`);
	};

	const checkSize = (what: string, data: StoredData) => {
		const bytes = Buffer.byteLength(JSON.stringify(data));
		if (bytes <= quotas.recordBytes) return;
		throw refusal(
			'record-too-large',
			`${what} would have ${bytes} bytes; a record may have at most ${quotas.recordBytes}.`,
		);
	};

	return {
		/**
		 * At most `limit` records after an id ('' for the first), oldest first; fewer where they are large. A large page
		 * is read in pieces, between which others are served.
		 */
		async page(workspaceId: string, cardId: string, after: string, limit: number) {
			cards.get(workspaceId, cardId);
			if (limit > heavyLimit) await heavyWork();
			const found: ApiRecord[] = [];
			let [last, size] = [after, 0];
			for (;;) {
				const page = records.page(cardId, last, limit - found.length, size);
				for (const record of page.records) found.push(show(cardId, record));
				if (!page.isCut) return { records: found, more: page.more };
				last = page.records.at(-1)?.id ?? last;
				size = page.size;
				await heavyWork();
			}
		},
		/** How many records a card has; counted in slices. */
		async count(workspaceId: string, cardId: string): Promise<number> {
			cards.get(workspaceId, cardId);
			let [count, after] = [0, ''];
			await inSlices(() => {
				const { n, last } = records.countSome(cardId, after);
				count += n;
				after = last;
				return last !== '';
			});
			return count;
		},
		/**
		 * Records for a person to look at, newest first.
		 * @param query `text` that one of the values has, in any case ('' for all); only records `before` an id; at most
		 * `limit`
		 * @returns `next`: the id to continue before, null at the end. A long search ends early, with what it has found
		 */
		async search(
			workspaceId: string,
			cardId: string,
			query: { text: string; before?: string | undefined; limit: number },
		): Promise<{ records: ApiRecord[]; next: string | null }> {
			cards.get(workspaceId, cardId);
			const wanted = query.text.toLowerCase();
			const found: ApiRecord[] = [];
			let next: string | null = query.before ?? afterAll;
			const until = performance.now() + maximumSearchMs;
			await inSlices(() => {
				const some: StoredRecord[] = records.someBefore(cardId, next ?? '');
				for (const record of some) {
					if (found.length === query.limit) return false;
					next = record.id;
					const shown = show(cardId, record);
					if (hasText(shown, wanted)) found.push(shown);
				}
				if (some.length === 0) next = null;
				return next !== null && performance.now() < until;
			});
			return { records: found, next };
		},
		/** @throws Refusal card-not-found, record-not-found */
		get(workspaceId: string, cardId: string, recordId: string) {
			return show(cardId, find(workspaceId, cardId, recordId));
		},
		/** @throws Refusal unknown-field, invalid-value, record-too-large */
		create(workspaceId: string, cardId: string, data: Record<string, unknown>) {
			return store.change((publish) => {
				cards.get(workspaceId, cardId);
				const stored = withoutNulls(toStored(cardId, store.fields.of(cardId), data));
				checkSize('The record', stored);
				fields.noteValues(cardId, stored);
				const record = show(cardId, records.create(cardId, stored));
				publish({
					event: 'record.created',
					workspaceId,
					cardId,
					details: { record_id: record.id, data: record.data },
				});
				return record;
			});
		},
		/** Sets the given fields, null clears one; without a difference there is no event. */
		update(workspaceId: string, cardId: string, recordId: string, data: Record<string, unknown>) {
			return store.change((publish) => {
				const before = find(workspaceId, cardId, recordId);
				const listing = store.fields.of(cardId);
				const changed = differences(before.data, toStored(cardId, listing, data));
				if (Object.keys(changed).length === 0) return show(cardId, before);
				const after = withoutNulls({ ...before.data, ...changed });
				checkSize(`Record "${recordId}" of card "${cardId}"`, after);
				fields.noteValues(cardId, changed);
				records.update(cardId, recordId, after);
				publish({
					event: 'record.updated',
					workspaceId,
					cardId,
					details: { record_id: recordId, data: toShown(changed, listing) },
				});
				return show(cardId, { ...before, data: after });
			});
		},
		remove(workspaceId: string, cardId: string, recordId: string) {
			return store.change((publish) => {
				const record = show(cardId, find(workspaceId, cardId, recordId));
				records.remove(cardId, recordId);
				publish({
					event: 'record.deleted',
					workspaceId,
					cardId,
					details: { record_id: recordId, data: record.data },
				});
				return record;
			});
		},
	};
}

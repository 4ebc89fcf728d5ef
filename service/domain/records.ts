/** The records of a card: how one is read, made, changed and removed. */
import type { Quotas } from '../foundation/quotas.ts';
import type { StoredRecord } from '../storage/recordRows.ts';
import type { Store } from '../storage/store.ts';
import type { Cards } from './cards.ts';
import type { Fields } from './fields.ts';
import { differences, type StoredData, toShown, toStored, withoutNulls } from './recordData.ts';
import { createRecordListing, showRecord } from './recordListing.ts';
import { refusal } from './refusal.ts';

/** The operations of clients on the records of a card; each change is one transaction with its events. */
export type Records = ReturnType<typeof createRecords>;

/** Gives the operations over a store. */
export function createRecords(
	store: Store,
	cards: Cards,
	fields: Pick<Fields, 'noteValues'>,
	quotas: Pick<Quotas, 'recordBytes' | 'pageBytes'>,
) {
	const { records } = store;

	const show = (cardId: string, record: StoredRecord) => showRecord(store, cardId, record);

	const find = (workspaceId: string, cardId: string, id: string) => {
		cards.get(workspaceId, cardId);
		const record = records.find(cardId, id);
		if (record) return record;
		throw refusal('record-not-found', `Record "${id}" does not exist in card "${cardId}".`);
	};

	/** The data as it is stored. @throws Refusal record-too-large */
	const toJson = (what: string, data: StoredData): string => {
		const json = JSON.stringify(data);
		const bytes = Buffer.byteLength(json);
		if (bytes <= quotas.recordBytes) return json;
		throw refusal(
			'record-too-large',
			`${what} would have ${bytes} bytes; a record may have at most ${quotas.recordBytes}.`,
		);
	};

	return {
		...createRecordListing(store, cards, quotas),
		/** @throws Refusal card-not-found, record-not-found */
		get(workspaceId: string, cardId: string, recordId: string) {
			return show(cardId, find(workspaceId, cardId, recordId));
		},
		/** @throws Refusal unknown-field, invalid-value, record-too-large */
		create(workspaceId: string, cardId: string, data: Record<string, unknown>) {
			return store.change((publish) => {
				cards.get(workspaceId, cardId);
				const stored = withoutNulls(toStored(cardId, store.fields.of(cardId), data));
				const json = toJson('The record', stored);
				fields.noteValues(cardId, stored);
				const record = show(cardId, records.create(cardId, stored, json));
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
				const json = toJson(`Record "${recordId}" of card "${cardId}"`, after);
				fields.noteValues(cardId, changed);
				records.update(cardId, recordId, json);
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

import type { FieldIndex } from '../../model/fieldResolution';
import { UNKNOWN_ID, type DataRecord } from '../../model/record';
import type { JsonObject } from '../../model/shapes';
import { parseTime } from '../../model/time';
import { UnexpectedAnswer } from '../../transport/failures';
import { openRecordListing, type ReadOptions, type RecordListing } from '../../transport/listings';
import type { CardReference, Run } from '../run';
import { matchKey } from './matching';

/** The records of a card by the values of their matching fields. */
export interface MatchIndex {
	/**
	 * The records that hold these values, oldest first.
	 *
	 * @throws UnexpectedAnswer when one was created for them that the listing does not show
	 */
	find(data: JsonObject): Promise<readonly DataRecord[]>;
	/**
	 * Takes in a record that was written, in place of its earlier state. It is found by the values that
	 * were sent as well as by those it holds: the service may keep them in another spelling.
	 */
	put(record: DataRecord, sent: JsonObject): void;
	/** Creates the record for these values, and takes it in. */
	add(sent: JsonObject, create: () => Promise<DataRecord>): Promise<DataRecord>;
}

const bornAt = ({ createdAt }: DataRecord): number => parseTime(createdAt) ?? Infinity;

/** Oldest first: the interface does not show in which order records are listed. */
function byAge(a: DataRecord, b: DataRecord): number {
	return bornAt(a) - bornAt(b) || (a.id < b.id ? -1 : 1);
}

/** @param open gives a listing of the card's records that has not been read yet */
async function buildIndex(
	open: () => RecordListing,
	keyOf: (data: JsonObject) => string,
): Promise<MatchIndex> {
	const byKey = new Map<string, Map<string, DataRecord>>();
	const creations = new Set<Promise<DataRecord>>();
	/** Keys whose record was created, but answered without its id: the listing will tell it. */
	const untold = new Set<string>();
	/** Keys whose record was created, but is not listed under them. */
	const lost = new Set<string>();
	let rereading: Promise<void> | undefined;

	const file = (key: string, record: DataRecord): void => {
		const group = byKey.get(key) ?? new Map<string, DataRecord>();
		byKey.set(key, group.set(record.id, record));
	};
	const put = (record: DataRecord, sent: JsonObject): void => {
		const key = keyOf(sent);
		if (record.id === UNKNOWN_ID) {
			untold.add(key);
			return;
		}
		file(key, record);
		file(keyOf(record.data), record);
	};
	const read = async (): Promise<void> => {
		for await (const record of open()) file(keyOf(record.data), record);
	};
	/** One reading tells the ids of all: it waits for the creations that are under way. */
	const reread = async (): Promise<void> => {
		while (creations.size > 0) await Promise.allSettled(creations);
		const keys = [...untold];
		await read();
		for (const key of keys) {
			untold.delete(key);
			if (!byKey.has(key)) lost.add(key);
		}
	};

	await read();
	return {
		put,
		async find(data) {
			const key = keyOf(data);
			while (untold.has(key)) {
				rereading ??= reread().finally(() => (rereading = undefined));
				await rereading;
			}
			if (lost.has(key)) {
				throw new UnexpectedAnswer(
					'The record that an earlier item created is not found again',
					'Its creation was answered without an id, and the listing shows it with other values or not yet. Nothing was written for this item: it could have become a second record.',
				);
			}
			return [...(byKey.get(key)?.values() ?? [])].sort(byAge);
		},
		async add(sent, create) {
			const creation = create();
			creations.add(creation);
			try {
				const record = await creation;
				put(record, sent);
				return record;
			} finally {
				creations.delete(creation);
			}
		},
	};
}

/**
 * The match index of a card: built from one reading of the records, once for each field listing, as
 * data is keyed by field id.
 */
export async function matchIndex(
	run: Run,
	card: CardReference,
	index: FieldIndex,
	fieldIds: readonly string[],
	request: ReadOptions,
): Promise<MatchIndex> {
	return await run.shared(
		`matches ${fieldIds.join()}`,
		async () =>
			await buildIndex(
				() => openRecordListing(run.api, card.id, Infinity, request),
				(data) => matchKey(fieldIds, data, index),
			),
		index,
	);
}

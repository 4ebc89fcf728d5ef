/** Finds records by the values of their matching fields. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { Zone } from '../../model/time';
import { keyOf } from '../../model/value/value';
import { UNKNOWN_ID, type DataRecord } from '../../model/answer/record';
import { ownValue, type JsonObject } from '../../model/answer/shapes';
import { ageOf, byAge } from '../../model/recordAge';
import { mayHaveHappened, UnexpectedAnswer } from '../../transport/failure/failures';
import type { RecordListing } from '../../transport/listings';

/** Values as one text, the same for all spellings of a value: the service may store another spelling than was sent. */
export const matchKey = (
	fieldIds: readonly string[],
	data: JsonObject,
	index: FieldIndex,
	zone: Zone,
): string =>
	JSON.stringify(
		fieldIds.map((id) => {
			const field = index.byId(id);
			return field ? keyOf(field, ownValue(data, id), zone) : '';
		}),
	);

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
	/**
	 * Creates the record for these values, and takes it in. Where it may have been created although that
	 * failed, no other is created for these values.
	 */
	add(sent: JsonObject, create: () => Promise<DataRecord>): Promise<DataRecord>;
}

/** Why a record is looked for that is not found: it was created, or its creation has no clear answer. */
type Fate = 'created' | 'unclear';

const notFoundAgain = (fate: Fate): UnexpectedAnswer =>
	fate === 'created'
		? new UnexpectedAnswer(
				'The record that an earlier item created cannot be found',
				'The service did not return the ID of the new record, and does not list a record with these values. Nothing was written for this item, to avoid a duplicate.',
			)
		: new UnexpectedAnswer(
				'An earlier item may have created this record, but the service does not list it',
				'The answer to the earlier item was lost. Nothing was written for this item, to avoid a duplicate. Look for the record before you run the item again.',
			);

/**
 * Reads the records of a card into an index.
 *
 * @param open gives a listing of the card's records that has not been read yet
 * @param keyOf the matching values of a record as one text
 */
export async function buildMatchIndex(
	open: () => RecordListing,
	keyOf: (data: JsonObject) => string,
): Promise<MatchIndex> {
	const byKey = new Map<string, Map<string, DataRecord>>();
	const creations = new Set<Promise<DataRecord>>();
	/** Keys whose record was created, or may have been, without its id being known: the listing will tell. */
	const untold = new Map<string, Fate>();
	/** Keys of records that the listing does not show. */
	const lost = new Map<string, Fate>();
	let rereading: Promise<void> | undefined;

	const file = (key: string, record: DataRecord): void => {
		const group = byKey.get(key) ?? new Map<string, DataRecord>();
		byKey.set(key, group.set(record.id, record));
	};
	const put = (record: DataRecord, sent: JsonObject): void => {
		const key = keyOf(sent);
		if (record.id === UNKNOWN_ID) {
			untold.set(key, 'created');
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
		for (const [key, fate] of keys) {
			untold.delete(key);
			if (!byKey.has(key)) lost.set(key, fate);
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
			const fate = lost.get(key);
			if (fate) throw notFoundAgain(fate);
			// Oldest first, as the interface does not show in which order records are listed. One that was just
			// created may have no time yet.
			return [...(byKey.get(key)?.values() ?? [])].sort((a, b) =>
				byAge(ageOf(a, Infinity), ageOf(b, Infinity)),
			);
		},
		async add(sent, create) {
			const creation = create().catch((error: unknown) => {
				if (mayHaveHappened(error)) untold.set(keyOf(sent), 'unclear');
				throw error;
			});
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

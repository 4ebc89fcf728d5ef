/** Finds the records that were created while no event reached the workflow. */
import { type DataRecord, ageOf, byAge } from '../../model/answer/record';
import type { Search } from '../../model/subscription/events';
import { parseTime } from '../../model/time';
import type { WorkspaceApi } from '../../transport/api';
import { listCards } from '../../transport/listings';
import { type KnownRecords, LOOKUP_SIZE, recordKey } from './knownRecords';
import { openRecordListing } from '../../transport/recordListing';

/** A record that was created in the time in question. */
export interface Candidate {
	cardId: string;
	record: DataRecord;
	createdAt: number;
}

export const keyOf = ({ cardId, record }: Candidate): string => recordKey(cardId, record.id);

/** Records of the watched cards that were created after `from` and not after `upTo`, in groups. */
async function* createdBetween(
	api: WorkspaceApi,
	cardIds: readonly string[],
	from: number,
	upTo: number,
): AsyncGenerator<Candidate[]> {
	let group: Candidate[] = [];
	for (const cardId of cardIds) {
		for await (const record of openRecordListing(api, cardId, Infinity)) {
			const createdAt = parseTime(record.createdAt);
			if (createdAt === undefined || createdAt <= from || createdAt > upTo) continue;
			group.push({ cardId, record, createdAt });
			if (group.length < LOOKUP_SIZE) continue;
			yield group;
			group = [];
		}
	}
	if (group.length > 0) yield group;
}

/**
 * The records that the workflow has not had, in the order of their creation. All records after the last
 * completed search are read once. Once n8n's memory has been full it may have forgotten records: those
 * older than the oldest that it remembers count as had, and finding that one takes another reading.
 *
 * Only missed records are kept in memory, however many the cards have.
 *
 * @param watched the card; null for all cards of the workspace
 */
export async function findMissed(
	api: WorkspaceApi,
	watched: string | null,
	{ from, earlier, upTo }: Search,
	known: KnownRecords,
): Promise<Candidate[]> {
	const cardIds = watched === null ? (await listCards(api)).map(({ id }) => id) : [watched];
	let after = Math.max(from, (await known.lastSearched(earlier)) ?? from);
	if (known.isFull) {
		let oldest = Infinity;
		for await (const group of createdBetween(api, cardIds, after, upTo)) {
			const had = await known.lookUp(group.map(keyOf));
			const times = group.filter((one) => had.has(keyOf(one))).map((one) => one.createdAt);
			oldest = Math.min(oldest, ...times);
		}
		if (oldest !== Infinity) after = Math.max(after, oldest - 1);
	}
	const missed: Candidate[] = [];
	for await (const group of createdBetween(api, cardIds, after, upTo)) {
		const had = await known.lookUp(group.map(keyOf));
		for (const one of group) if (!had.has(keyOf(one))) missed.push(one);
	}
	return missed.sort((a, b) => byAge(ageOf(a.record), ageOf(b.record)));
}

/** Finds the records that were created while no event reached the workflow. */
import { type DataRecord, ageOf, byAge } from '../../model/answer/record';
import { isSeen, spanOf } from '../../model/recordMemory';
import type { Search } from '../../model/subscription/eventsAndEffects';
import { parseTime } from '../../model/time';
import type { WorkspaceApi } from '../../transport/api';
import { listCards } from '../../transport/cardAndFieldListings';
import { openRecordListing } from '../../transport/recordListing';
import { type KnownRecords, LOOKUP_SIZE, recordKey, type Stretch } from './knownRecords';

/** A record that was created in the time in question. */
export interface Candidate {
	cardId: string;
	record: DataRecord;
	createdAt: number;
}

export const keyOf = ({ cardId, record }: Candidate): string => recordKey(cardId, record.id);

/**
 * Records that were created after `from` and not after `upTo`, in groups.
 *
 * @param watched the card; null for all cards of the workspace
 */
export async function* createdBetween(
	api: WorkspaceApi,
	watched: string | null,
	from: number,
	upTo: number,
): AsyncGenerator<Candidate[]> {
	const cardIds = watched === null ? (await listCards(api)).map(({ id }) => id) : [watched];
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

/** Finds the oldest known record of each stretch without a landmark: events brought all records before it. */
async function withOldestKnown(
	stretches: readonly Stretch[],
	known: KnownRecords,
	created: () => AsyncIterable<Candidate[]>,
): Promise<Stretch[]> {
	const oldest = stretches.map(({ cameUpTo }) => cameUpTo ?? Infinity);
	for await (const group of created()) {
		const had = await known.lookUp(group.map(keyOf));
		for (const one of group) {
			if (!had.has(keyOf(one))) continue;
			const at = one.createdAt;
			const place = stretches.findIndex(({ after, upTo }) => at > after && at <= upTo);
			if (stretches[place]?.cameUpTo !== undefined) continue;
			// By their ids, others of the same time are distinguished.
			oldest[place] = Math.min(oldest[place] ?? Infinity, at - 1);
		}
	}
	return stretches.map((stretch, place) => ({
		...stretch,
		cameUpTo: oldest[place] === Infinity ? undefined : oldest[place],
	}));
}

/**
 * The records that the workflow has not had, in the order of their creation. All records after the last
 * completed search are read once. Once n8n's memory has been full it may have forgotten records: those up to the oldest
 * landmark count as processed. Where there is none, those older than the oldest known record do, and finding that one takes
 * another reading.
 *
 * Only missed records are kept in memory, however many the cards have.
 *
 * @param createdBetween reads the records of a time, in groups of {@link LOOKUP_SIZE} at most
 */
export async function findMissed(
	createdBetween: (after: number, upTo: number) => AsyncIterable<Candidate[]>,
	search: Search,
	known: KnownRecords,
): Promise<Candidate[]> {
	let stretches = await known.stretches(search);
	const after = stretches[0]?.after ?? search.from;
	const created = () => createdBetween(after, search.upTo);
	const isUnclear = stretches.some(({ cameUpTo }) => cameUpTo === undefined);
	if (isUnclear && (await known.isFull())) {
		stretches = await withOldestKnown(stretches, known, created);
	}
	const spans = stretches.flatMap(({ after: begin, cameUpTo }) =>
		cameUpTo === undefined ? [] : [spanOf(begin, cameUpTo)],
	);
	const missed: Candidate[] = [];
	for await (const group of created()) {
		const tokens = await known.lookUp(group.map(keyOf));
		const isNew = (one: Candidate) =>
			!isSeen({ tokens, spans }, { at: one.createdAt, id: one.record.id, token: keyOf(one) });
		missed.push(...group.filter(isNew));
	}
	return missed.sort((a, b) => byAge(ageOf(a.record), ageOf(b.record)));
}

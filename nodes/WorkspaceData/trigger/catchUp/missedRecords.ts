/** Finds the records that were created while no event reached the workflow. */
import type { Card } from '../../model/answer/card';
import { type DataRecord, ageOf, byAge } from '../../model/answer/record';
import { isSeen, spanOf } from '../../model/recordMemory';
import type { Search } from '../../model/subscription/eventsAndEffects';
import { parseTime } from '../../model/time';
import type { Session } from '../../transport/session';
import { listCards } from '../../transport/cardAndFieldListings';
import { ApiFailure, saysGone } from '../../transport/failure/failures';
import { openRecordListing } from '../../transport/recordListing';
import { type KnownRecords, LOOKUP_SIZE, recordKey, type Stretch } from './knownRecords';

/** Records that are read at a time. */
const PART = 100;

/** A record that was created in the time in question. */
export interface Candidate {
	cardId: string;
	record: DataRecord;
	createdAt: number;
}

export const keyOf = ({ cardId, record }: Candidate): string => recordKey(cardId, record.id);

/** Whether the service says that a card does not exist. */
const isGone = (error: unknown): boolean => saysGone(error, ['card', 'cards', 'resource']);

/** Whether the service refuses to list the records of a card, so that trying again does not help. A proxy's answer is no refusal. */
const isRefused = (error: unknown): error is ApiFailure =>
	error instanceof ApiFailure &&
	!error.transient &&
	!error.problem.foreign &&
	(error.problem.status === 403 || isGone(error));

/** A card, as messages name it. */
type NamedCard = Pick<Card, 'id' | 'name'>;

/**
 * Records that were created after `from` and not after `upTo`, in groups. Of all cards, one that is gone has no records, and
 * one that is refused does not keep back the others.
 *
 * @param watched the card; null for all cards of the workspace
 * @param onRefused hears of each of all cards that may not be read
 */
export async function* createdBetween(
	session: Session,
	watched: string | null,
	from: number,
	upTo: number,
	onRefused: (card: NamedCard, error: ApiFailure) => void,
): AsyncGenerator<Candidate[]> {
	const cards: NamedCard[] =
		watched === null ? await listCards(session) : [{ id: watched, name: watched }];
	let group: Candidate[] = [];
	for (const card of cards) {
		const listing = openRecordListing(session, card.id, Infinity);
		const endOfRefused = (error: unknown): DataRecord[] => {
			if (watched !== null || !isRefused(error)) throw error;
			if (!isGone(error)) onRefused(card, error);
			return [];
		};
		for (let read = 0; ; ) {
			const part = await listing.part(read, PART, true).catch(endOfRefused);
			if (part.length === 0) break;
			read += part.length;
			for (const record of part) {
				const createdAt = parseTime(record.createdAt);
				if (createdAt === undefined || createdAt <= from || createdAt > upTo) continue;
				group.push({ cardId: card.id, record, createdAt });
				if (group.length < LOOKUP_SIZE) continue;
				yield group;
				group = [];
			}
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

/** Reads a card's records page by page, as far as conditions need them. */
import type { DataRecord } from '../../model/answer/record';
import type { CardReference, Run } from '../run/run';
import type { FieldIndex } from '../../model/fieldIndex';
import {
	readConditions,
	readMatchType,
	type FilterPlace,
	recordTest,
	type RecordTest,
} from '../../model/value/recordFilter';
import type { RecordListing } from '../../transport/recordListing';

/** Records that are processed between two yields to the event loop. Up to this number, no hint is given. */
const A_FEW = 100;

/**
 * Reads records of a listing from the first on, page by page.
 *
 * @param isLast looks at a record; returns whether no further one is needed
 * @param toTheEnd whether to read the whole listing; else `isLast` may end it early
 * @returns how many records were looked at
 */
export async function scanRecords(
	{ yieldToLoop }: Pick<Run, 'yieldToLoop'>,
	listing: RecordListing,
	isLast: (record: DataRecord) => boolean,
	toTheEnd = false,
): Promise<number> {
	let read = 0;
	for (;;) {
		const part = await listing.part(read, A_FEW, toTheEnd);
		if (part.length === 0) return read;
		// For a further item the listing is there already: nothing else would pause.
		await yieldToLoop();
		for (const record of part) {
			read += 1;
			if (isLast(record)) return read;
		}
	}
}

/** The records of a card that are looked for. */
export interface Wanted {
	card: CardReference;
	listing: RecordListing;
	/** The conditions, as `readFilter` gives them. */
	filter: RecordTest | undefined;
	/** A test beyond the conditions, such as a search. */
	passes?: ((record: DataRecord) => boolean) | undefined;
	/** Whether all records are read, whatever `isLast` says. */
	toTheEnd?: boolean;
	cost?: ReadingCost;
}

/**
 * Reads the records that pass, and tells the user what that cost, and where records may be missing.
 *
 * @param isLast gets each of them; returns whether no further one is needed
 */
export async function readPassing(
	run: Pick<Run, 'yieldToLoop' | 'messages'>,
	{ card, listing, filter, passes = filter, toTheEnd = false, cost }: Wanted,
	isLast: (record: DataRecord) => boolean,
): Promise<void> {
	let isEnough = false;
	const look = (record: DataRecord): boolean => {
		if (!passes || passes(record)) isEnough = isLast(record);
		return isEnough;
	};
	const read = await scanRecords(run, listing, look, toTheEnd);
	hintAtShift(run, listing, card.name);
	if (!isEnough) filter?.requireSeen();
	if (cost) hintAtReading(run, read, cost);
}

/** Says so where pages showed a record twice: then they may have skipped others. @param card how messages call the card */
export function hintAtShift(
	{ messages }: Pick<Run, 'messages'>,
	listing: RecordListing,
	card: string,
): void {
	if (!listing.hasShifted()) return;
	messages.hint(
		`The pages of card '${card}' showed a record twice, so they may have skipped others. Run the node again while nobody else changes the card`,
	);
}

/** Why a reading did not end at the limit. */
export interface ReadingCost {
	/** Results that were wanted; Infinity for all. */
	limit?: number;
	/** Whether the first result is known only once everything is read. */
	needsAll?: boolean;
}

/** Says what conditions, a search or an order cost, where it was more than a page. */
export function hintAtReading(
	{ messages }: Pick<Run, 'messages'>,
	read: number,
	{ limit = Infinity, needsAll = false }: ReadingCost = {},
): void {
	if (read <= A_FEW) return;
	if (needsAll && limit !== Infinity) {
		messages.hint(
			`${read} records were read, although 'Limit' is ${limit}: the service can neither sort nor tell which records are new.`,
		);
		return;
	}
	const advice = limit === Infinity ? '' : " A lower 'Limit' ends the reading earlier.";
	messages.hint(`${read} records were read, because the service can't filter or count.${advice}`);
}

/**
 * The conditions of an operation as one test.
 *
 * @param filters the parameter `filters`
 * @param matchType `allConditions` or `anyCondition`
 * @param run tells the user of a name that could mean a field, too; knows the time zone
 * @param exact whether it selects records to change: then a near name or an empty value is refused
 * @returns whether a record passes; undefined when there is no condition
 * @throws InputError for an unknown field, condition or match type, or a value that the field cannot hold
 */
export function readFilter(
	filters: unknown,
	matchType: unknown,
	index: FieldIndex,
	{ zone, messages }: Pick<Run, 'zone' | 'messages'>,
	exact: Pick<FilterPlace, 'isExact' | 'hints'> = {},
): RecordTest | undefined {
	const { hint } = messages;
	const place = { ...exact, zone, hint, takesHeld: true };
	return recordTest(readConditions(filters), readMatchType(matchType), index, place);
}

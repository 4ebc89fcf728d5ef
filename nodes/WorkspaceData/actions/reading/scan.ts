/** Reads a card's records page by page, as far as the conditions require it. */
import type { DataRecord } from '../../model/response/record';
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

/** The number of records processed between two yields to the event loop. Up to this number, there is no hint. */
const A_FEW = 100;

/**
 * Reads records of a listing from the start, page by page.
 *
 * @param isLast processes a record; returns true if no further record is needed
 * @param toTheEnd true to read the whole listing; else `isLast` may end it early
 * @returns the number of records processed
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
		// For a further item the listing is in memory, so nothing else would pause.
		await yieldToLoop();
		for (const record of part) {
			read += 1;
			if (isLast(record)) return read;
		}
	}
}

/** The records that an operation looks for. */
export interface Wanted {
	card: CardReference;
	listing: RecordListing;
	/** The conditions, as `readFilter` returns them. */
	filter: RecordTest | undefined;
	/** A test in addition to the conditions, such as a search. */
	passes?: ((record: DataRecord) => boolean) | undefined;
	/** True if all records are read, whatever `isLast` returns. */
	toTheEnd?: boolean;
	cost?: ReadingCost;
}

/**
 * Reads the records that pass. Hints say how many were read, and if some may be missing.
 *
 * @param isLast receives each of them; returns true if no further record is needed
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

/** Adds a hint if pages repeated a record, as others may be missing. @param card the card's name in messages */
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

/** The reasons why reading did not stop at the limit. */
export interface ReadingCost {
	/** The number of results that the user wants; Infinity for all. */
	limit?: number;
	/** True if the first result is known only after everything is read. */
	needsAll?: boolean;
}

/** Adds a hint about the cost of conditions, a search or an order, if more than one page was read. */
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
 * Combines the conditions of an operation into one test.
 *
 * @param filters the parameter 'filters'
 * @param matchType `allConditions` or `anyCondition`
 * @param run adds a hint for a name that may also mean a field; provides the time zone
 * @param exact true if it selects records to change: similar names and empty values are then refused
 * @returns a test that returns true if a record passes; undefined if there are no conditions
 * @throws InputError for an unknown field, condition or match type, or a value that isn't valid for the field
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

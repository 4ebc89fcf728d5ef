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
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import type { RecordListing } from '../../transport/recordListing';

/** The number of records processed between two yields to the event loop. Up to this number, there is no hint. */
const A_FEW = 100;

/**
 * Reads records of a listing from the start, page by page.
 *
 * @param take processes a record; returns true if no further record is needed
 * @param toTheEnd true to read the whole listing; else `take` may end it early
 * @returns the number of records processed
 */
export async function scanRecords(
	{ yieldToLoop }: Pick<Run, 'yieldToLoop'>,
	listing: RecordListing,
	take: (record: DataRecord) => unknown,
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
			if (take(record) === true) return read;
		}
	}
}

/**
 * Reads all records of a card, and again if pages may have skipped some. A hint says if some may be missing.
 *
 * @param begin called before each reading
 * @returns the number of records of the last reading
 */
export async function scanAll(
	run: Pick<Run, 'yieldToLoop' | 'messages' | 'records' | 'writes'>,
	{ card, request }: { card: CardReference; request: ReadOptions },
	take: (record: DataRecord) => void,
	begin: () => void = () => {},
): Promise<number> {
	let read = 0;
	const first = run.records.of(card, Infinity, request, true);
	const scan = async (listing: RecordListing) => {
		begin();
		read = await scanRecords(run, listing, take, true);
	};
	const { listing } = await run.writes.readAll(card, request, scan, first);
	hintAtShift(run, listing, card.name);
	return read;
}

/** The records that an operation looks for. */
export interface Wanted {
	card: CardReference;
	listing: RecordListing;
	/** The conditions, as `readFilter` returns them. */
	filter: RecordTest | undefined;
	/** A test in addition to the conditions, such as a search. */
	passes?: ((record: DataRecord) => boolean) | undefined;
	/** True if all records are read, whatever `take` returns. */
	toTheEnd?: boolean;
	cost?: ReadingCost;
}

/**
 * Reads the records that pass. Hints say how many were read, and if some may be missing.
 *
 * @param take receives each of them; returns true if no further record is needed
 */
export async function readPassing(
	run: Pick<Run, 'yieldToLoop' | 'once' | 'ending' | 'messages'>,
	{ card, listing, filter, passes = filter, toTheEnd = false, cost }: Wanted,
	take: (record: DataRecord) => unknown,
): Promise<void> {
	let isEnough = false;
	const look = (record: DataRecord): boolean => {
		if (!passes || passes(record)) isEnough = take(record) === true;
		return isEnough;
	};
	const read = await scanRecords(run, listing, look, toTheEnd);
	hintAtShift(run, listing, card.name);
	if (!isEnough) filter?.requireSeen();
	if (cost) hintAtReading(run, read, cost);
}

/** Adds a hint if pages repeated a record, as others may be missing. @param card the card's name in messages */
function hintAtShift(
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

/**
 * Adds a hint about the cost of conditions, a search or an order, if more than one page was read. It comes at the end
 * of the run, because each of a thousand items may end its reading elsewhere: the largest number is shown.
 */
export function hintAtReading(
	{ once, ending, messages }: Pick<Run, 'once' | 'ending' | 'messages'>,
	read: number,
	{ limit = Infinity, needsAll = false }: ReadingCost = {},
): void {
	if (read <= A_FEW) return;
	const hintAt = (number: number): string => {
		if (needsAll && limit !== Infinity)
			return `${number} records were read, although 'Limit' is ${limit}: the service can neither sort nor tell which records are new.`;
		const advice = limit === Infinity ? '' : " A lower 'Limit' ends the reading earlier.";
		return `${number} records were read, because the service can't filter or count.${advice}`;
	};
	const most = once(hintAt(0), () => {
		const number = { read };
		ending.whenDone(() => messages.hint(hintAt(number.read)));
		return number;
	});
	most.read = Math.max(most.read, read);
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

/** Reads a card's records page by page, as far as the conditions require it. */
import type { DataRecord } from '../../model/response/record';
import type { CardReference, Run } from '../run/run';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import type { FieldIndex } from '../../records/fieldIndex';
import {
	readConditions,
	readMatchType,
	type FilterPlace,
	recordTest,
	type RecordTest,
} from '../../records/filter';
import { MAX_READINGS, type RecordListing } from '../../transport/recordListing';

/** The number of records processed between two yields to the event loop. */
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
 * Reads all records of a card, and again if pages may have skipped some, because their order has shifted or this
 * process has deleted records meanwhile. A hint says if some may be missing.
 *
 * @param first the first listing, if other items use it as well
 * @returns true if no record can have been skipped
 */
export async function scanAll(
	run: Run,
	{ card, request }: { card: CardReference; request: ReadOptions },
	take: (record: DataRecord) => void,
	first?: RecordListing,
): Promise<boolean> {
	const { log } = run.openCard(card);
	for (let readings = 1; ; readings += 1) {
		const listing = (readings === 1 && first) || run.records.again(card, request);
		const scan = async () => await scanRecords(run, listing, take, true);
		const isSteady = await log.withoutDeletions(scan);
		if (isSteady && !listing.hasShifted) return true;
		if (readings < MAX_READINGS) continue;
		hintAtShift(run, listing, card);
		return false;
	}
}

/** The records that an operation looks for. */
export interface Wanted {
	card: CardReference;
	listing: RecordListing;
	/** The conditions, as `readFilter` returns them. */
	filter: RecordTest | undefined;
	/** A test in addition to the conditions, such as a search. */
	passes?: (record: DataRecord) => boolean;
	/** True if all records are read, whatever `take` returns. */
	toTheEnd?: boolean;
}

/**
 * Reads the records that pass. A hint says if some may be missing.
 *
 * @param take receives each of them; returns true if no further record is needed
 */
export async function readPassing(
	run: Run,
	{ card, listing, filter, passes = filter, toTheEnd = false }: Wanted,
	take: (record: DataRecord) => unknown,
): Promise<void> {
	let isEnough = false;
	const look = (record: DataRecord): boolean => {
		if (!passes || passes(record)) isEnough = take(record) === true;
		return isEnough;
	};
	await scanRecords(run, listing, look, toTheEnd);
	hintAtShift(run, listing, card);
}

/** Adds a hint if pages repeated a record, as others may be missing. */
function hintAtShift({ messages }: Run, listing: RecordListing, { name }: CardReference): void {
	if (!listing.hasShifted) return;
	messages.hint(
		`The pages of card '${name}' showed a record twice, so they may have skipped others. Run the node again while nobody else changes the card`,
	);
}

/**
 * Combines the conditions of an operation into one test.
 *
 * @param filters the parameter 'filters'
 * @param matchType `allConditions` or `anyCondition`
 * @param run provides the time zone
 * @param exact true if it selects records to change: similar names and empty values are then refused
 * @returns a test that returns true if a record passes; undefined if there are no conditions
 * @throws InputError for an unknown field, condition or match type, or a value that isn't valid for the field
 */
export function readFilter(
	filters: unknown,
	matchType: unknown,
	index: FieldIndex,
	{ zone }: Pick<Run, 'zone'>,
	exact: Pick<FilterPlace, 'isExact' | 'hints'> = {},
): RecordTest | undefined {
	const place = { ...exact, zone };
	return recordTest(readConditions(filters), readMatchType(matchType), index, place);
}

import type { DataRecord } from '../../model/record';
import { MAX_PAGE_SIZE, type RecordListing } from '../../transport/listings';
import type { Run } from '../run';

/**
 * Reads records of a listing from the first on, page by page.
 *
 * @param isLast takes a record in; says whether the answer is known with it
 * @returns how many records were looked at
 */
export async function scanRecords(
	{ turn }: Pick<Run, 'turn'>,
	listing: RecordListing,
	isLast: (record: DataRecord) => boolean,
): Promise<number> {
	let read = 0;
	for (;;) {
		const part = await listing.part(read, MAX_PAGE_SIZE);
		if (part.length === 0) return read;
		// For a further item the listing is there already: nothing else would pause.
		await turn();
		for (const record of part) {
			read += 1;
			if (isLast(record)) return read;
		}
	}
}

/** Says what a condition costs, where it was more than a page. */
export function hintAtReading({ hint }: Pick<Run, 'hint'>, read: number, advice = ''): void {
	if (read <= MAX_PAGE_SIZE) return;
	hint(
		`${read} records were read, because the service cannot filter or count.${advice && ` ${advice}`}`,
	);
}

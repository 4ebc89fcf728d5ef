import type { JsonObject } from '../../model/shapes';
import type { Locator } from '../../model/locator';
import type { Run } from '../run';
import { readFilter } from './filters';
import { hintAtReading, scanRecords } from './scan';

/** The parameters of If Record Exists and If Record Does Not Exist. */
interface ExistsParameters {
	cardId: Locator;
	filters: unknown;
	matchType: unknown;
}

/**
 * Passes on an input item, or does not. Reading stops at the first record that meets the conditions;
 * without conditions any record does.
 *
 * @param wanted whether the item is passed on where such a record exists, or where none does
 */
export async function passOnIf(
	run: Run,
	itemIndex: number,
	{ cardId, filters, matchType }: ExistsParameters,
	wanted: boolean,
): Promise<JsonObject[]> {
	const card = await run.card(cardId);
	const passes = readFilter(filters, matchType, await run.fields(card), run);
	let exists = false;
	const read = await scanRecords(run, run.records(card, Infinity), (record) => {
		exists = !passes || passes(record);
		return exists;
	});
	hintAtReading(run, read);
	const item = run.context.getInputData()[itemIndex];
	return exists === wanted && item ? [item.json] : [];
}

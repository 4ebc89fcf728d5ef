import type { FieldIndex } from '../../model/fieldResolution';
import type { JsonObject } from '../../model/shapes';
import { ApiFailure } from '../../transport/failures';
import type { ReadOptions } from '../../transport/listings';
import type { CardReference, Run } from '../run';
import { toRecordData, type ColumnOptions, type Columns } from './columns';

/** What one item writes, and where. */
export interface Write {
	card: CardReference;
	columns: Columns;
	options: ColumnOptions;
	request: ReadOptions;
}

/** Refusals that a field listing which has grown old can explain. */
function blamesFields(error: unknown): boolean {
	return error instanceof ApiFailure && [400, 404, 409, 422].includes(error.problem.status);
}

/**
 * Does an item's work by the field listing of this run. When the service refuses it and the fields have
 * been renamed or replaced since the listing was read, the listing is read once more, and the work done
 * from its start with the new ids.
 *
 * @param work gets the listing and the record data under its ids; has to bear repetition
 */
export async function withLiveFields<Result>(
	run: Run,
	{ card, columns, options, request }: Write,
	work: (index: FieldIndex, data: JsonObject) => Promise<Result>,
): Promise<Result> {
	const index = await run.fields(card, request);
	const data = toRecordData(run, columns, index, options);
	return await work(index, data).catch(async (error: unknown) => {
		if (!blamesFields(error)) throw error;
		// What the service said about the record counts, not what it says about a listing.
		const fresh = await run.freshFields(card, request).catch(() => undefined);
		if (!fresh || fresh === index) throw error;
		const again = toRecordData(run, columns, fresh, options);
		if (Object.keys(again).join() === Object.keys(data).join()) throw error;
		return await work(fresh, again);
	});
}

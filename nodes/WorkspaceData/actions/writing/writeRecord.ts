/** Creates and updates records for the items of a run. */
import type { DataRecord } from '../../model/response/record';
import type { Change } from '../run/changeTrial';
import type { Changed } from '../run/cardWriter';
import { requireData } from './valueConversion';
import { differing, settled } from './difference';
import type { ConvertedValues, ItemWrite } from './itemValues';

/** Creates a record. @param existed as for `CardWriter.create` */
export async function create(
	{ run, columns, writer }: ItemWrite,
	live: ConvertedValues,
	existed?: (id: string) => boolean,
): Promise<DataRecord> {
	const values = Object.entries(settled(live, undefined, live.index, run.zone));
	// There is nothing to clear.
	const sent = Object.fromEntries(values.filter(([, value]) => value !== null));
	return await writer.create(requireData({ data: sent }, columns), existed);
}

/**
 * Updates a record by its ID.
 *
 * @param listed the record, if it was read: only values that differ are sent
 */
export async function updateById(
	write: ItemWrite,
	live: ConvertedValues,
	id: string,
	listed?: DataRecord,
): Promise<Changed> {
	const { run, columns, writer } = write;
	if (listed) {
		requireData(live, columns);
		return await updateFound(write, live, listed);
	}
	const { index } = live;
	const values = settled(live, undefined, index, run.zone);
	requireData({ data: values }, columns);
	const change = { earlier: undefined, values, sent: values, index };
	// The update is always wanted, so there is always a result.
	return (await writer.change(id, () => change)) as Changed;
}

/**
 * Returns the values of an item for a listed record. Only values that the record lacks are sent, or all if this
 * process doesn't know what it has.
 *
 * @throws InputError for an invalid value that it doesn't have
 */
function changeOf(
	{ run, writer, skipsUnchanged }: ItemWrite,
	live: ConvertedValues,
	earlier: DataRecord,
): Omit<Change, 'id'> {
	const { index } = live;
	const values = settled(live, earlier, index, run.zone);
	const isKnown = skipsUnchanged && writer.log.isClear(earlier);
	const sent = isKnown ? differing(earlier, values, index, run.zone) : values;
	return { earlier, values, sent, index };
}

/** Returns true if a listed record needs no write. @throws InputError for an invalid value that it doesn't have */
export const isUnchanged = (...change: Parameters<typeof changeOf>): boolean =>
	Object.keys(changeOf(...change).sent).length === 0;

/**
 * Updates a listed record, unless it already has all values.
 *
 * @param now returns the current record; undefined if it shouldn't be updated. Called right before the update is sent
 * @returns undefined if it wasn't to be updated
 */
export async function updateListed(
	write: ItemWrite,
	live: ConvertedValues,
	id: string,
	now: () => DataRecord | undefined,
): Promise<Changed | undefined> {
	return await write.writer.change(id, () => {
		const earlier = now();
		return earlier && changeOf(write, live, earlier);
	});
}

/** As `updateListed`, for a record found by an item's key, which is always updated. */
export async function updateFound(
	write: ItemWrite,
	live: ConvertedValues,
	earlier: DataRecord,
): Promise<Changed> {
	const now = () => write.writer.log.current(earlier) ?? earlier;
	return (await updateListed(write, live, earlier.id, now)) as Changed;
}

/** Creates and updates records for the items of a run. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import { namesGone } from '../../transport/failure/failures';
import { requireData, type Write } from './valueConversion';
import { differing, settled } from './difference';

/** Returns the fields of a write's card; the predicted ones in a dry run. */
const fieldsOf = async ({ run, card, request, preview }: Write): Promise<FieldIndex> =>
	preview ?? (await run.fields.of(card, request));

/** Creates a record. @param data the values to send, keyed by field ID */
export async function create(write: Write, data: JsonObject): Promise<DataRecord> {
	const { run, columns, writer } = write;
	const sent = settled(requireData(data, columns), undefined, await fieldsOf(write), run.zone);
	return await run.writes.create(writer, sent);
}

/**
 * Updates a record.
 *
 * @param data the values to send, keyed by field ID
 * @param earlier the previous record, if it is known; completes responses that show only a part
 */
export async function update(
	write: Write,
	data: JsonObject,
	id: string,
	earlier?: DataRecord,
): Promise<DataRecord> {
	const { run, columns, writer } = write;
	const index = await fieldsOf(write);
	const sent = settled(data, earlier, index, run.zone);
	if (earlier && Object.keys(sent).length === 0 && Object.keys(data).length > 0) return earlier;
	const change = { earlier, values: requireData(sent, columns), sent };
	// The update is always wanted, so there is always a result.
	return (await run.writes.change(writer, { id, index }, () => change)) as DataRecord;
}

/**
 * Returns the values that a listed record lacks, or all values if this process doesn't know what the record has.
 *
 * @returns undefined if nothing is sent
 */
function changesOf(
	{ run, writer, skipsUnchanged }: Write,
	values: JsonObject,
	earlier: DataRecord,
	index: FieldIndex,
): JsonObject | undefined {
	const isKnown = skipsUnchanged && run.writes.view(writer).isCertain(earlier.id);
	const sent = isKnown ? differing(earlier, values, index, run.zone) : values;
	return Object.keys(sent).length > 0 ? sent : undefined;
}

/** Returns true if a listed record needs no write. @throws InputError for an invalid value that it doesn't have */
export const isUnchanged = (
	write: Write,
	data: JsonObject,
	earlier: DataRecord,
	index: FieldIndex,
): boolean =>
	changesOf(write, settled(data, earlier, index, write.run.zone), earlier, index) === undefined;

/** The outcome of a listed record. */
interface Updated {
	action: 'updated' | 'unchanged';
	record: DataRecord;
}

/**
 * Updates a listed record, unless it already has all values.
 *
 * @param data the new values of the record, keyed by field ID
 * @param index the current field listing
 * @param now returns the current record; undefined if it shouldn't be updated. Called again right before the
 * update is sent
 * @returns undefined if it wasn't to be updated
 */
export async function updateListed(
	write: Write,
	data: JsonObject,
	id: string,
	index: FieldIndex,
	now: () => DataRecord | undefined,
): Promise<Updated | undefined> {
	const { run, columns, writer } = write;
	const known = now();
	if (known && isUnchanged(write, requireData(data, columns), known, index))
		return { action: 'unchanged', record: known };
	const prepare = () => {
		const earlier = now();
		if (!earlier) return undefined;
		const values = settled(data, earlier, index, run.zone);
		return { earlier, values, sent: changesOf(write, values, earlier, index) ?? values };
	};
	const record = await run.writes.change(writer, { id, index }, prepare);
	return record && { action: 'updated', record };
}

const GONE_SINCE =
	"Somebody deleted it after this run had read the card. Run the item again: it then counts as a record that doesn't exist.";

/** As `updateListed`, for a record found by an item's key, which is always updated. */
export async function updateFound(
	write: Write,
	data: JsonObject,
	earlier: DataRecord,
	index: FieldIndex,
): Promise<Updated> {
	const { run, writer } = write;
	const now = () => {
		const current = run.writes.view(writer).current(earlier);
		return current === 'deleted' ? earlier : current;
	};
	const updated = await updateListed(write, data, earlier.id, index, now).catch(
		(error: unknown) => {
			if (namesGone(error, 'record')) run.messages.note(error, GONE_SINCE);
			throw error;
		},
	);
	return updated as Updated;
}

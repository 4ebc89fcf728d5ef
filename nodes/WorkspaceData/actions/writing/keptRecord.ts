/** Checks that a service keeps the values that a change doesn't name, because the interface doesn't specify it. */
import { isEmpty } from '../../model/value/emptyValue';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/shapes';
import type { FieldIndex } from '../../model/fieldIndex';
import { listed } from '../../model/names';
import { UnexpectedResponse } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { keepingServices } from '../run/processState';
import type { Run } from '../run/run';
import type { WritePlace } from '../run/writes';
import { unchangedOption } from '../../ui/writeOptions';

/** A change of some values of a listed record. */
export interface PartialChange {
	writer: WritePlace;
	/** The record before the change. */
	earlier: DataRecord;
	sent: JsonObject;
	index: FieldIndex;
	request: ReadOptions;
}

/** The error if a change of some values has removed the others. */
class ReplacedRecord extends UnexpectedResponse {}

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

/**
 * Returns the fields in which a record has lost a value that wasn't sent. Values that this process wrote recently
 * don't count, because somebody else may have cleared them before.
 */
function lostFields(
	run: Run,
	{ writer, earlier, sent, index }: PartialChange,
	now: DataRecord | undefined,
): string[] {
	const view = run.writes.view(writer);
	return Object.keys(earlier.data).filter(
		(id) =>
			!Object.hasOwn(sent, id) &&
			!isEmpty(ownValue(earlier.data, id)) &&
			isEmpty(now && ownValue(now.data, id)) &&
			index.byId(id)?.isReadOnly === false &&
			!view.hasWritten(earlier.id, id),
	);
}

/**
 * Sends a change of some values of a record. The first one of a run is sent alone until it is known that the service
 * keeps the other values.
 *
 * @param send returns the record in the response, if it shows one
 * @throws UnexpectedResponse if the service has replaced the record
 */
export async function sendPart(
	run: Run,
	change: PartialChange,
	send: () => Promise<DataRecord | undefined>,
): Promise<DataRecord | undefined> {
	const isWhole = lostFields(run, change, undefined).length === 0;
	if (isWhole || keepingServices.get(run.session.baseUrl)) return await send();
	const first = run.once(
		`first change of ${change.writer.card.id}`,
		(): { sent?: Promise<unknown> } => ({}),
	);
	if (first.sent) {
		await first.sent.catch(async (error: unknown) => {
			// Each item has its own other failures.
			if (error instanceof ReplacedRecord) await Promise.reject(error);
		});
		return await send();
	}
	const sending = send().then(async (shown) => {
		await requireKept(run, change, shown);
		return shown;
	});
	first.sent = sending;
	return await sending;
}

/** Reads the card if the response shows no full record. @param shown the response @throws ReplacedRecord */
async function requireKept(
	run: Run,
	change: PartialChange,
	shown: DataRecord | undefined,
): Promise<void> {
	const { writer, earlier, request } = change;
	let missing = lostFields(run, change, shown);
	if (missing.length > 0) {
		const found = await run.records
			.again(writer.card, request)
			.find(earlier.id)
			.catch(() => undefined);
		// Somebody has deleted it, or it can't be read: the next change decides.
		if (!found) return;
		missing = lostFields(run, change, found);
	}
	if (missing.length === 0) {
		keepingServices.set(run.session.baseUrl, true);
		return;
	}
	const names = missing.map((id) => run.messages.withNames(id));
	throw new ReplacedRecord(
		`The service replaced record '${earlier.id}' by the values that were sent`,
		`It had values in ${listed(names, MAX_NAMED)}, and has none there now. No other record was changed. Set the option '${unchangedOption.displayName}' to 'Send Again', map all fields, and run the items again.`,
		true,
	);
}

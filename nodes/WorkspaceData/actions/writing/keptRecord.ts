/** Returns true if a service keeps the values of a record that a change does not name. The interface shows no response to a change. */
import { isEmpty } from '../../model/value/emptyValue';
import type { DataRecord } from '../../model/answer/record';
import { type JsonObject, ownValue } from '../../model/answer/shapes';
import type { FieldIndex } from '../../model/fieldIndex';
import { listed } from '../../model/names';
import { UnexpectedAnswer } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { keepingServices } from '../run/processState';
import type { Run } from '../run/run';
import type { WritePlace } from '../run/writes';
import { unchangedOption } from '../../ui/writeOptions';

/** A change of a part of a listed record. */
export interface PartialChange {
	writer: WritePlace;
	/** The record as it was. */
	earlier: DataRecord;
	/** The values that are sent. */
	sent: JsonObject;
	index: FieldIndex;
	request: ReadOptions;
}

/** A change of some values has removed the others. */
class ReplacedRecord extends UnexpectedAnswer {}

/** Most fields that a message names. */
const MAX_NAMED = 10;

/**
 * The fields in which a record has lost a value that was not sent. What this process wrote lately does not count: somebody else may
 * have cleared it before.
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
 * Sends a change of a part of a record. The first one of a run goes alone until it is known that the service keeps the other
 * values.
 *
 * @param send gives the record in the response, if it shows one
 * @throws UnexpectedAnswer if the service has replaced the record
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
			// Of other failures each item has its own.
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

/** @param shown the record in the response, which may be a part of it, or missing: then the card is read. @throws ReplacedRecord */
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
		// Somebody has deleted it, or it cannot be read: the next change will tell.
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

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
 * Sends a change of some values of a record. Until one has shown that the service keeps the other values, the changes
 * of a run are sent one after the other.
 *
 * @param send returns the record in the response, if it shows one
 * @throws UnexpectedResponse if the service has replaced the record, or an earlier one of the run
 */
export async function sendPart(
	run: Run,
	change: PartialChange,
	send: () => Promise<DataRecord | undefined>,
): Promise<DataRecord | undefined> {
	const isKnown = () => keepingServices.get(run.session.baseUrl) === true;
	const isWhole = lostFields(run, change, undefined).length === 0;
	if (isWhole || isKnown()) return await send();
	const key = `trial of ${change.writer.card.id}`;
	const trial = run.once(key, (): { replaced?: unknown } => ({}));
	const tried = await run.inOrder(key, async () => {
		if (trial.replaced) throw trial.replaced;
		if (isKnown()) return undefined;
		const shown = await send();
		await requireKept(run, change, shown).catch((error: unknown) => {
			trial.replaced = error;
			throw error;
		});
		return { shown };
	});
	return tried ? tried.shown : await send();
}

/** Reads the card if the response shows no full record. @param shown the response @throws UnexpectedResponse */
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
	throw new UnexpectedResponse(
		`The service replaced record '${earlier.id}' by the values that were sent`,
		`It had values in ${listed(names, MAX_NAMED)}, and has none there now. No other record was changed. Set the option '${unchangedOption.displayName}' to 'Send Again', map all fields, and run the items again.`,
		true,
	);
}

/** Checks that a service keeps the values that a change doesn't name, because the interface doesn't specify it. */
import { isEmpty } from '../../model/value/emptyValue';
import type { DataRecord } from '../../model/response/record';
import { ownValue } from '../../model/response/shapes';
import { listed } from '../../model/names';
import { UnexpectedResponse } from '../../transport/failure/failures';
import { keepingServices } from '../run/processState';
import type { Run } from '../run/run';
import type { Change, Writer } from '../run/writes';
import { unchangedOption } from '../../ui/writeOptions';

/** The maximum number of fields in a message. */
const MAX_NAMED = 10;

/** Returns the fields in which a record has lost a value that wasn't sent. */
const lostFields = ({ earlier, sent, index }: Change, now: DataRecord | undefined): string[] =>
	Object.keys(earlier?.data ?? {}).filter(
		(id) =>
			!Object.hasOwn(sent, id) &&
			!isEmpty(ownValue(earlier?.data ?? {}, id)) &&
			isEmpty(now && ownValue(now.data, id)) &&
			index.byId(id)?.isReadOnly === false,
	);

/**
 * Sends a change of a record. If it doesn't name all values, and until one has shown that the service keeps the
 * others, the changes of a run are sent one after the other.
 *
 * @param send returns the record in the response, if it shows one
 * @throws UnexpectedResponse if the service has replaced the record, or an earlier one of the run
 */
export async function sendPart(
	run: Run,
	writer: Pick<Writer, 'card' | 'request'>,
	change: Change,
	send: () => Promise<DataRecord | undefined>,
): Promise<DataRecord | undefined> {
	const isKnown = () => keepingServices.get(run.session.baseUrl) === true;
	if (lostFields(change, undefined).length === 0 || isKnown()) return await send();
	const key = `trial of ${writer.card.id}`;
	const trial = run.once(key, (): { replaced?: Error | undefined } => ({}));
	const tried = await run.inOrder(key, async () => {
		if (isKnown()) return undefined;
		const shown = trial.replaced ? undefined : await send();
		trial.replaced ??= await replacedBy(run, writer, change, shown);
		if (trial.replaced) throw trial.replaced;
		return { shown };
	});
	return tried ? tried.shown : await send();
}

/**
 * Finds out if a change has replaced the record. Reads the card if the response shows no full record.
 *
 * @param shown the record in the response
 */
async function replacedBy(
	run: Run,
	{ card, request }: Pick<Writer, 'card' | 'request'>,
	change: Change,
	shown: DataRecord | undefined,
): Promise<UnexpectedResponse | undefined> {
	const id = change.earlier?.id ?? '';
	let missing = lostFields(change, shown);
	if (missing.length > 0) {
		const listing = run.records.again(card, request);
		const found = await listing.find(id).catch(() => undefined);
		// Somebody has deleted it, or it can't be read: the next change decides.
		if (!found) return undefined;
		missing = lostFields(change, found);
	}
	if (missing.length === 0) {
		keepingServices.set(run.session.baseUrl, true);
		return undefined;
	}
	const names = missing.map((field) => run.messages.withNames(field));
	return new UnexpectedResponse(
		`The service replaced record '${id}' by the values that were sent`,
		`It had values in ${listed(names, MAX_NAMED)}, and has none there now. No other record was changed. Set the option '${unchangedOption.displayName}' to 'Send Again', map all fields, and run the items again.`,
		true,
	);
}

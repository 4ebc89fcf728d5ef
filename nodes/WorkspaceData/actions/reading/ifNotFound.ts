/** The option 'If Not Found': the output of an item whose record doesn't exist. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import { saysGone, type ApiFailure } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { readChoice } from '../readParameters';
import type { CardView } from '../run/cardMemory';
import type { CardReference, Run } from '../run/run';
import { ifNotFoundOption } from '../../ui/ifNotFound';

/**
 * Reads the option 'If Not Found'. It is read immediately, so that an invalid value stops the item before
 * anything is sent.
 *
 * @param policy `error`, `skip` or `empty`
 * @returns a function that returns the output of the item; for `error` it throws the error that it receives
 * @throws InputError for an unknown option value
 */
export function readNotFound(policy: unknown): WhenNotFound {
	const choice = readChoice(ifNotFoundOption, policy) ?? 'error';
	return (error) => {
		if (choice === 'error') throw error;
		return choice === 'skip' ? [] : [{}];
	};
}

/** Returns the output of an item whose record doesn't exist. */
export type WhenNotFound = (error: unknown) => JsonObject[];

/** A card's listing has no such record. */
class RecordMissing extends InputError {}

/**
 * Finds a record. The interface has no request for one, so the listing is read until the record is found, once for all
 * items.
 *
 * @param request how the listing is read
 * @param view in a dry run, returns the listed record as the previous items would have left it
 * @throws RecordMissing if the card has no such record
 */
export async function findRecord(
	{ records }: Run,
	{ card, request }: { card: CardReference; request: ReadOptions },
	recordId: string,
	view?: CardView,
): Promise<DataRecord> {
	const listed = await records.of(card, Infinity, request).find(recordId);
	const record = listed && view ? view.current(listed) : listed;
	if (record && record !== 'deleted') return record;
	throw new RecordMissing(
		`Card '${card.name}' has no record '${recordId}'`,
		"Check 'Record', or set the option 'If Not Found'.",
	);
}

/**
 * Returns true if the record doesn't exist: it isn't listed, or the service itself says so. A missing card or workspace
 * doesn't count, nor does a gateway's 404, which has no problem type.
 */
export const isRecordNotFound = (error: unknown): error is RecordMissing | ApiFailure =>
	error instanceof RecordMissing || saysGone(error, ['record']);

/** Does what the option says after a failure because of a missing record; passes on other failures. */
export const unlessFound =
	(whenNotFound: WhenNotFound) =>
	(error: unknown): JsonObject[] => {
		if (isRecordNotFound(error)) return whenNotFound(error);
		throw error;
	};

/** The option 'If Not Found': the output of an item whose record doesn't exist. */
import { InputError } from '../../values/inputError';
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/jsonObject';
import { saysGone } from '../../transport/failure/failureKinds';
import { readChoice } from '../readParameters';
import type { CardLog } from '../run/cardLog';
import type { CardReference, Run } from '../run/run';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { ifNotFoundOption } from '../../properties/ifNotFound';

/**
 * Reads the option 'If Not Found'. It is read immediately, so that an invalid value stops the item before
 * anything is sent.
 *
 * @param policy `error`, `skip` or `empty`
 * @returns a function that returns the output of an item whose record doesn't exist. It throws the error that it
 * receives for `error`, and if the item has failed for another reason
 * @throws InputError for an unknown option value
 */
export function readNotFound(policy: unknown): (error: unknown) => JsonObject[] {
	const choice = readChoice(ifNotFoundOption, policy) ?? 'error';
	return (error) => {
		// A missing card or workspace doesn't count, nor does a gateway's 404, which has no problem type.
		const isMissing = error instanceof RecordMissing || saysGone(error, ['record']);
		if (choice === 'error' || !isMissing) throw error;
		return choice === 'skip' ? [] : [{}];
	};
}

/** A card has no such record. */
export class RecordMissing extends InputError {}

/**
 * Finds a record. The interface has no request for one, so the listing is read until the record is found, once for all
 * items.
 *
 * @param request how the listing is read
 * @param log returns the listed record as the previous items left it, or in a dry run would have left it
 * @throws RecordMissing if the card has no such record
 */
export async function findRecord(
	{ records }: Run,
	{ card, request }: { card: CardReference; request: ReadOptions },
	recordId: string,
	log?: CardLog,
): Promise<DataRecord> {
	const listed = await records.of(card, Infinity, request).find(recordId);
	const record = listed && log ? log.current(listed) : listed;
	if (record) return record;
	throw new RecordMissing(
		`Card '${card.name}' has no record '${recordId}'`,
		"Check 'Record', or set the option 'If Not Found'.",
	);
}

/** The option 'If Not Found': the output of an item whose record doesn't exist. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/shapes';
import { saysGone, type ApiFailure } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { readChoice } from '../readParameters';
import type { CardView } from '../run/cardMemory';
import type { CardReference, Run } from '../run/run';
import { ifNotFoundOption } from '../../ui/writeOptions';

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

/**
 * Returns one item for a record. The interface has no request for one record, so the listing is read until the record
 * is found, once for all items.
 *
 * @param view in a dry run, returns the listed record as the previous items would have left it
 * @throws InputError if the card has no such record, unless `whenNotFound` says otherwise
 */
export async function withRecord(
	run: Run,
	card: CardReference,
	recordId: string,
	request: ReadOptions,
	whenNotFound: WhenNotFound,
	work: (record: DataRecord) => JsonObject | Promise<JsonObject>,
	view?: CardView,
): Promise<JsonObject[]> {
	const listed = await run.records.of(card, Infinity, request).find(recordId);
	const record = listed && view ? view.current(listed) : listed;
	if (record && record !== 'deleted') return [await work(record)];
	return whenNotFound(
		new InputError(
			`Card '${card.name}' has no record '${recordId}'`,
			"Check 'Record', or set the option 'If Not Found'.",
		),
	);
}

/**
 * Returns true if the service itself says that the record doesn't exist. A missing card or workspace doesn't count,
 * nor does a gateway's 404, which has no problem type.
 */
export const isRecordNotFound = (error: unknown): error is ApiFailure =>
	saysGone(error, ['record']);

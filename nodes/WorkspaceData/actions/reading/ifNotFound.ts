/** The option If Not Found: what an item gives whose record does not exist. */
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import { saysGone, type ApiFailure } from '../../transport/failure/failures';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { readChoice } from '../readParameters';
import type { CardView } from '../run/cardMemory';
import type { CardReference, Run } from '../run/run';
import { ifNotFoundOption } from '../../ui/writeOptions';

/**
 * The output of an item whose record does not exist, as the option If Not Found says. The option is
 * read here and now, so that a value it cannot have stops the item before anything is sent.
 *
 * @param policy `error`, `skip` or `empty`
 * @returns what an item gives; throws the error it is handed for `error`
 * @throws InputError for an unknown option value
 */
export function readNotFound(policy: unknown): WhenNotFound {
	const choice = readChoice(ifNotFoundOption, policy) ?? 'error';
	return (error) => {
		if (choice === 'error') throw error;
		return choice === 'skip' ? [] : [{}];
	};
}

/** Gives the output of an item whose record does not exist. */
export type WhenNotFound = (error: unknown) => JsonObject[];

/**
 * Gives one item for a record. The interface has no request for one record: the listing is read until it
 * comes, once for all items.
 *
 * @param view gives the listed record as items before this one would have left it, in a dry run
 * @throws InputError when the card has no such record, unless `whenNotFound` says otherwise
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
 * Whether the service itself says that the record does not exist; not the card and not the workspace, and not
 * a gateway in its place, whose 404 has no type of problem.
 */
export const isRecordNotFound = (error: unknown): error is ApiFailure =>
	saysGone(error, ['record']);

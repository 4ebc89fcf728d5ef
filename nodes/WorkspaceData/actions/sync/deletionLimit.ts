/** The parameter 'Max Records to Delete' of Sync. */
import { plainText } from '../../model/text';
import { wholeNumber } from '../readParameters';

/** The maximum of deletions if the user sets none. At most half of the records that take part are deleted as well. */
const USUAL_DELETIONS = 100;

export const maxDeletionsProperty = {
	displayName: 'Max Records to Delete',
	name: 'maxDeletions',
	type: 'string',
	default: '',
	placeholder: `At most ${USUAL_DELETIONS}, and at most half`,
	description: 'If more records would be deleted, nothing is sent',
	displayOptions: { show: { missingRecords: ['delete'] } },
} as const;

/** @returns undefined if it is empty @throws InputError for any value except a whole number of at least 0 */
export function readMaxDeletions(value: unknown): number | undefined {
	if (value === undefined || value === null || plainText(value).trim() === '') return undefined;
	const advice = 'Enter how many records may be deleted at most, or leave it empty.';
	return wholeNumber(value, maxDeletionsProperty.displayName, 0, advice);
}

/** The maximum of deletions. @param taking the number of records that take part */
export const deletionLimit = (entered: number | undefined, taking: number): number =>
	entered ?? Math.min(USUAL_DELETIONS, Math.floor(taking / 2));

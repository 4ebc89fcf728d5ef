/** The parameter 'Max Records to Delete' of Sync. */
import { plainText } from '../../model/text';
import { wholeNumber } from '../readParameters';

/** The maximum of deletions if the user sets none. At most half of the records that take part are deleted as well. */
export const USUAL_DELETIONS = 100;

export const maxDeletionsProperty = {
	displayName: 'Max Records to Delete',
	name: 'maxDeletions',
	type: 'string',
	default: '',
	placeholder: `At most ${USUAL_DELETIONS}, and at most half`,
	description: 'If more records would be deleted, nothing is sent',
	displayOptions: { show: { missingRecords: ['delete'] } },
} as const;

/** The maximum of deletions; `none` if no record is to be deleted. */
export type MaxDeletions = number | 'usual' | 'none';

/** @returns `usual` if it is empty @throws InputError for any value except a whole number of at least 0 */
export function readMaxDeletions(value: unknown): MaxDeletions {
	if (value === undefined || value === null || plainText(value).trim() === '') return 'usual';
	const advice = 'Enter how many records may be deleted at most, or leave it empty.';
	return wholeNumber(value, maxDeletionsProperty.displayName, 0, advice);
}

/** The parameter 'Max Records to Delete' of Sync. */
import { plainNumber, plainText } from '../../model/parameterValue';
import { wholeNumber } from '../readParameters';

export const maxDeletionsProperty = {
	displayName: 'Max Records to Delete',
	name: 'maxDeletions',
	type: 'number',
	typeOptions: { minValue: -1 },
	default: 100,
	description:
		'If more records would be deleted, or more than half of those that take part, nothing is sent; -1 means no limit of either kind',
	displayOptions: { show: { missingRecords: ['delete'] } },
} as const;

/** @returns undefined for no limit @throws InputError for any value except -1 and whole numbers of at least 0 */
export function readMaxDeletions(value: unknown): number | undefined {
	if (plainNumber(value) === -1) return undefined;
	const advice = 'Enter how many records may be deleted at most, or -1 for no limit.';
	// Nothing isn't 0.
	const given = plainText(value).trim() === '' ? NaN : value;
	return wholeNumber(given, maxDeletionsProperty.displayName, 0, advice);
}

import { InputError } from '../../model/inputError';
import { plainNumber, plainText } from '../../model/text';

/**
 * How many results are wanted.
 *
 * @param returnAll undefined where the operation has no such parameter
 * @returns Infinity for all
 * @throws InputError when the limit is below 1 or no whole number
 */
export function readLimit(returnAll: unknown, limit: unknown): number {
	if (returnAll === true || returnAll === 'true') return Infinity;
	const number = plainNumber(limit);
	if (Number.isInteger(number) && number >= 1) return number;
	throw new InputError(
		`'Limit' must be a whole number of at least 1, not '${plainText(limit)}'`,
		returnAll === undefined ? 'Enter 1 or more.' : "Enter 1 or more, or turn on 'Return All'.",
	);
}

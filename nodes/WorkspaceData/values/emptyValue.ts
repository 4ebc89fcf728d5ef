/** Which values count as empty: in conditions, order, matching and writing alike. */
import { cleanName } from './nameSpelling';

/**
 * Returns true if there is no value: missing, null, empty text or an empty list. `false` and `0` are
 * values.
 */
export const isEmpty = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	value === '' ||
	(Array.isArray(value) && value.length === 0);

/** Returns true if a person entered no value: nothing, or text without a visible character. */
export const isBlank = (entered: unknown): boolean =>
	isEmpty(entered) || (typeof entered === 'string' && cleanName(entered) === '');

import { InputError } from '../../model/inputError';

/**
 * A text that must not be empty.
 *
 * @param parameter the name that the user sees in the message
 * @throws InputError when it is empty
 */
export function requireText(value: unknown, parameter: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	if (text.trim() !== '') return text;
	throw new InputError(`'${parameter}' is empty`, `Enter a value for '${parameter}'.`);
}

/**
 * The entries of a collection, merged: an empty object among them adds nothing.
 *
 * @param parameter the name that the user sees in the message
 * @throws InputError when there are none: an update would change nothing
 */
export function requireEntries<T extends object>(entries: T, parameter: string): T {
	if (Object.keys(entries).length > 0) return entries;
	throw new InputError(`'${parameter}' is empty`, `Add at least one entry to '${parameter}'.`);
}

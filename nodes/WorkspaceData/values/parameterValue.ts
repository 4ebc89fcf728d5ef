/** Reads values of parameters, which expressions may give any type: text, numbers, names, switches. */
import { InputError } from './inputError';

/**
 * Converts any value of a parameter to text. Objects become JSON, because one with a property called
 * `toString` has no other text.
 */
export const plainText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** The number in a parameter, also if it is text; NaN for all other values. */
export const plainNumber = (value: unknown): number => Number(plainText(value));

/**
 * The names in a parameter: a list, unchanged because names may have outer spaces, or text with commas.
 * Empty names are ignored.
 */
export const plainNames = (value: unknown): string[] => {
	const names = Array.isArray(value)
		? value.map(plainText)
		: plainText(value ?? '')
				.split(',')
				.map((name) => name.trim());
	return names.filter((name) => name.trim() !== '');
};

/**
 * Reads a switch in the options. An expression may return text.
 *
 * @param label the label of the switch in the editor
 * @param fallback the value if the switch was not added
 * @throws InputError for any value except true and false
 */
export function readSwitch(label: string, value: unknown, fallback: boolean): boolean {
	if (value === undefined || value === null) return fallback;
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw new InputError(
		`'${label}' can't be '${plainText(value)}'`,
		'Turn it on or off, or use an expression that gives true or false.',
	);
}

/** Reads values of parameters, which expressions may give any type: text and numbers. */

/**
 * Converts any value of a parameter to text. Objects become JSON, because one with a property called
 * `toString` has no other text.
 */
export const plainText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** The number in a parameter, also if it is text; NaN for all other values. */
export const plainNumber = (value: unknown): number => Number(plainText(value));

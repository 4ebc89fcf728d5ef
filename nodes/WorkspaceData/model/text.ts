/**
 * Whatever a parameter holds, as a text. Objects as JSON: one with a property called `toString` has no
 * other text.
 */
export const plainText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** The number that a parameter holds, also as text; NaN for all else. */
export const plainNumber = (value: unknown): number => Number(plainText(value));

/** The names that a parameter holds: a list, or one text with commas. Blank ones are none. */
export const plainNames = (value: unknown): string[] =>
	(Array.isArray(value) ? value : plainText(value ?? '').split(','))
		.map((name) => plainText(name).trim())
		.filter((name) => name !== '');

/**
 * Whatever a parameter holds, as a text. Objects as JSON: one with a property called `toString` has no
 * other text.
 */
export const plainText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/**
 * Orders texts character by character, for lists that are sorted while n8n loads the nodes: `localeCompare` loads the rules
 * of languages first, which takes as long as all the rest.
 */
export const byCharacter = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** A name for lookups that ignore case, outer spaces, and how letters with marks are composed. */
export const foldCase = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** The number that a parameter holds, also as text; NaN for all else. */
export const plainNumber = (value: unknown): number => Number(plainText(value));

/**
 * The names that a parameter holds: a list, unchanged because names may have outer spaces, or one
 * text with commas. Blank names are ignored.
 */
export const plainNames = (value: unknown): string[] => {
	const names = Array.isArray(value)
		? value.map(plainText)
		: plainText(value ?? '')
				.split(',')
				.map((name) => name.trim());
	return names.filter((name) => name.trim() !== '');
};

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

/** Characters that nobody sees: byte order marks, zero-width spaces, soft hyphens, marks of direction. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g;

/** A name without what a file or a web page brings along: invisible characters, odd and outer spaces, composed in one way. */
export const cleanName = (name: string): string =>
	name.replace(INVISIBLE, '').replace(/\s/g, ' ').trim().normalize('NFC');

/** A name for lookups that ignore case, and what `cleanName` takes away. */
export const foldCase = (name: string): string => cleanName(name).toLowerCase();

/** The names under which services keep a name that may have letters and digits only: `My Col` as `my_col` or `my-col`. */
export const slugsOf = (name: string): string[] => {
	const words = foldCase(name).match(/[\p{L}\p{N}]+/gu) ?? [];
	return [words.join('_'), words.join('-')];
};

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

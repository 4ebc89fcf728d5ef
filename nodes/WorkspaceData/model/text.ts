/**
 * Converts any value of a parameter to text. Objects become JSON, because one with a property called
 * `toString` has no other text.
 */
export const plainText = (value: unknown): string =>
	typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/**
 * Compares text character by character, for lists that are sorted while n8n loads the nodes.
 * `localeCompare` would load language rules first, which takes as long as everything else.
 */
export const byCharacter = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Invisible characters: byte order marks, zero-width spaces, soft hyphens, direction marks. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]/g;

/**
 * Removes what a file or a web page adds to a name: invisible characters, unusual and outer spaces,
 * decomposed letters.
 */
export const cleanName = (name: string): string =>
	name.replace(INVISIBLE, '').replace(/\s/g, ' ').trim().normalize('NFC');

/** A name for lookups that ignore case and whatever `cleanName` removes. */
export const foldCase = (name: string): string => cleanName(name).toLowerCase();

/** Signs that divide words in a name and mean nothing by themselves, unlike `%` or `€`. */
const BETWEEN_WORDS = /[\s_\-/\\|.,:;'"()[\]{}]+/;

/**
 * The names that services use instead of a name if spaces aren't allowed: `Unit/Price (net)` as
 * `unit_price_net` or `unit-price-net`. Signs with a meaning stay, because `Price (€)` isn't `Price`.
 */
export const slugsOf = (name: string): string[] => {
	const words = foldCase(name).split(BETWEEN_WORDS).filter(Boolean);
	return [words.join('_'), words.join('-')];
};

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

/** Half of a surrogate pair: it isn't text and can't be percent-encoded. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export const percentEncoded = (text: string): string =>
	encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'));

/** Joins sentences, and ends each of them before the next begins. Empty ones are left out. */
export const sentences = (...texts: Array<string | false | undefined>): string =>
	texts
		.filter((text): text is string => Boolean(text))
		.map((text, place, all) =>
			place < all.length - 1 && !/[.!?:…]$/.test(text) ? `${text}.` : text,
		)
		.join(' ');

/** The spellings that mean the same name: invisible characters, spaces, case. */

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

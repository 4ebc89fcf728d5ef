/** Finds the names that a person may have meant. */
import { foldCase } from './nameSpelling';
import { quote } from './messageText';

/** Max length of the compared part of a name, in characters. */
const COMPARED_LENGTH = 50;
/** Max similar names in a message. */
const SHOWN_NAMES = 3;
/** One letter in three may differ: "Adress" is similar to "Address", but "Phone" isn't similar to "Name". */
const LETTERS_PER_SLIP = 3;
/** Min length of text that counts as similar to every name that contains it. */
const SHORTEST_PART = 3;

/** Removes case, spaces and punctuation, so that "E-mail" and "email" are equal. */
function fold(name: string): string {
	const lower = foldCase(name).slice(0, COMPARED_LENGTH);
	return lower.replaceAll(/[^\p{L}\p{N}]/gu, '') || lower;
}

/** Returns up to three names that contain `key` or that it may be a typo of, the most similar first. */
export function nearestNames(key: string, names: readonly string[]): string[] {
	const wanted = fold(key);
	return [...new Set(names)]
		.map((name) => ({ name, distance: distanceOf(wanted, fold(name)) }))
		.filter(({ distance }) => distance < Infinity)
		.sort((a, b) => a.distance - b.distance)
		.slice(0, SHOWN_NAMES)
		.map(({ name }) => name);
}

/** A question that suggests similar names, for a message about an unknown `key`; empty if there are none. */
export function askForNearest(key: string, names: readonly string[]): string {
	const near = nearestNames(key, names);
	return near.length > 0 ? `Did you mean ${near.map(quote).join(', ')}?` : '';
}

/** The distance between two folded names; Infinity if they aren't similar. */
function distanceOf(wanted: string, name: string): number {
	const [shorter, longer] = wanted.length < name.length ? [wanted, name] : [name, wanted];
	const slips = Math.max(1, Math.floor(shorter.length / LETTERS_PER_SLIP));
	const difference = longer.length - shorter.length;
	if (shorter.length >= SHORTEST_PART && longer.includes(shorter)) return difference;
	// The distance is at least the difference in length.
	if (difference > slips) return Infinity;
	const distance = hasSameLetters(wanted, name) ? 1 : editDistance(wanted, name);
	return distance <= slips && distance < longer.length ? distance : Infinity;
}

/** Returns true if letters are only swapped. */
const hasSameLetters = (a: string, b: string): boolean =>
	[...a].sort().join('') === [...b].sort().join('');

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, place) => place);
	for (const letter of a.split('')) {
		const next = [(row[0] ?? 0) + 1];
		for (const [place, other] of b.split('').entries()) {
			const replaced = (row[place] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}

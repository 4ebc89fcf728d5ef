/** Longest part of a name that is compared, in characters, and that a message shows. */
const COMPARED_LENGTH = 50;
const SHOWN_LENGTH = 80;

/** A name in a message. */
export const clip = (name: string): string =>
	name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;

const fold = (name: string): string => name.trim().toLowerCase().slice(0, COMPARED_LENGTH);

/** Up to three names, the most similar first. */
export function nearestNames(key: string, names: readonly string[]): string[] {
	const wanted = fold(key);
	const nearest: Array<{ name: string; distance: number }> = [];
	for (const name of new Set(names)) {
		const folded = fold(name);
		const worst = nearest.length < 3 ? Infinity : (nearest[2]?.distance ?? Infinity);
		// Names differ in at least as many letters as in length.
		if (Math.abs(folded.length - wanted.length) >= worst) continue;
		const distance = editDistance(wanted, folded);
		if (distance >= worst) continue;
		nearest.push({ name, distance });
		nearest.sort((a, b) => a.distance - b.distance);
		nearest.length = Math.min(nearest.length, 3);
	}
	return nearest.map(({ name }) => name);
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
	let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i += 1) {
		const current = [i];
		for (let j = 1; j <= b.length; j += 1) {
			const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
			current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
		}
		previous = current;
	}
	return previous[b.length] ?? 0;
}

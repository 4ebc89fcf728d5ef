/** Several choices in one text: separated by commas, although a choice may have commas itself. */

/**
 * Splits a text at the commas between choices. A choice with commas is taken whole where the card
 * knows it; double quotes hold any text together, and two of them stand for one.
 *
 * @param knows whether a text is a choice of the field
 * @returns the parts without outer spaces; empty ones are left out
 */
export function splitChoices(text: string, knows: (choice: string) => boolean): string[] {
	const parts = text.match(/(?:\s*"(?:[^"]|"")*"\s*(?=,|$))|[^,]+/g) ?? [];
	const chosen: string[] = [];
	for (let start = 0; start < parts.length; ) {
		const end = longestChoice(parts, start, knows);
		const part = parts.slice(start, end).join(',').trim();
		const quoted = /^"((?:[^"]|"")*)"$/.exec(part);
		chosen.push(quoted && !knows(part) ? (quoted[1] ?? '').replaceAll('""', '"') : part);
		start = end;
	}
	return chosen.map((part) => part.trim()).filter((part) => part !== '');
}

/** Parts that one choice may be made of. */
const MAX_PARTS = 10;

/** Where the longest known choice ends that starts at a part; else after that part. */
function longestChoice(
	parts: readonly string[],
	start: number,
	knows: (choice: string) => boolean,
): number {
	for (let end = Math.min(parts.length, start + MAX_PARTS); end > start + 1; end -= 1) {
		if (knows(parts.slice(start, end).join(',').trim())) return end;
	}
	return start + 1;
}

/** A choice as it stands in such a text: in quotes where it has commas or quotes itself. */
export const quoteChoice = (choice: string): string =>
	/[",]/.test(choice) ? `"${choice.replaceAll('"', '""')}"` : choice;

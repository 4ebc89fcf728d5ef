/** Looks how deep and how rich a JSON text is before it is parsed, which costs far more. */

/** Bounds of a JSON text. */
export interface Complexity {
	/** Levels of arrays and objects. */
	depth: number;
	/** Members of objects, in all. */
	keys: number;
	/** Elements of arrays and members of objects, in all. */
	values: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const [openArray, openObject, closeArray, closeObject] = [0x5b, 0x7b, 0x5d, 0x7d];

/** Bytes of a string after which its end is searched for as a whole: most strings are shorter. */
const shortString = 64;

/** Whether the quote at a place is escaped: an odd number of backslashes is before it, back to where its string begins. */
function isEscaped(text: Buffer, at: number, begin: number): boolean {
	let first = at;
	while (first > begin && text[first - 1] === backslash) first -= 1;
	return (at - first) % 2 === 1;
}

/** The place of the quote that ends a string; the length of the text where there is none. */
function endOfString(text: Buffer, begin: number): number {
	let at = begin;
	for (;;) {
		const near = Math.min(text.length, at + shortString);
		for (; at < near; at++) {
			const byte = text[at];
			if (byte === quote) return at;
			if (byte === backslash) at += 1;
		}
		if (at >= text.length) return text.length;
		// A backslash before this place has taken the byte before it.
		const from = at;
		const found = text.indexOf(quote, from);
		if (found === -1) return text.length;
		if (!isEscaped(text, found, from)) return found;
		at = found + 1;
	}
}

/**
 * Finds the bound that a JSON text exceeds, without parsing it. Of a text that is no JSON, it may find one, too.
 * @returns the bound, or undefined
 */
export function exceededBound(text: Buffer, most: Complexity): keyof Complexity | undefined {
	let [depth, keys, values] = [0, 0, 0];
	for (let at = 0; at < text.length; at++) {
		const byte = text[at];
		if (byte === quote) {
			at = endOfString(text, at + 1);
			continue;
		}
		if (byte === comma) values += 1;
		else if (byte === colon) keys += 1;
		else if (byte === openArray || byte === openObject) depth += 1;
		else if (byte === closeArray || byte === closeObject) depth -= 1;
		else continue;
		if (depth > most.depth) return 'depth';
		if (keys > most.keys) return 'keys';
		if (values > most.values) return 'values';
	}
	return undefined;
}

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

/**
 * Finds the bound that a JSON text exceeds, without parsing it. Of a text that is no JSON, it may find one, too.
 * @returns the bound, or undefined
 */
export function exceededBound(text: Buffer, most: Complexity): keyof Complexity | undefined {
	let [depth, keys, values] = [0, 0, 0];
	let isString = false;
	for (let at = 0; at < text.length; at++) {
		const byte = text[at];
		if (isString) {
			if (byte === backslash) at += 1;
			else if (byte === quote) isString = false;
		} else if (byte === quote) isString = true;
		else if (byte === comma) values += 1;
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

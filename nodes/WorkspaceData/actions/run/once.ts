/** Work that the items of a run share: it is done for the first item that asks. */

/**
 * The result of some work, done once for each key.
 *
 * @param key a text, or an object that items share, such as a parameter value without expressions
 */
export type Once = <Result>(key: string | object, work: () => Result) => Result;

/** Creates the memory of a run. A promise is kept whether it is fulfilled or rejected. */
export function createOnce(): Once {
	const results = new Map<unknown, unknown>();
	return <Result>(key: string | object, work: () => Result): Result => {
		if (!results.has(key)) results.set(key, work());
		// Each key belongs to one place in the code, which gives it results of one type.
		return results.get(key) as Result;
	};
}

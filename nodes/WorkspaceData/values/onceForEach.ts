/** Makes a function that works once for each object, for what thousands of values share. */
export function onceForEach<Key extends object, Result>(
	work: (key: Key) => Result,
): (key: Key) => Result {
	const known = new WeakMap<Key, Result>();
	return (key) => {
		if (!known.has(key)) known.set(key, work(key));
		return known.get(key) as Result;
	};
}

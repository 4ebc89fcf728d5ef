/** The value of a key; created if missing. */
export function getOrCreate<Key, Value>(
	map: Map<Key, Value>,
	key: Key,
	create: () => Value,
): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const value = create();
	map.set(key, value);
	return value;
}

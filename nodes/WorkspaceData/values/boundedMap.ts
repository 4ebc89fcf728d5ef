/**
 * A map that forgets the least recently used entry when it is full, so that the data in the process between
 * executions can't grow without limit.
 */
export class BoundedMap<K, V> {
	private readonly entries = new Map<K, V>();

	private readonly capacity: number;

	/** @param capacity the max number of entries */
	constructor(capacity: number) {
		this.capacity = capacity;
	}

	get(key: K): V | undefined {
		const value = this.entries.get(key);
		if (value !== undefined) {
			this.entries.delete(key);
			this.entries.set(key, value);
		}
		return value;
	}

	/** Returns the value of a key. Creates and keeps it if there is none. */
	getOrCreate(key: K, create: () => V): V {
		const known = this.get(key);
		if (known !== undefined) return known;
		const value = create();
		this.set(key, value);
		return value;
	}

	set(key: K, value: V): void {
		this.entries.delete(key);
		this.entries.set(key, value);
		if (this.entries.size > this.capacity) {
			const [oldest] = this.entries.keys();
			if (oldest !== undefined) this.entries.delete(oldest);
		}
	}

	delete(key: K): void {
		this.entries.delete(key);
	}
}

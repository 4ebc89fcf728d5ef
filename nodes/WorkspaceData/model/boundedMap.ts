/**
 * A map that forgets the entry that was used longest ago once it is full, so that the data kept in
 * the process between executions cannot grow without end.
 */
export class BoundedMap<K, V> {
	private readonly entries = new Map<K, V>();

	private readonly capacity: number;

	/** @param capacity the most entries that are kept */
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

	/** The value of a key; made and kept when there is none. */
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

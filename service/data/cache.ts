/** Rows that are asked for with every request, kept in memory until they change. */
import { FifoMap } from 'toad-cache';
import type { Database } from './database.ts';

/** Keys that are kept; beyond, the oldest entry goes. */
const maximumKept = 1_000;

/** What was read last, by key. It keeps no undefined values. */
export class Cache<Value> {
	readonly #kept = new FifoMap<Value>(maximumKept);
	readonly #read: (key: string) => Value;

	constructor(database: Database, read: (key: string) => Value) {
		this.#read = read;
		database.caches.push(this);
	}

	/** Returns what is kept, or else reads it. */
	get(key: string): Value {
		const value = this.#kept.get(key) ?? this.#read(key);
		if (value !== undefined) this.#kept.set(key, value);
		return value;
	}

	/** Forgets what changes. */
	forget(key: string): void {
		this.#kept.delete(key);
	}

	/** Forgets everything. */
	clear(): void {
		this.#kept.clear();
	}
}

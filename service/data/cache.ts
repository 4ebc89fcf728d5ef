/** Rows that are asked for with every request, kept in memory until they change. */
import { FifoMap } from 'toad-cache';
import type { Database } from './database.ts';

/** Keys that are kept; beyond, the oldest entry goes. */
const maximumKept = 1_000;

/** What was read last, by key. */
export class Cache<Value extends object> {
	readonly #kept = new FifoMap<Value>(maximumKept);
	readonly #database: Database;
	readonly #read: (key: string) => Value;

	constructor(database: Database, read: (key: string) => Value) {
		this.#database = database;
		this.#read = read;
	}

	/** Returns what is kept, or else reads it. */
	get(key: string): Value {
		const known = this.#kept.get(key);
		if (known) return known;
		const value = this.#read(key);
		this.#kept.set(key, value);
		return value;
	}

	/** Forgets what changes, also if the change is rolled back after it was read again. */
	forget(key: string): void {
		this.#kept.delete(key);
		this.#database.afterRollback(() => this.#kept.delete(key));
	}
}

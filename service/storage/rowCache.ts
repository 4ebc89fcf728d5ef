/** Rows that are asked for all the time, kept in memory until they change. */
import { FifoMap } from 'toad-cache';
import type { Database } from './database.ts';

/** What was read lately, by key. */
export interface RowCache<Value> {
	/** What is kept, or else what is read now. */
	get(key: string): Value;
	/** Forgets what changes; again, should the change be rolled back after it was read once more. */
	forget(key: string): void;
	/** Puts a new value in the place of the old one, for as long as the change under way holds. */
	replace(key: string, value: Value): void;
}

/**
 * Makes a cache over what `read` gives.
 * @param maximumKept keys; beyond, the oldest entry goes
 */
export function createRowCache<Value extends object>(
	{ afterRollback }: Pick<Database, 'afterRollback'>,
	read: (key: string) => Value,
	maximumKept = 1_000,
): RowCache<Value> {
	const kept = new FifoMap<Value>(maximumKept);
	return {
		get(key) {
			const known = kept.get(key);
			if (known) return known;
			const value = read(key);
			kept.set(key, value);
			return value;
		},
		forget(key) {
			kept.delete(key);
			afterRollback(() => kept.delete(key));
		},
		replace(key, value) {
			kept.set(key, value);
			afterRollback(() => kept.delete(key));
		},
	};
}

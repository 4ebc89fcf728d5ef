/** IDs of records: ULIDs that only ever rise. */
import { monotonicFactory } from 'ulid';
import type { Database } from './database.ts';

/** How far ahead the time in record IDs is noted, in ms: noting each would cost a write for every record. */
const reservedMs = 60_000;

/**
 * Makes the IDs. They keep rising after a restart and if a clock steps back, or a cursor would miss records.
 * @see https://github.com/ulid/spec
 */
export class RecordIds {
	readonly #database: Database;
	// They identify and protect nothing, so their random part need not be cryptographic (and is faster so).
	readonly #ulid = monotonicFactory(Math.random);
	#reserved: number;
	#floor: number;

	constructor(database: Database) {
		this.#database = database;
		this.#reserved = Number(database.meta('reservedRecordTime') ?? 0);
		this.#floor = this.#reserved;
	}

	/** The ID of a record that is made now, in ms since 1970; belongs into the transaction that makes it. */
	next(now: number): string {
		this.#floor = Math.max(this.#floor, now);
		if (this.#floor >= this.#reserved) {
			this.#reserved = this.#floor + reservedMs;
			this.#database.setMeta('reservedRecordTime', String(this.#reserved));
		}
		return this.#ulid(this.#floor);
	}
}

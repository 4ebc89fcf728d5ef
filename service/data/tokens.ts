/** Access tokens, and what else the OpenID provider keeps. */
import type { Clock } from '../foundation/clock.ts';
import { hashSecret } from '../foundation/secrets.ts';
import type { Database } from './database.ts';

/**
 * The objects that the OpenID provider keeps, by model and by the hash of the identifier (which is the token). They
 * expire by a clock that never steps. A start with a clock that was set back would prolong them, so what they have left
 * is cut to the life that they were issued with.
 */
export class Tokens {
	readonly #database: Database;
	readonly #clock: Pick<Clock, 'steady'>;

	constructor(database: Database, clock: Pick<Clock, 'steady'>) {
		this.#database = database;
		this.#clock = clock;
		database.run(
			`UPDATE tokens SET expires_at = MIN(expires_at,
				?1 + 1000 * (json_extract(payload, '$.exp') - json_extract(payload, '$.iat')))
			WHERE json_extract(payload, '$.exp') IS NOT NULL`,
			this.#now(),
		);
	}

	/** Stores a payload without its `jti`, which is the token itself. */
	upsert(
		model: string,
		id: string,
		{ jti: _token, ...kept }: Record<string, unknown>,
		lifeSeconds?: number,
	): void {
		const clientId = typeof kept.clientId === 'string' ? kept.clientId : null;
		const expiresAt = lifeSeconds === undefined ? null : this.#now() + lifeSeconds * 1000;
		this.#database.run('DELETE FROM tokens WHERE expires_at <= ?', this.#now());
		this.#database.run(
			'INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?)',
			...[model, hashSecret(id), clientId, JSON.stringify(kept), expiresAt],
		);
	}

	/** Finds what has not expired. */
	find(model: string, id: string): Record<string, unknown> | undefined {
		const row = this.#database.get<{ payload: string }>(
			`SELECT payload FROM tokens WHERE model = ? AND hash = ?
			AND (expires_at IS NULL OR expires_at > ?)`,
			...[model, hashSecret(id), this.#now()],
		);
		return row && { ...(JSON.parse(row.payload) as Record<string, unknown>), jti: id };
	}

	/** Deletes one. */
	remove(model: string, id: string): void {
		const sql = 'DELETE FROM tokens WHERE model = ? AND hash = ?';
		this.#database.run(sql, model, hashSecret(id));
	}

	#now(): number {
		return Math.round(this.#clock.steady());
	}
}

/** Access tokens and what else the OpenID provider keeps. */
import type { Clock } from '../foundation/clock.ts';
import { hashSecret } from '../foundation/secrets.ts';
import type { Database } from './database.ts';

/**
 * The objects that the OpenID provider keeps, by model and by the hash of the identifier (which is the token).
 * They expire by a clock that never steps. A start with a clock that was set back would prolong them, so what they
 * have left is cut to the life that they were issued with. Prepares the statements.
 */
export function createTokenStore({ sql }: Database, clock: Pick<Clock, 'steady'>) {
	const upsert = sql.prepare('INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?)');
	const find = sql.prepare(
		`SELECT payload FROM tokens WHERE model = ? AND hash = ?
		AND (expires_at IS NULL OR expires_at > ?)`,
	);
	const remove = sql.prepare('DELETE FROM tokens WHERE model = ? AND hash = ?');
	const prune = sql.prepare('DELETE FROM tokens WHERE expires_at <= ?');

	sql
		.prepare(
			`UPDATE tokens SET expires_at = MIN(expires_at,
				?1 + 1000 * (json_extract(payload, '$.exp') - json_extract(payload, '$.iat')))
			WHERE expires_at IS NOT NULL AND json_extract(payload, '$.exp') IS NOT NULL`,
		)
		.run(Math.round(clock.steady()));

	return {
		/** Stores a payload without its `jti`, which is the token itself. */
		upsert(
			model: string,
			id: string,
			{ jti: _token, ...payload }: Record<string, unknown>,
			expiresInSeconds: number | undefined,
		) {
			const now = Math.round(clock.steady());
			prune.run(now);
			upsert.run(
				model,
				hashSecret(id),
				typeof payload.clientId === 'string' ? payload.clientId : null,
				JSON.stringify(payload),
				expiresInSeconds === undefined ? null : now + expiresInSeconds * 1000,
			);
		},
		find(model: string, id: string): Record<string, unknown> | undefined {
			const row = find.get(model, hashSecret(id), Math.round(clock.steady())) as
				| { payload: string }
				| undefined;
			return row && { ...(JSON.parse(row.payload) as Record<string, unknown>), jti: id };
		},
		remove(model: string, id: string) {
			remove.run(model, hashSecret(id));
		},
	};
}

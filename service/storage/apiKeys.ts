/** API keys, by their hashes. */
import { FifoMap } from 'toad-cache';
import type { Clock } from '../foundation/clock.ts';
import { hashSecret, newApiKey, newId } from '../foundation/secrets.ts';
import type { Tier } from '../foundation/tiers.ts';
import type { Database } from './database.ts';

/** An API key as it can be shown: the key itself is not stored. */
export interface ApiKey {
	id: string;
	workspaceId: string;
	name: string;
	/** Prefix and last four characters. */
	hint: string;
	createdAt: string;
	revokedAt: string | null;
	/** Its rate limit; null for everybody's. */
	tier: Tier | null;
}

const columns = `id, workspace_id AS workspaceId, name, hint, created_at AS createdAt,
	revoked_at AS revokedAt, tier`;

/** Keys that are kept in memory. */
const maximumKeysInUse = 10_000;

/** All API keys. Prepares the statements. */
export function createApiKeyStore({ sql }: Database, clock: Clock) {
	const insert = sql.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, NULL, ?)');
	const byHash = sql.prepare(`SELECT ${columns} FROM api_keys WHERE hash = ?`);
	const ofWorkspace = sql.prepare(
		`SELECT ${columns} FROM api_keys WHERE workspace_id = ? ORDER BY created_at, id`,
	);
	const revoke = sql.prepare(
		'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
	);
	const restore = sql.prepare(
		'UPDATE api_keys SET workspace_id = ?, revoked_at = NULL WHERE hash = ?',
	);

	/** Keys in use, by hash: asked for at every request, so kept in memory until a key changes. */
	const inUse = new FifoMap<ApiKey>(maximumKeysInUse);
	const read = (hash: string) => {
		const known = inUse.get(hash) ?? (byHash.get(hash) as ApiKey | undefined);
		if (known) inUse.set(hash, known);
		return known;
	};

	return {
		/** Creates a key; the returned `apiKey` is shown nowhere else, only its hash is kept. */
		createKey(workspaceId: string, name: string, apiKey = newApiKey(), tier: Tier | null = null) {
			const id = newId('key');
			const hint = apiKey.length > 24 ? `${apiKey.slice(0, 9)}…${apiKey.slice(-4)}` : '…';
			insert.run(id, workspaceId, name, hashSecret(apiKey), hint, clock.iso(), tier);
			return { id, apiKey };
		},
		/** The key behind a presented bearer value, revoked ones included. */
		findKey: (presented: string): ApiKey | undefined => read(hashSecret(presented)),
		keys(workspaceId: string) {
			return ofWorkspace.all(workspaceId) as unknown as ApiKey[];
		},
		/** @returns whether there was such a live key */
		revokeKey(id: string) {
			inUse.clear();
			return revoke.run(clock.iso(), id).changes > 0;
		},
		/** Makes a known key valid again; for starts that name the key they want. */
		restoreKey(workspaceId: string, apiKey: string) {
			inUse.delete(hashSecret(apiKey));
			return restore.run(workspaceId, hashSecret(apiKey)).changes > 0;
		},
	};
}

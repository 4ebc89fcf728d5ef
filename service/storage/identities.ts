/** Who may call: workspaces, API keys and service accounts. */
import type { Clock } from '../foundation/clock.ts';
import { hashSecret, newApiKey, newId, newSecret, secretMatches } from '../foundation/secrets.ts';
import { FifoMap } from 'toad-cache';
import type { Tier } from '../foundation/tiers.ts';
import type { Database } from './database.ts';

/** Roles of a service account, least first (DECISIONS.md, part 5). */
export const roles = ['viewer', 'editor', 'admin'] as const;
/** The rights of a service account: read; read and change; the same, kept for the settings. */
export type Role = (typeof roles)[number];

/** A workspace as stored. */
export interface Workspace {
	id: string;
	name: string;
	ownerEmail: string;
}

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

/** A service account as it can be shown: the secret is not stored. */
export interface Account {
	clientId: string;
	workspaceId: string;
	name: string;
	role: Role;
	secretHash: string;
	createdAt: string;
	revokedAt: string | null;
	/** Its rate limit; null for everybody's. */
	tier: Tier | null;
}

/** Who may call: workspaces, API keys and service accounts. */
export type IdentityStore = ReturnType<typeof createIdentityStore>;

const keyColumns = `id, workspace_id AS workspaceId, name, hint, created_at AS createdAt,
	revoked_at AS revokedAt, tier`;
const accountColumns = `client_id AS clientId, workspace_id AS workspaceId, name, role,
	secret_hash AS secretHash, created_at AS createdAt, revoked_at AS revokedAt, tier`;

/** Keys that are kept in memory. */
const maximumKeysInUse = 10_000;

/** Prepares the statements and gives the store. */
export function createIdentityStore({ sql, transaction, meta, setMeta }: Database, clock: Clock) {
	const workspaceById = sql.prepare(
		'SELECT id, name, owner_email AS ownerEmail FROM workspaces WHERE id = ?',
	);
	const workspaceIds = sql.prepare('SELECT id FROM workspaces');
	const insertWorkspace = sql.prepare('INSERT INTO workspaces VALUES (?, ?, ?, ?)');
	const insertKey = sql.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, NULL, ?)');
	const keyByHash = sql.prepare(`SELECT ${keyColumns}, hash FROM api_keys WHERE hash = ?`);
	const keysOf = sql.prepare(
		`SELECT ${keyColumns} FROM api_keys WHERE workspace_id = ? ORDER BY created_at, id`,
	);
	const revokeKey = sql.prepare(
		'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
	);
	const restoreKey = sql.prepare(
		'UPDATE api_keys SET workspace_id = ?, revoked_at = NULL WHERE hash = ?',
	);
	const insertAccount = sql.prepare('INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, NULL, ?)');
	const accountById = sql.prepare(`SELECT ${accountColumns} FROM accounts WHERE client_id = ?`);
	const accountsOf = sql.prepare(
		`SELECT ${accountColumns} FROM accounts WHERE workspace_id = ? ORDER BY created_at, client_id`,
	);
	const revokeAccount = sql.prepare(
		'UPDATE accounts SET revoked_at = ? WHERE client_id = ? AND revoked_at IS NULL',
	);
	const restoreAccount = sql.prepare(
		'UPDATE accounts SET workspace_id = ?, secret_hash = ?, revoked_at = NULL WHERE client_id = ?',
	);
	const deleteTokens = sql.prepare('DELETE FROM tokens WHERE client_id = ?');

	type KeyRow = ApiKey & { hash: string };
	/** Keys in use, by hash: asked for at every request, so kept in memory until a key changes. */
	const keysInUse = new FifoMap<KeyRow>(maximumKeysInUse);
	const readKey = (hash: string) => {
		const known = keysInUse.get(hash) ?? (keyByHash.get(hash) as KeyRow | undefined);
		if (known) keysInUse.set(hash, known);
		return known;
	};

	return {
		workspace(id: string) {
			return workspaceById.get(id) as Workspace | undefined;
		},
		workspaceIds() {
			return (workspaceIds.all() as Array<{ id: string }>).map(({ id }) => id);
		},
		/** The workspace that the file names as its own: the first that was made. */
		defaultWorkspace() {
			return workspaceById.get(meta('defaultWorkspace') ?? '') as Workspace | undefined;
		},
		createWorkspace(name: string, ownerEmail: string, id = newId('wsp')): Workspace {
			insertWorkspace.run(id, name, ownerEmail, clock.iso());
			if (meta('defaultWorkspace') === undefined) setMeta('defaultWorkspace', id);
			return { id, name, ownerEmail };
		},

		/** Creates a key; the returned `apiKey` is shown nowhere else, only its hash is kept. */
		createKey(workspaceId: string, name: string, apiKey = newApiKey(), tier: Tier | null = null) {
			const id = newId('key');
			const hint = apiKey.length > 24 ? `${apiKey.slice(0, 9)}…${apiKey.slice(-4)}` : '…';
			insertKey.run(id, workspaceId, name, hashSecret(apiKey), hint, clock.iso(), tier);
			return { id, apiKey };
		},
		/** The key behind a presented bearer value, revoked ones included. */
		findKey(presented: string) {
			const row = readKey(hashSecret(presented));
			return row && secretMatches(presented, row.hash) ? row : undefined;
		},
		keys(workspaceId: string) {
			return keysOf.all(workspaceId) as unknown as ApiKey[];
		},
		/** @returns whether there was such a live key */
		revokeKey(id: string) {
			keysInUse.clear();
			return revokeKey.run(clock.iso(), id).changes > 0;
		},
		/** Makes a known key valid again; for starts that name the key they want. */
		restoreKey(workspaceId: string, apiKey: string) {
			keysInUse.delete(hashSecret(apiKey));
			return restoreKey.run(workspaceId, hashSecret(apiKey)).changes > 0;
		},

		/** Creates an account; the returned `clientSecret` is shown nowhere else. */
		createAccount(
			workspaceId: string,
			name: string,
			role: Role,
			clientId = newId('sa'),
			clientSecret = newSecret(),
			tier: Tier | null = null,
		) {
			const hash = hashSecret(clientSecret);
			insertAccount.run(clientId, workspaceId, name, role, hash, clock.iso(), tier);
			return { clientId, clientSecret };
		},
		account(clientId: string) {
			return accountById.get(clientId) as Account | undefined;
		},
		accounts(workspaceId: string) {
			return accountsOf.all(workspaceId) as unknown as Account[];
		},
		/** Makes a known account active in a workspace; for starts that name it. Another secret ends its tokens. */
		restoreAccount(workspaceId: string, clientId: string, clientSecret: string) {
			const known = this.account(clientId);
			const same =
				known?.workspaceId === workspaceId && secretMatches(clientSecret, known.secretHash);
			if (!same) deleteTokens.run(clientId);
			restoreAccount.run(workspaceId, hashSecret(clientSecret), clientId);
		},
		/** Revokes an account and deletes its tokens, in one transaction. */
		revokeAccount(clientId: string) {
			return transaction(() => {
				deleteTokens.run(clientId);
				return revokeAccount.run(clock.iso(), clientId).changes > 0;
			});
		},
		/** Deletes an account's tokens; it can get new ones. @returns how many there were */
		revokeTokens(clientId: string) {
			return Number(deleteTokens.run(clientId).changes);
		},
	};
}

/** Service accounts and their roles. */
import type { Clock } from '../foundation/clock.ts';
import { hashSecret, newId, newSecret, secretMatches } from '../foundation/secrets.ts';
import type { Tier } from '../foundation/tiers.ts';
import type { Database } from './database.ts';

/** Roles of a service account, least first (DECISIONS.md, part 5). */
export const roles = ['viewer', 'editor', 'admin'] as const;
/** The rights of a service account: read; read and change; the same, kept for the settings. */
export type Role = (typeof roles)[number];

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

const columns = `client_id AS clientId, workspace_id AS workspaceId, name, role,
	secret_hash AS secretHash, created_at AS createdAt, revoked_at AS revokedAt, tier`;

/** All service accounts. Prepares the statements. */
export function createAccountStore({ sql, transaction }: Database, clock: Clock) {
	const insert = sql.prepare('INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, NULL, ?)');
	const one = sql.prepare(`SELECT ${columns} FROM accounts WHERE client_id = ?`);
	const ofWorkspace = sql.prepare(
		`SELECT ${columns} FROM accounts WHERE workspace_id = ? ORDER BY created_at, client_id`,
	);
	const revoke = sql.prepare(
		'UPDATE accounts SET revoked_at = ? WHERE client_id = ? AND revoked_at IS NULL',
	);
	const restore = sql.prepare(
		'UPDATE accounts SET workspace_id = ?, secret_hash = ?, revoked_at = NULL WHERE client_id = ?',
	);
	const deleteTokens = sql.prepare('DELETE FROM tokens WHERE client_id = ?');
	const find = (clientId: string) => one.get(clientId) as Account | undefined;

	return {
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
			insert.run(clientId, workspaceId, name, role, hash, clock.iso(), tier);
			return { clientId, clientSecret };
		},
		account: find,
		accounts(workspaceId: string) {
			return ofWorkspace.all(workspaceId) as unknown as Account[];
		},
		/** Makes a known account active in a workspace; for starts that name it. Another secret ends its tokens. */
		restoreAccount(workspaceId: string, clientId: string, clientSecret: string) {
			const known = find(clientId);
			const same =
				known?.workspaceId === workspaceId && secretMatches(clientSecret, known.secretHash);
			if (!same) deleteTokens.run(clientId);
			restore.run(workspaceId, hashSecret(clientSecret), clientId);
		},
		/** Revokes an account and deletes its tokens, in one transaction. */
		revokeAccount(clientId: string) {
			return transaction(() => {
				deleteTokens.run(clientId);
				return revoke.run(clock.iso(), clientId).changes > 0;
			});
		},
		/** Deletes an account's tokens; it can get new ones. @returns how many there were */
		revokeTokens(clientId: string) {
			return Number(deleteTokens.run(clientId).changes);
		},
	};
}

/** Who may call: workspaces, API keys and service accounts. */
import type { Clock } from '../foundation/clock.ts';
import { hashSecret, newApiKey, newId, newSecret, secretMatches } from '../foundation/secrets.ts';
import type { Role } from '../foundation/settings.ts';
import { Cache } from './cache.ts';
import type { Database } from './database.ts';

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
}

/** A service account as it can be shown: the secret is not stored. */
export interface Account extends Omit<ApiKey, 'id' | 'hint'> {
	clientId: string;
	role: Role;
	secretHash: string;
}

/** Who is to be made: missing values are generated. */
interface NewAccount {
	name: string;
	role: Role;
	clientId?: string | undefined;
	clientSecret?: string | undefined;
}

const common =
	'workspace_id AS workspaceId, name, created_at AS createdAt, revoked_at AS revokedAt';
const keyColumns = `id, hint, ${common}`;
const accountColumns = `client_id AS clientId, role, secret_hash AS secretHash, ${common}`;

/** Workspaces, API keys and service accounts. */
export class Identities {
	readonly #database: Database;
	readonly #clock: Clock;
	/** Keys by hash: asked for with every request. */
	readonly #keys: Cache<ApiKey | undefined>;

	constructor(database: Database, clock: Clock) {
		this.#database = database;
		this.#clock = clock;
		const sql = `SELECT ${keyColumns} FROM api_keys WHERE hash = ?`;
		this.#keys = new Cache(database, (hash) => database.get(sql, hash));
	}

	workspace(id: string): Workspace | undefined {
		const sql = 'SELECT id, name, owner_email AS ownerEmail FROM workspaces WHERE id = ?';
		return this.#database.get(sql, id);
	}

	createWorkspace(name: string, ownerEmail: string, id = newId('wsp')): Workspace {
		const sql = 'INSERT INTO workspaces VALUES (?, ?, ?, ?)';
		this.#database.run(sql, id, name, ownerEmail, this.#clock.iso());
		return { id, name, ownerEmail };
	}

	/** Creates a key; the returned `apiKey` is shown nowhere else, only its hash is kept. */
	createKey(workspaceId: string, name: string, apiKey = newApiKey()) {
		const id = newId('key');
		const hint = apiKey.length > 24 ? `${apiKey.slice(0, 9)}…${apiKey.slice(-4)}` : '…';
		this.#database.run(
			'INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, NULL)',
			...[id, workspaceId, name, hashSecret(apiKey), hint, this.#clock.iso()],
		);
		return { id, apiKey };
	}

	/** The key behind a presented bearer value, revoked ones included. */
	findKey(presented: string): ApiKey | undefined {
		return this.#keys.get(hashSecret(presented));
	}

	keys(workspaceId: string): ApiKey[] {
		const sql = `SELECT ${keyColumns} FROM api_keys WHERE workspace_id = ? ORDER BY created_at, id`;
		return this.#database.all(sql, workspaceId);
	}

	/** @returns whether there was such a live key */
	revokeKey(id: string): boolean {
		this.#keys.clear();
		const sql = 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL';
		return this.#database.run(sql, this.#clock.iso(), id).changes > 0;
	}

	/** Makes a known key valid again; for starts that name the key they want. */
	restoreKey(workspaceId: string, apiKey: string): boolean {
		this.#keys.clear();
		const sql = 'UPDATE api_keys SET workspace_id = ?, revoked_at = NULL WHERE hash = ?';
		return this.#database.run(sql, workspaceId, hashSecret(apiKey)).changes > 0;
	}

	/** Creates an account; the returned `clientSecret` is shown nowhere else. */
	createAccount(workspaceId: string, account: NewAccount) {
		const { name, role, clientId = newId('sa'), clientSecret = newSecret() } = account;
		const hash = hashSecret(clientSecret);
		this.#database.run(
			'INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, NULL)',
			...[clientId, workspaceId, name, role, hash, this.#clock.iso()],
		);
		return { clientId, clientSecret };
	}

	account(clientId: string): Account | undefined {
		const sql = `SELECT ${accountColumns} FROM accounts WHERE client_id = ?`;
		return this.#database.get(sql, clientId);
	}

	accounts(workspaceId: string): Account[] {
		const order = 'ORDER BY created_at, client_id';
		const sql = `SELECT ${accountColumns} FROM accounts WHERE workspace_id = ? ${order}`;
		return this.#database.all(sql, workspaceId);
	}

	/** Makes a known account active in a workspace; for starts that name it. Another secret ends its tokens. */
	restoreAccount(workspaceId: string, clientId: string, clientSecret: string): void {
		const known = this.account(clientId);
		const isSame =
			known?.workspaceId === workspaceId && secretMatches(clientSecret, known.secretHash);
		if (!isSame) this.revokeTokens(clientId);
		this.#database.run(
			'UPDATE accounts SET workspace_id = ?, secret_hash = ?, revoked_at = NULL WHERE client_id = ?',
			...[workspaceId, hashSecret(clientSecret), clientId],
		);
	}

	/** Revokes an account and deletes its tokens, in one transaction. @returns whether it was active */
	revokeAccount(clientId: string): boolean {
		return this.#database.transaction(() => {
			this.revokeTokens(clientId);
			const sql = 'UPDATE accounts SET revoked_at = ? WHERE client_id = ? AND revoked_at IS NULL';
			return this.#database.run(sql, this.#clock.iso(), clientId).changes > 0;
		});
	}

	/** Deletes an account's tokens; it can get new ones. @returns how many there were */
	revokeTokens(clientId: string): number {
		return this.#database.run('DELETE FROM tokens WHERE client_id = ?', clientId).changes;
	}
}

/** Who may call: workspaces, API keys and service accounts. */
import { hashSecret, newId, newSecret } from '../foundation/secrets.ts';
import type { Database } from './database.ts';

/** Roles of a service account, least first: `viewer` reads, the others also change (DECISIONS.md). */
export const roles = ['viewer', 'editor', 'admin'] as const;
/** The rights of a service account. */
export type Role = (typeof roles)[number];

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

/** A service account as stored. */
export interface Account extends Omit<ApiKey, 'id' | 'hint'> {
	clientId: string;
	role: Role;
	secretHash: string;
}

/** The access that the service is to have at its start; what is missing is generated. */
export interface Wanted {
	/** Identifier of the workspace; that of the file or a new one where it is missing. */
	workspaceId?: string;
	/** An API key that is to be valid. */
	apiKey?: string;
	/** Client ID of an account that is to be active, and its secret. */
	clientId?: string;
	clientSecret?: string;
	/** Who hears about paused subscriptions; used when the workspace is created. */
	ownerEmail?: string;
}

/** Workspaces, API keys and service accounts. */
export class Identities {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	/** Gives the start its workspace, key and account. They replace those of earlier starts. */
	provide({ workspaceId, apiKey, clientId, clientSecret, ownerEmail }: Wanted) {
		return this.#database.transaction(() => {
			const known = workspaceId ?? this.#database.meta('workspace') ?? newId('wsp');
			if (!this.workspace(known)) this.createWorkspace('Demo workspace', ownerEmail, known);
			this.#database.setMeta('workspace', this.#database.meta('workspace') ?? known);
			const key = this.createKey(known, 'Default key', { id: 'key_default', apiKey });
			this.revokeAccount(this.#database.meta('account') ?? '');
			const named = { clientId, clientSecret, name: 'Default account' };
			const account = this.createAccount(known, named);
			this.#database.setMeta('account', account.clientId);
			return { workspaceId: known, apiKey: key.apiKey, ...account };
		});
	}

	workspace(id: string): { name: string } | undefined {
		return this.#database.get('SELECT name FROM workspaces WHERE id = ?', id);
	}

	/** @param owner e-mail address of who is told about paused subscriptions */
	createWorkspace(name: string, owner = 'owner@example.com', id = newId('wsp')): string {
		this.#database.insert('workspaces', { id, name, owner });
		return id;
	}

	/** Creates a key, or makes a known one valid; the returned `apiKey` is shown nowhere else. */
	createKey(
		workspaceId: string,
		name: string,
		{
			id = newId('key'),
			apiKey = `wsd_live_${newSecret()}`,
		}: { id?: string; apiKey?: string | undefined } = {},
	) {
		const hint = apiKey.length > 24 ? `${apiKey.slice(0, 9)}…${apiKey.slice(-4)}` : '…';
		const hash = hashSecret(apiKey);
		const createdAt = this.#database.clock.iso();
		this.#database.insert('keys', { id, workspaceId, name, hash, hint, createdAt });
		return { id, apiKey };
	}

	/** The key behind a presented bearer value, revoked ones included. */
	findKey(presented: string): ApiKey | undefined {
		return this.#database.get('SELECT * FROM keys WHERE hash = ?', hashSecret(presented));
	}

	keys(workspaceId: string): ApiKey[] {
		const sql = 'SELECT * FROM keys WHERE workspaceId = ? ORDER BY createdAt, id';
		return this.#database.all(sql, workspaceId);
	}

	/** @returns whether there was such a live key */
	revokeKey(id: string): boolean {
		const sql = 'UPDATE keys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL';
		return this.#database.run(sql, this.#database.clock.iso(), id) > 0;
	}

	/** Creates an account, or makes a known one active; the returned `clientSecret` is shown nowhere else. */
	createAccount(
		workspaceId: string,
		given: { name: string; role?: Role } & Pick<Wanted, 'clientId' | 'clientSecret'>,
	) {
		const { name, role = 'editor', clientId = newId('sa'), clientSecret = newSecret() } = given;
		const secretHash = hashSecret(clientSecret);
		const createdAt = this.#database.clock.iso();
		const row = { clientId, workspaceId, name, role, secretHash, createdAt };
		this.#database.insert('accounts', row);
		return { clientId, clientSecret };
	}

	account(clientId: string): Account | undefined {
		return this.#database.get('SELECT * FROM accounts WHERE clientId = ?', clientId);
	}

	accounts(workspaceId: string): Account[] {
		const sql = 'SELECT * FROM accounts WHERE workspaceId = ? ORDER BY createdAt, clientId';
		return this.#database.all(sql, workspaceId);
	}

	/** Revokes an account, and its tokens with it. @returns whether it was active */
	revokeAccount(clientId: string): boolean {
		const sql = 'UPDATE accounts SET revokedAt = ? WHERE clientId = ? AND revokedAt IS NULL';
		return this.#database.run(sql, this.#database.clock.iso(), clientId) > 0;
	}
}

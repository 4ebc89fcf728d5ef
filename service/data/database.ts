/** The SQLite database: its tables, and transactions. */
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

const tables = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE workspaces (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, owner_email TEXT NOT NULL, created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE api_keys (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT
) WITHOUT ROWID;
CREATE TABLE accounts (
	client_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	name TEXT NOT NULL, role TEXT NOT NULL, secret_hash TEXT NOT NULL,
	created_at TEXT NOT NULL, revoked_at TEXT
) WITHOUT ROWID;
CREATE TABLE tokens (
	model TEXT NOT NULL, hash TEXT NOT NULL, client_id TEXT, payload TEXT NOT NULL,
	expires_at INTEGER, PRIMARY KEY (model, hash)
) WITHOUT ROWID;
CREATE INDEX tokens_by_client ON tokens (client_id);
CREATE TABLE cards (
	position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	workspace_id TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	description TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX cards_by_workspace ON cards (workspace_id, position);
CREATE TABLE fields (
	key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE,
	name TEXT NOT NULL, type TEXT NOT NULL, options TEXT NOT NULL
);
CREATE INDEX fields_by_card ON fields (card_id);
CREATE TABLE records (
	card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE, id TEXT NOT NULL,
	data TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (card_id, id)
) WITHOUT ROWID;
CREATE TABLE subscriptions (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	card_id TEXT REFERENCES cards(id) ON DELETE CASCADE, target_url TEXT NOT NULL,
	events TEXT NOT NULL, secret TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL,
	created_at TEXT NOT NULL, paused_at TEXT
) WITHOUT ROWID;
CREATE INDEX subscriptions_by_workspace ON subscriptions (workspace_id);
CREATE INDEX subscriptions_by_card ON subscriptions (card_id);
CREATE TABLE deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	subscription_id TEXT NOT NULL REFERENCES subscriptions(id) ON DELETE CASCADE,
	card_id TEXT NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL,
	state TEXT NOT NULL, failures INTEGER NOT NULL, attempts TEXT NOT NULL
);
CREATE INDEX deliveries_by_subscription ON deliveries (subscription_id, state, id);
CREATE INDEX deliveries_by_card ON deliveries (card_id);
CREATE INDEX deliveries_done ON deliveries (id) WHERE state = 'delivered';
CREATE TABLE mails (
	id INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	subscription_id TEXT NOT NULL REFERENCES subscriptions(id) ON DELETE CASCADE,
	recipient TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL, created_at TEXT NOT NULL,
	sent_at TEXT, attempts INTEGER NOT NULL DEFAULT 0, error TEXT
);
CREATE INDEX mails_by_workspace ON mails (workspace_id, id);
CREATE INDEX mails_by_subscription ON mails (subscription_id);
`;

/** Version of the tables above; goes up with every change of them. */
const schemaVersion = 8;

/** Marks the file as ours ("WsDa"). @see https://www.sqlite.org/fileformat.html, section 1.3.18 */
const applicationId = 0x57734461;

/**
 * Looks at a file without changing a byte of it.
 * @returns whether it is new
 * @throws Error if it is of another program or another version of the service
 */
function isNew(file: string): boolean {
	if (file === ':memory:' || !existsSync(file) || statSync(file).size === 0) return true;
	const sql = new DatabaseSync(file, { readOnly: true });
	try {
		sql.exec('PRAGMA busy_timeout = 1000');
		const marks = 'SELECT * FROM pragma_application_id, pragma_user_version';
		const { application_id, user_version } = sql.prepare(marks).get() ?? {};
		if (application_id === applicationId && user_version === schemaVersion) return false;
	} finally {
		sql.close();
	}
	throw new Error(
		`${file} is not a database of this version of the service. Start with a new file; this one stays unchanged.`,
	);
}

/**
 * One open database, locked while it is open, as two services would deliver everything twice. Only its owner can read
 * the file, as it holds the secrets of subscriptions.
 *
 * WAL with `synchronous = NORMAL`: a commit is in the log file before the response goes out, so a killed process loses
 * nothing; only a crash of the operating system could.
 */
export class Database {
	readonly #sql: DatabaseSync;
	/** Prepared statements, by their text. */
	readonly #prepared = new Map<string, StatementSync>();
	/** Hold what was read; emptied if a transaction is rolled back. */
	readonly caches: Array<{ clear(): void }> = [];

	/**
	 * @param file path of the file, or `:memory:`
	 * @throws Error if the file cannot be opened or is not a database of ours; it stays unchanged then
	 */
	constructor(file: string) {
		const isMade = isNew(file);
		if (file !== ':memory:') {
			// SQLite gives its log files the mode of the database.
			closeSync(openSync(file, 'a', 0o600));
			chmodSync(file, 0o600);
		}
		this.#sql = new DatabaseSync(file);
		this.#sql.exec(`
			PRAGMA busy_timeout = 1000;
			PRAGMA locking_mode = EXCLUSIVE;
			PRAGMA journal_mode = WAL;
			PRAGMA synchronous = NORMAL;
			PRAGMA secure_delete = ON;
			PRAGMA foreign_keys = ON;
			PRAGMA temp_store = MEMORY;
			PRAGMA cache_size = -16384;
		`);
		const marks = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`;
		if (isMade) this.#sql.exec(`BEGIN IMMEDIATE; ${tables} ${marks}; COMMIT`);
	}

	/** The first row of a query. */
	get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
		return this.#statement(sql).get(...values) as Row | undefined;
	}

	/** All rows of a query. */
	all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
		return this.#statement(sql).all(...values) as Row[];
	}

	/** The rows of a query, one by one. */
	iterate<Row>(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
		return this.#statement(sql).iterate(...values) as Iterable<Row>;
	}

	/** Makes a change. */
	run(sql: string, ...values: SQLInputValue[]): { changes: number; id: number } {
		const { changes, lastInsertRowid } = this.#statement(sql).run(...values);
		return { changes: Number(changes), id: Number(lastInsertRowid) };
	}

	/** Runs `work` in one transaction; anything thrown rolls all of it back. Nests by joining. */
	transaction<T>(work: () => T): T {
		if (this.#sql.isTransaction) return work();
		this.run('BEGIN IMMEDIATE');
		try {
			const result = work();
			this.run('COMMIT');
			return result;
		} catch (error) {
			if (this.#sql.isTransaction) this.run('ROLLBACK');
			for (const cache of this.caches) cache.clear();
			throw error;
		}
	}

	/** A value that belongs to the whole file. */
	meta(name: string): string | undefined {
		return this.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value;
	}

	/** Sets such a value. */
	setMeta(name: string, value: string): void {
		this.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, value);
	}

	/** Closes the file. Safe to call again. */
	close(): void {
		if (this.#sql.isOpen) this.#sql.close();
	}

	#statement(sql: string): StatementSync {
		const known = this.#prepared.get(sql);
		if (known) return known;
		const made = this.#sql.prepare(sql);
		this.#prepared.set(sql, made);
		return made;
	}
}

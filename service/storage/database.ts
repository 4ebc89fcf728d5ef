import { DatabaseSync } from 'node:sqlite';

/** One open SQLite database. Every store prepares its own statements on `sql`. */
export interface Database {
	readonly sql: DatabaseSync;
	/** Runs `work` in one transaction; anything thrown rolls all of it back. Nests by joining. */
	transaction<T>(work: () => T): T;
	close(): void;
}

const tables = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workspaces (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, owner_email TEXT NOT NULL, created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS api_keys (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accounts (
	client_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	name TEXT NOT NULL, role TEXT NOT NULL, secret_hash TEXT NOT NULL,
	created_at TEXT NOT NULL, revoked_at TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tokens (
	model TEXT NOT NULL, hash TEXT NOT NULL, client_id TEXT, payload TEXT NOT NULL,
	expires_at INTEGER, PRIMARY KEY (model, hash)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tokens_by_client ON tokens (client_id);
CREATE INDEX IF NOT EXISTS tokens_by_expiry ON tokens (expires_at);
CREATE TABLE IF NOT EXISTS cards (
	position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	workspace_id TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	description TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS fields (
	key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE,
	name TEXT NOT NULL, type TEXT NOT NULL, options TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS fields_by_card ON fields (card_id);
CREATE TABLE IF NOT EXISTS records (
	card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE, id TEXT NOT NULL,
	data TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (card_id, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS subscriptions (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	card_id TEXT REFERENCES cards(id) ON DELETE CASCADE, target_url TEXT NOT NULL,
	events TEXT NOT NULL, secret TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL,
	created_at TEXT NOT NULL, paused_at TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
	id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, body TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT, event_id INTEGER NOT NULL REFERENCES events(id),
	subscription_id TEXT NOT NULL REFERENCES subscriptions(id) ON DELETE CASCADE,
	state TEXT NOT NULL, failures INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS deliveries_by_subscription ON deliveries (subscription_id, state, id);
CREATE INDEX IF NOT EXISTS deliveries_by_event ON deliveries (event_id);
CREATE TABLE IF NOT EXISTS attempts (
	delivery_id INTEGER NOT NULL REFERENCES deliveries(id) ON DELETE CASCADE,
	number INTEGER NOT NULL, at TEXT NOT NULL, status INTEGER, duration_ms INTEGER NOT NULL,
	error TEXT, PRIMARY KEY (delivery_id, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mails (
	id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL,
	text TEXT NOT NULL, created_at TEXT NOT NULL, sent_at TEXT, attempts INTEGER NOT NULL DEFAULT 0,
	error TEXT, workspace_id TEXT REFERENCES workspaces(id)
);
`;

/** Version of the tables above; goes up with every change of them. */
const schemaVersion = 2;

/** What makes version 2 of version 1: e-mails know their workspace, which their text has named before. */
const upgradeFrom1 = `
BEGIN;
ALTER TABLE mails ADD COLUMN workspace_id TEXT REFERENCES workspaces(id);
UPDATE mails SET workspace_id =
	(SELECT id FROM workspaces WHERE instr(mails.text, ' of workspace ' || id || ' ') > 0);
PRAGMA user_version = 2;
COMMIT;
`;

/** Refuses a file whose tables are not ours; upgrades an earlier one and marks a new one. */
function checkVersion(sql: DatabaseSync, file: string) {
	const version = sql.prepare('PRAGMA user_version').get()?.user_version;
	if (version === schemaVersion) return;
	if (version === 1) {
		sql.exec(upgradeFrom1);
		return;
	}
	const table = sql.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).get();
	if (table !== undefined) {
		sql.close();
		throw new Error(`${file} is not a database of this version of the service.`);
	}
	sql.exec(`PRAGMA user_version = ${schemaVersion}`);
}

/**
 * Opens (and creates where needed) the database. The file is locked while it is open, as two services
 * would deliver everything twice.
 *
 * WAL with `synchronous = NORMAL`: a commit is in the log file before the answer goes out, so a killed
 * process loses nothing; only a crash of the operating system could (see DECISIONS.md).
 *
 * @param file path of the file, or `:memory:`
 * @throws Error when the file cannot be opened or is not a SQLite database
 */
export function openDatabase(file: string): Database {
	const sql = new DatabaseSync(file);
	sql.exec(`
		PRAGMA busy_timeout = 1000;
		PRAGMA locking_mode = EXCLUSIVE;
		PRAGMA journal_mode = WAL;
		PRAGMA synchronous = NORMAL;
		PRAGMA foreign_keys = ON;
		PRAGMA temp_store = MEMORY;
	`);
	checkVersion(sql, file);
	sql.exec(tables);

	const begin = sql.prepare('BEGIN IMMEDIATE');
	const commit = sql.prepare('COMMIT');
	const rollback = sql.prepare('ROLLBACK');

	return {
		sql,
		transaction(work) {
			if (sql.isTransaction) return work();
			begin.run();
			try {
				const result = work();
				commit.run();
				return result;
			} catch (error) {
				if (sql.isTransaction) rollback.run();
				throw error;
			}
		},
		close() {
			if (sql.isOpen) sql.close();
		},
	};
}

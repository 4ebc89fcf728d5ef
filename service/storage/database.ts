import { chmodSync, existsSync, openSync, closeSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Result codes of SQLite for a file that cannot grow. @see https://www.sqlite.org/rescode.html */
const fullCodes = [13, 778];

/** Whether a change failed because the disk, or what the file may have, is full. */
export function isDiskFull(error: unknown): boolean {
	const { code, errcode } = error as { code?: unknown; errcode?: unknown };
	return code === 'ERR_SQLITE_ERROR' && fullCodes.includes(Number(errcode));
}

/** One open SQLite database. Every store prepares its own statements on `sql`. */
export interface Database {
	readonly sql: DatabaseSync;
	/** Runs `work` in one transaction; anything thrown rolls all of it back. Nests by joining. */
	transaction<T>(work: () => T): T;
	/** Says what to forget should the transaction under way be rolled back; nothing outside of one. */
	afterRollback(forget: () => void): void;
	/** A value that belongs to the whole file. */
	meta(name: string): string | undefined;
	setMeta(name: string, value: string): void;
	close(): void;
}

/**
 * Records have an index of their ids apart from their data: SQLite reads whole rows of an index that it only compares.
 * @see https://www.sqlite.org/withoutrowid.html, section 4
 */
const tables = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS workspaces (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, owner_email TEXT NOT NULL, created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS api_keys (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, created_at TEXT NOT NULL, revoked_at TEXT, tier TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accounts (
	client_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	name TEXT NOT NULL, role TEXT NOT NULL, secret_hash TEXT NOT NULL,
	created_at TEXT NOT NULL, revoked_at TEXT, tier TEXT
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
	description TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT
);
CREATE INDEX IF NOT EXISTS cards_by_workspace ON cards (workspace_id, position);
CREATE TABLE IF NOT EXISTS fields (
	key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE,
	name TEXT NOT NULL, type TEXT NOT NULL, options TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS fields_by_card ON fields (card_id);
CREATE TABLE IF NOT EXISTS records (
	card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE, id TEXT NOT NULL,
	data TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (card_id, id)
);
CREATE TABLE IF NOT EXISTS subscriptions (
	id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces(id),
	card_id TEXT REFERENCES cards(id) ON DELETE CASCADE, target_url TEXT NOT NULL,
	events TEXT NOT NULL, secret TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL,
	created_at TEXT NOT NULL, paused_at TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS subscriptions_by_workspace ON subscriptions (workspace_id);
CREATE INDEX IF NOT EXISTS subscriptions_by_card ON subscriptions (card_id);
CREATE TABLE IF NOT EXISTS events (
	id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, body TEXT NOT NULL,
	created_at TEXT NOT NULL, card_id TEXT
);
CREATE INDEX IF NOT EXISTS events_by_card ON events (card_id);
CREATE TABLE IF NOT EXISTS deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT, event_id INTEGER NOT NULL REFERENCES events(id),
	subscription_id TEXT NOT NULL REFERENCES subscriptions(id) ON DELETE CASCADE,
	state TEXT NOT NULL, failures INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL,
	bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS deliveries_by_subscription ON deliveries (subscription_id, state, id);
CREATE INDEX IF NOT EXISTS deliveries_by_event ON deliveries (event_id);
CREATE INDEX IF NOT EXISTS deliveries_done ON deliveries (id) WHERE state = 'delivered';
CREATE TABLE IF NOT EXISTS attempts (
	delivery_id INTEGER NOT NULL REFERENCES deliveries(id) ON DELETE CASCADE,
	number INTEGER NOT NULL, at TEXT NOT NULL, status INTEGER, duration_ms INTEGER NOT NULL,
	error TEXT, answer TEXT, PRIMARY KEY (delivery_id, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mails (
	id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL,
	text TEXT NOT NULL, created_at TEXT NOT NULL, sent_at TEXT, attempts INTEGER NOT NULL DEFAULT 0,
	error TEXT, workspace_id TEXT REFERENCES workspaces(id), subscription_id TEXT
);
CREATE INDEX IF NOT EXISTS mails_by_workspace ON mails (workspace_id, id);
CREATE INDEX IF NOT EXISTS mails_by_subscription ON mails (subscription_id);
-- What was deleted and still has to be cleared away: a card, a subscription, or the values of a field.
CREATE TABLE IF NOT EXISTS leftovers (
	kind TEXT NOT NULL, owner TEXT NOT NULL, field_key INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (kind, owner, field_key)
) WITHOUT ROWID;
`;

/** Version of the tables above; goes up with every change of them. */
const schemaVersion = 5;

/** Marks the file as ours ("WsDa"). @see https://www.sqlite.org/fileformat.html, section 1.3.18 */
const applicationId = 0x57734461;

/**
 * The steps to the next version of each: version 2 gives e-mails their workspace, 3 bounds what is kept, 4 gives
 * e-mails their subscription and keys their tier, 5 keeps the data of records apart from the index of their ids.
 */
const upgrades: Record<number, string> = {
	1: `
		ALTER TABLE mails ADD COLUMN workspace_id TEXT REFERENCES workspaces(id);
		UPDATE mails SET workspace_id =
			(SELECT id FROM workspaces WHERE instr(mails.text, ' of workspace ' || id || ' ') > 0);`,
	2: `
		ALTER TABLE cards ADD COLUMN deleted_at TEXT;
		ALTER TABLE events ADD COLUMN card_id TEXT;
		UPDATE events SET card_id = json_extract(body, '$.card_id');
		ALTER TABLE deliveries ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE attempts ADD COLUMN answer TEXT;
		UPDATE deliveries SET bytes = (SELECT length(CAST(body AS BLOB)) FROM events WHERE id = event_id);
		INSERT OR IGNORE INTO meta
			SELECT 'defaultWorkspace', id FROM workspaces ORDER BY created_at LIMIT 1;`,
	3: `
		ALTER TABLE mails ADD COLUMN subscription_id TEXT;
		UPDATE mails SET subscription_id = substr(text, 26, 28)
			WHERE substr(text, 1, 29) = 'The webhook subscription whk_';
		DELETE FROM mails WHERE subscription_id NOT IN
			(SELECT id FROM subscriptions WHERE state <> 'deleted');
		ALTER TABLE api_keys ADD COLUMN tier TEXT;
		ALTER TABLE accounts ADD COLUMN tier TEXT;`,
	4: `
		ALTER TABLE records RENAME TO indexed_records;
		CREATE TABLE records (
			card_id TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE, id TEXT NOT NULL,
			data TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (card_id, id)
		);
		INSERT INTO records SELECT card_id, id, data, created_at FROM indexed_records;
		DROP TABLE indexed_records;`,
};

/** Tables that files of versions 1 and 2 have, which did not carry our mark yet. */
const earlyTables = [
	'accounts',
	'api_keys',
	'attempts',
	'cards',
	'deliveries',
	'events',
	'workspaces',
];

const pragma = (sql: DatabaseSync, name: string) =>
	Number(sql.prepare(`PRAGMA ${name}`).get()?.[name]);

/** Reads what a file is without changing a byte of it. @returns its version; 0 where it is new */
function versionOf(file: string): number {
	if (file === ':memory:' || !existsSync(file) || statSync(file).size === 0) return 0;
	const sql = new DatabaseSync(file, { readOnly: true });
	try {
		sql.exec('PRAGMA busy_timeout = 1000');
		const version = pragma(sql, 'user_version');
		const names = sql.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
		const known = new Set(names.map(({ name }) => name));
		const mark = pragma(sql, 'application_id');
		const early = version < 3 && mark === 0 && earlyTables.every((name) => known.has(name));
		if (version >= 1 && version <= schemaVersion && (mark === applicationId || early)) {
			return version;
		}
	} finally {
		sql.close();
	}
	throw new Error(`${file} is not a database of this version of the service.`);
}

/** Brings the tables to this version, in one transaction. */
function upgrade(sql: DatabaseSync, version: number) {
	sql.exec('BEGIN IMMEDIATE');
	for (let from = version; from > 0 && from < schemaVersion; from++) sql.exec(upgrades[from] ?? '');
	sql.exec(tables);
	sql.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
	sql.exec('COMMIT');
}

/**
 * Opens (and creates where needed) the database. The file is locked while it is open, as two services
 * would deliver everything twice; only its owner can read it, as it holds the secrets of subscriptions.
 *
 * WAL with `synchronous = NORMAL`: a commit is in the log file before the answer goes out, so a killed
 * process loses nothing; only a crash of the operating system could (see DECISIONS.md).
 *
 * @param file path of the file, or `:memory:`
 * @param maximumBytes size that it may grow to; Infinity for as much as fits
 * @throws Error when the file cannot be opened or is not a database of ours; it is not touched then
 */
export function openDatabase(file: string, maximumBytes = Infinity): Database {
	const version = versionOf(file);
	if (file !== ':memory:') {
		// SQLite gives its log files the mode of the database.
		closeSync(openSync(file, 'a', 0o600));
		chmodSync(file, 0o600);
	}
	const sql = new DatabaseSync(file);
	sql.exec(`
		PRAGMA busy_timeout = 1000;
		PRAGMA locking_mode = EXCLUSIVE;
		PRAGMA journal_mode = WAL;
		PRAGMA synchronous = NORMAL;
		PRAGMA wal_autocheckpoint = 128;
		PRAGMA secure_delete = ON;
		PRAGMA foreign_keys = ON;
		PRAGMA temp_store = MEMORY;
		PRAGMA cache_size = -16384;
	`);
	upgrade(sql, version);
	if (maximumBytes !== Infinity) {
		const pages = Math.max(1, Math.floor(maximumBytes / pragma(sql, 'page_size')));
		sql.exec(`PRAGMA max_page_count = ${pages}`);
	}

	const begin = sql.prepare('BEGIN IMMEDIATE');
	const commit = sql.prepare('COMMIT');
	const rollback = sql.prepare('ROLLBACK');
	const readMeta = sql.prepare('SELECT value FROM meta WHERE name = ?');
	const writeMeta = sql.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
	let forgets: Array<() => void> = [];

	return {
		sql,
		transaction(work) {
			if (sql.isTransaction) return work();
			begin.run();
			forgets = [];
			try {
				const result = work();
				commit.run();
				return result;
			} catch (error) {
				if (sql.isTransaction) rollback.run();
				for (const forget of forgets) forget();
				throw error;
			}
		},
		afterRollback(forget) {
			if (sql.isTransaction) forgets.push(forget);
		},
		meta: (name) => (readMeta.get(name) as { value: string } | undefined)?.value,
		setMeta: (name, value) => void writeMeta.run(name, value),
		close() {
			if (sql.isOpen) sql.close();
		},
	};
}

/** The SQLite database: its tables, and transactions. */
import { chmodSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Clock } from '../foundation/clock.ts';

/** Marks the file as ours ("WsDa"). @see https://www.sqlite.org/fileformat.html, section 1.3.18 */
const applicationId = 0x57734461;

/** Version of the tables below; goes up with every change of them. */
const schemaVersion = 9;

const settings = `
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
`;

const tables = `
BEGIN IMMEDIATE;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE workspaces (
	id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE keys (
	id TEXT PRIMARY KEY, workspaceId TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, createdAt TEXT NOT NULL, revokedAt TEXT
) WITHOUT ROWID;
CREATE TABLE accounts (
	clientId TEXT PRIMARY KEY, workspaceId TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	role TEXT NOT NULL, secretHash TEXT NOT NULL, createdAt TEXT NOT NULL, revokedAt TEXT
) WITHOUT ROWID;
CREATE TABLE cards (
	position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	workspaceId TEXT NOT NULL REFERENCES workspaces(id), name TEXT NOT NULL,
	description TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX cards_by_workspace ON cards (workspaceId, position);
CREATE TABLE fields (
	position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
	cardId TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE,
	name TEXT NOT NULL, type TEXT NOT NULL, options TEXT NOT NULL
);
CREATE INDEX fields_by_card ON fields (cardId);
CREATE TABLE records (
	cardId TEXT NOT NULL REFERENCES cards(id) ON DELETE CASCADE, id TEXT NOT NULL,
	data TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (cardId, id)
) WITHOUT ROWID;
CREATE TABLE subscriptions (
	id TEXT PRIMARY KEY, workspaceId TEXT NOT NULL REFERENCES workspaces(id),
	cardId TEXT REFERENCES cards(id) ON DELETE CASCADE, targetUrl TEXT NOT NULL,
	events TEXT NOT NULL, secret TEXT NOT NULL, createdAt TEXT NOT NULL, pausedAt TEXT,
	state TEXT AS (iif(pausedAt IS NULL, 'active', 'paused'))
) WITHOUT ROWID;
CREATE INDEX subscriptions_by_workspace ON subscriptions (workspaceId);
CREATE INDEX subscriptions_by_card ON subscriptions (cardId);
CREATE TABLE deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	subscriptionId TEXT NOT NULL REFERENCES subscriptions(id) ON DELETE CASCADE,
	event TEXT NOT NULL, body TEXT NOT NULL, createdAt TEXT NOT NULL,
	state TEXT NOT NULL DEFAULT 'pending', failures INTEGER NOT NULL DEFAULT 0,
	attempts TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX deliveries_by_subscription ON deliveries (subscriptionId, state, id);
CREATE TABLE mails (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	subscriptionId TEXT NOT NULL REFERENCES subscriptions(id) ON DELETE CASCADE,
	recipient TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL, createdAt TEXT NOT NULL,
	sentAt TEXT, error TEXT
);
CREATE INDEX mails_by_subscription ON mails (subscriptionId);
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
COMMIT;
`;

/** The numbers in a file that is ours, and what a file has. */
const ownMarks = `${applicationId} ${schemaVersion}`;
const state = `SELECT application_id || ' ' || user_version AS marks,
	(SELECT COUNT(*) FROM sqlite_schema) AS tableCount FROM pragma_application_id, pragma_user_version`;

/**
 * One open database, locked while it is open, as two services would deliver everything twice. Only its owner can read
 * the file, as it holds the secrets of subscriptions.
 *
 * WAL with `synchronous = NORMAL`: a commit is in the log file before the response goes out, so a killed process loses
 * nothing; only a crash of the operating system could.
 */
export class Database {
	readonly clock: Clock;
	readonly #sql: DatabaseSync;
	/** Prepared statements, by their text. */
	readonly #prepared = new Map<string, StatementSync>();

	/**
	 * @param file path of the file, or `:memory:`
	 * @param clock what rows are stamped by
	 * @throws Error if the file cannot be opened or is of another program or version; it stays unchanged then
	 */
	constructor(file: string, clock: Clock) {
		this.clock = clock;
		this.#sql = new DatabaseSync(file);
		this.#sql.exec('PRAGMA busy_timeout = 1000');
		const { marks, tableCount } = this.#sql.prepare(state).get() ?? {};
		if (marks !== ownMarks && (marks !== '0 0' || tableCount !== 0)) {
			this.#sql.close();
			throw new Error(
				`${file} is not a database of this version of the service. Start with a new file; this one stays unchanged.`,
			);
		}
		// SQLite gives its log files the mode of the database.
		if (file !== ':memory:') chmodSync(file, 0o600);
		this.#sql.exec(settings);
		if (marks !== ownMarks) this.#sql.exec(tables);
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

	/** Makes a change. @returns how many rows it changed */
	run(sql: string, ...values: SQLInputValue[]): number {
		return Number(this.#statement(sql).run(...values).changes);
	}

	/** Adds a row, in place of one with the same key. @param row its values by the names of their columns */
	insert(table: string, row: Record<string, SQLInputValue>): void {
		const names = Object.keys(row);
		const places = names.map(() => '?').join(', ');
		const sql = `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${places})`;
		this.run(sql, ...Object.values(row));
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
			throw error;
		}
	}

	/** A value that belongs to the whole file. */
	meta(name: string): string | undefined {
		return this.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value;
	}

	/** Sets such a value. */
	setMeta(name: string, value: string): void {
		this.insert('meta', { name, value });
	}

	/** Closes the file. Safe to call again. */
	close(): void {
		if (this.#sql.isOpen) this.#sql.close();
	}

	#statement(sql: string): StatementSync {
		const statement = this.#prepared.get(sql) ?? this.#sql.prepare(sql);
		this.#prepared.set(sql, statement);
		return statement;
	}
}

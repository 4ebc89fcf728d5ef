import type { Clock } from '../foundation/clock.ts';
import type { Database } from './database.ts';

/** A message in the outbox. */
export interface Mail {
	id: number;
	recipient: string;
	subject: string;
	text: string;
	createdAt: string;
	sentAt: string | null;
	attempts: number;
	error: string | null;
}

/** Messages to owners, kept whether or not a mail server takes them. */
export type MailStore = ReturnType<typeof createMailStore>;

const columns = `id, recipient, subject, text, created_at AS createdAt, sent_at AS sentAt, attempts,
	error`;

/** Prepares the statements and gives the store. */
export function createMailStore({ sql }: Database, clock: Clock) {
	const insert = sql.prepare(
		'INSERT INTO mails (workspace_id, recipient, subject, text, created_at) VALUES (?, ?, ?, ?, ?)',
	);
	const unsent = sql.prepare(
		`SELECT ${columns} FROM mails WHERE sent_at IS NULL AND created_at >= ? ORDER BY id`,
	);
	const list = sql.prepare(
		`SELECT ${columns} FROM mails WHERE (?1 IS NULL OR workspace_id = ?1) ORDER BY id DESC LIMIT ?2`,
	);
	const sent = sql.prepare(
		'UPDATE mails SET sent_at = ?, attempts = attempts + 1, error = NULL WHERE id = ?',
	);
	const failed = sql.prepare('UPDATE mails SET attempts = attempts + 1, error = ? WHERE id = ?');

	return {
		add(workspaceId: string, recipient: string, subject: string, text: string) {
			insert.run(workspaceId, recipient, subject, text, clock.iso());
		},
		/** Messages that are not sent, oldest first: all, or only messages that are not older. */
		unsent(maximumAgeMs?: number) {
			const since =
				maximumAgeMs === undefined ? '' : new Date(clock.now() - maximumAgeMs).toISOString();
			return unsent.all(since) as unknown as Mail[];
		},
		/** Those of one workspace or of all, newest first. */
		list(workspaceId: string | null, limit: number) {
			return list.all(workspaceId, limit) as unknown as Mail[];
		},
		sent(id: number) {
			sent.run(clock.iso(), id);
		},
		failed(id: number, error: string) {
			failed.run(error, id);
		},
	};
}

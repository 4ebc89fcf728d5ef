/** The outbox: e-mails to owners. */
import type { Clock } from '../foundation/clock.ts';
import type { Quotas } from '../foundation/quotas.ts';
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

/** A message to be added. */
export interface NewMail {
	workspaceId: string;
	/** Deleted with this subscription. */
	subscriptionId: string;
	recipient: string;
	subject: string;
	text: string;
}

/** Prepares the statements and gives the store. */
export function createMailStore({ sql }: Database, clock: Clock, quotas: Pick<Quotas, 'mails'>) {
	const insert = sql.prepare(
		`INSERT INTO mails (workspace_id, subscription_id, recipient, subject, text, created_at)
		VALUES (?, ?, ?, ?, ?, ?)`,
	);
	const prune = sql.prepare(
		`DELETE FROM mails WHERE workspace_id = ?1 AND id <=
			(SELECT id FROM mails WHERE workspace_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
	);
	const removeOf = sql.prepare('DELETE FROM mails WHERE subscription_id = ?');
	const unsent = sql.prepare(
		`SELECT ${columns} FROM mails WHERE sent_at IS NULL AND created_at >= ? ORDER BY id`,
	);
	const exists = sql.prepare('SELECT 1 FROM mails WHERE id = ?');
	const list = sql.prepare(
		`SELECT ${columns} FROM mails WHERE (?1 IS NULL OR workspace_id = ?1) ORDER BY id DESC LIMIT ?2`,
	);
	const sent = sql.prepare(
		'UPDATE mails SET sent_at = ?, attempts = attempts + 1, error = NULL WHERE id = ?',
	);
	const failed = sql.prepare('UPDATE mails SET attempts = attempts + 1, error = ? WHERE id = ?');

	return {
		/** Adds a message; the oldest of its workspace goes where there are too many. */
		add({ workspaceId, subscriptionId, recipient, subject, text }: NewMail) {
			insert.run(workspaceId, subscriptionId, recipient, subject, text, clock.iso());
			prune.run(workspaceId, quotas.mails);
		},
		/** Deletes the messages about a subscription. */
		removeOf(subscriptionId: string) {
			removeOf.run(subscriptionId);
		},
		/** Messages that are not sent, oldest first: all, or only messages that are not older. */
		unsent(maximumAgeMs?: number) {
			const since =
				maximumAgeMs === undefined ? '' : new Date(clock.now() - maximumAgeMs).toISOString();
			return unsent.all(since) as unknown as Mail[];
		},
		/** Whether a message is still there. */
		has: (id: number) => exists.get(id) !== undefined,
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

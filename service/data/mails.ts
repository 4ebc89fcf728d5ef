/** The outbox: e-mails to owners, kept whether or not a mail server takes them. */
import type { Clock } from '../foundation/clock.ts';
import type { Database } from './database.ts';
import type { Subscription } from './subscriptions.ts';

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

/** Messages that a workspace keeps. */
const maximumMails = 1_000;

const columns = `id, recipient, subject, text, created_at AS createdAt, sent_at AS sentAt, attempts,
	error`;

/** The e-mails of all workspaces; they are deleted with their subscription. */
export class Mails {
	readonly #database: Database;
	readonly #clock: Clock;

	constructor(database: Database, clock: Clock) {
		this.#clock = clock;
		this.#database = database;
	}

	/** Tells an owner that a subscription was paused; the oldest message of its workspace goes if there are too many. */
	addPause(subscription: Subscription, reason: string): void {
		const { id, workspaceId, owner } = subscription;
		const text = [
			`The webhook subscription ${id} of workspace ${workspaceId} was paused`,
			reason,
			'',
			'Once the target works again, resume the subscription on the settings page.',
		].join('\n');
		const subject = 'A webhook subscription was paused';
		const now = this.#clock.iso();
		this.#database.run(
			`INSERT INTO mails (workspace_id, subscription_id, recipient, subject, text, created_at)
			VALUES (?, ?, ?, ?, ?, ?)`,
			...[workspaceId, id, owner, subject, text, now],
		);
		const old = `DELETE FROM mails WHERE workspace_id = ?1 AND id <=
			(SELECT id FROM mails WHERE workspace_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`;
		this.#database.run(old, workspaceId, maximumMails);
	}

	/** Messages that are not sent, oldest first. */
	unsent(): Mail[] {
		return this.#database.all(`SELECT ${columns} FROM mails WHERE sent_at IS NULL ORDER BY id`);
	}

	/** Those of one workspace or of all, newest first. */
	list(workspaceId: string | null, limit: number): Mail[] {
		const sql = `SELECT ${columns} FROM mails WHERE (?1 IS NULL OR workspace_id = ?1)
			ORDER BY id DESC LIMIT ?2`;
		return this.#database.all(sql, workspaceId, limit);
	}

	/** Notes a try to send a message. @param error why it failed; null if it was sent */
	note(id: number, error: string | null): void {
		const sentAt = error === null ? this.#clock.iso() : null;
		const sql = 'UPDATE mails SET sent_at = ?, attempts = attempts + 1, error = ? WHERE id = ?';
		this.#database.run(sql, sentAt, error, id);
	}
}

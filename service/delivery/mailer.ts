/** The outbox: e-mails to owners, kept whether or not a mail server takes them. */
import { createTransport, type Transporter } from 'nodemailer';
import type { Database } from '../data/database.ts';

/** A message in the outbox; it is deleted with its subscription. */
export interface Mail {
	id: number;
	recipient: string;
	subject: string;
	text: string;
	createdAt: string;
	sentAt: string | null;
	/** Why it could not be sent at the last try. */
	error: string | null;
}

/** Keeps e-mails, and sends them if there is a mail server to send them through. */
export class Mailer {
	readonly #database: Database;
	readonly #report: (message: string) => void;
	readonly #transport: Transporter | undefined;
	/** The end of what is sent now; messages go out one by one. */
	#sent = Promise.resolve();
	#isClosed = false;

	/**
	 * @param smtpUrl `smtp://` or `smtps://` address; without one messages stay in the outbox
	 * @param report told about failures, in words without secrets
	 */
	constructor(database: Database, smtpUrl: string | undefined, report: (message: string) => void) {
		this.#database = database;
		this.#report = report;
		this.#transport = smtpUrl === undefined ? undefined : createTransport(smtpUrl);
	}

	/** Tells the owner of a workspace that a subscription of it was paused; `flush` sends it. */
	addPause(subscriptionId: string, reason: string): void {
		const text = `The webhook subscription ${subscriptionId} was paused\n${reason}\n
Once the target works again, resume the subscription on the settings page.`;
		const sql = `INSERT INTO mails (subscriptionId, recipient, subject, text, createdAt)
			SELECT s.id, w.owner, 'A webhook subscription was paused', ?, ?
			FROM subscriptions s JOIN workspaces w ON w.id = s.workspaceId WHERE s.id = ?`;
		this.#database.run(sql, text, this.#database.clock.iso(), subscriptionId);
	}

	/** Those of a workspace, or of all, newest first. */
	list(workspaceId: string | null = null): Mail[] {
		const sql = `SELECT m.* FROM mails m JOIN subscriptions s ON s.id = m.subscriptionId
			WHERE ?1 IS NULL OR s.workspaceId = ?1 ORDER BY m.id DESC LIMIT 50`;
		return this.#database.all(sql, workspaceId);
	}

	/** Tries to send everything unsent; never throws. */
	flush(): void {
		this.#sent = this.#sent.then(async () => {
			if (this.#isClosed || !this.#transport) return;
			const sql = 'SELECT * FROM mails WHERE sentAt IS NULL ORDER BY id';
			for (const mail of this.#database.all<Mail>(sql)) await this.#send(this.#transport, mail);
		});
	}

	/** Stops; what is unsent is tried after the next start. */
	close(): void {
		this.#isClosed = true;
		this.#transport?.close();
	}

	async #send(transport: Transporter, { id, recipient, subject, text }: Mail): Promise<void> {
		const from = 'Workspace Data Service <no-reply@workspace-data.example>';
		const error = await transport.sendMail({ from, to: recipient, subject, text }).then(
			() => null,
			(reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
		);
		if (this.#isClosed) return;
		const sentAt = error === null ? this.#database.clock.iso() : null;
		this.#database.run('UPDATE mails SET sentAt = ?, error = ? WHERE id = ?', sentAt, error, id);
		if (error !== null) this.#report('an e-mail to the owner of a subscription could not be sent');
	}
}

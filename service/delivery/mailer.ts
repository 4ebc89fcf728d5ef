/** Sends what is in the outbox, if there is a mail server to send it through. */
import { createTransport, type Transporter } from 'nodemailer';
import type { Mail, Mails } from '../data/mails.ts';

/** Time until unsent messages are tried again, in ms. */
const retryMs = 30_000;

/** Sends e-mails. */
export class Mailer {
	readonly #mails: Mails;
	readonly #report: (message: string) => void;
	readonly #transport: Transporter | undefined;
	#timer: NodeJS.Timeout | undefined;
	/** The end of what is sent now; messages go out one by one. */
	#sent = Promise.resolve();
	#isClosed = false;

	/**
	 * @param smtpUrl `smtp://` or `smtps://` address; without one messages stay in the outbox
	 * @param report told about failures, in words without secrets
	 */
	constructor(mails: Mails, smtpUrl: string | undefined, report: (message: string) => void) {
		this.#mails = mails;
		this.#report = report;
		this.#transport = smtpUrl === undefined ? undefined : createTransport(smtpUrl);
	}

	/** Tries to send everything unsent; never throws. */
	flush(): void {
		const transport = this.#transport;
		if (!transport) return;
		this.#sent = this.#sent.then(async () => {
			if (this.#isClosed) return;
			for (const mail of this.#mails.unsent()) await this.#send(transport, mail);
		});
	}

	/** Stops; what is unsent is tried after the next start. */
	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#transport?.close();
	}

	async #send(transport: Transporter, { id, recipient, subject, text }: Mail): Promise<void> {
		const from = 'Workspace Data Service <no-reply@workspace-data.example>';
		const error = await transport.sendMail({ from, to: recipient, subject, text }).then(
			() => null,
			(reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
		);
		if (this.#isClosed) return;
		this.#mails.note(id, error);
		if (error === null) return;
		this.#report('an e-mail to the owner of a subscription could not be sent');
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.flush(), retryMs);
	}
}

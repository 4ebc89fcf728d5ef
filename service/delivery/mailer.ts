/** Sends what is in the outbox, if there is a mail server to send it through. */
import { createTransport, type Transporter } from 'nodemailer';
import type { Mail, Mails } from '../data/mails.ts';

/** Time until unsent messages are tried again, in ms. */
const retryMs = 30_000;
/** Tries for a message while the service runs; a start tries all once more. */
const maximumTries = 100;

/** Sends e-mails. */
export class Mailer {
	readonly #mails: Pick<Mails, 'unsent' | 'note'>;
	readonly #report: (message: string) => void;
	readonly #transport: Transporter | undefined;
	#timer: NodeJS.Timeout | undefined;
	#running: Promise<void> | undefined;
	#isAsked = false;
	#isClosed = false;

	/**
	 * @param smtpUrl `smtp://` or `smtps://` address; without one messages stay in the outbox
	 * @param report told about failures, in words without secrets
	 */
	constructor(
		mails: Pick<Mails, 'unsent' | 'note'>,
		smtpUrl: string | undefined,
		report: (message: string) => void,
	) {
		this.#mails = mails;
		this.#report = report;
		this.#transport = smtpUrl === undefined ? undefined : createTransport(smtpUrl);
	}

	/** Tries to send everything unsent; never throws. */
	async flush(): Promise<void> {
		if (!this.#transport || this.#isClosed) return;
		this.#isAsked = true;
		this.#running ??= this.#run(this.#transport).finally(() => (this.#running = undefined));
		await this.#running;
	}

	/** Stops; what is unsent is tried after the next start. */
	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#transport?.close();
	}

	async #run(transport: Transporter): Promise<void> {
		while (this.#isAsked && !this.#isClosed) {
			this.#isAsked = false;
			clearTimeout(this.#timer);
			for (const mail of this.#mails.unsent()) await this.#send(transport, mail);
		}
	}

	async #send(transport: Transporter, { id, recipient, subject, text, attempts }: Mail) {
		// Read again: it may have been deleted meanwhile, with its subscription.
		if (this.#isClosed || !this.#mails.unsent().some((mail) => mail.id === id)) return;
		const from = 'Workspace Data Service <no-reply@workspace-data.example>';
		const error = await transport.sendMail({ from, to: recipient, subject, text }).then(
			() => null,
			(reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
		);
		if (this.#isClosed) return;
		this.#mails.note(id, error);
		if (error === null) return;
		this.#report('an e-mail to the owner of a subscription could not be sent');
		if (attempts < maximumTries) this.#timer = setTimeout(() => void this.flush(), retryMs);
	}
}

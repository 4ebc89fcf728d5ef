import { createTransport } from 'nodemailer';
import type { MailStore } from '../storage/mails.ts';

/** Sends what is in the outbox, where there is a mail server to send it through. */
export interface Mailer {
	/** Tries to send everything unsent; never throws. */
	flush(): Promise<void>;
	close(): void;
}

const maximumAttempts = 5;
const retryAfterMs = 30_000;

/**
 * Makes the mailer.
 * @param smtpUrl `smtp://` or `smtps://` address; without one messages just stay in the outbox
 * @param report told about failures, in words without secrets
 */
export function createMailer(
	mails: MailStore,
	smtpUrl: string | undefined,
	report: (message: string) => void,
): Mailer {
	if (smtpUrl === undefined) return { flush: async () => {}, close: () => {} };
	const transport = createTransport(smtpUrl);
	let timer: NodeJS.Timeout | undefined;
	let closed = false;
	let running: Promise<void> | undefined;
	let again = false;

	const sendAll = async () => {
		for (const mail of mails.unsent(maximumAttempts)) {
			if (closed) return;
			try {
				await transport.sendMail({
					from: 'Workspace Data Service <no-reply@workspace-data.example>',
					to: mail.recipient,
					subject: mail.subject,
					text: mail.text,
				});
				if (!closed) mails.sent(mail.id);
			} catch (error) {
				if (closed) return;
				mails.failed(mail.id, error instanceof Error ? error.message : 'unknown error');
				report('an e-mail to the owner of a subscription could not be sent');
				clearTimeout(timer);
				timer = setTimeout(() => void mailer.flush(), retryAfterMs);
			}
		}
	};

	const mailer: Mailer = {
		async flush() {
			again = true;
			running ??= (async () => {
				while (again && !closed) {
					again = false;
					await sendAll();
				}
				running = undefined;
			})();
			await running;
		},
		close() {
			closed = true;
			clearTimeout(timer);
			transport.close();
		},
	};
	return mailer;
}

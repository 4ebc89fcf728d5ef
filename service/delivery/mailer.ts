import { createTransport } from 'nodemailer';
import { messageOf } from '../foundation/messageOf.ts';
import type { MailStore } from '../storage/mails.ts';

/** Sends what is in the outbox, where there is a mail server to send it through. */
export interface Mailer {
	/** Tries to send everything unsent; never throws. */
	flush(): Promise<void>;
	close(): void;
}

/** How long a message is tried after it was written, in ms; a start tries older ones once, too. */
const triedForMs = 24 * 60 * 60 * 1000;

/** Time until unsent messages are tried again, in ms: 30 s, doubling up to an hour. */
export function retryAfterMs(failures: number): number {
	return Math.min(30_000 * 2 ** (failures - 1), 60 * 60 * 1000);
}

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
	/** Runs in a row that left something unsent. */
	let failures = 0;
	/** Age up to which messages are tried; any at the first run. */
	let maximumAgeMs: number | undefined;

	/** @returns whether all of it was sent */
	const sendAll = async () => {
		const unsent = mails.unsent(maximumAgeMs);
		maximumAgeMs = triedForMs;
		let complete = true;
		for (const mail of unsent) {
			if (closed) return complete;
			// Deleted meanwhile, with its subscription.
			if (!mails.has(mail.id)) continue;
			try {
				await transport.sendMail({
					from: 'Workspace Data Service <no-reply@workspace-data.example>',
					to: mail.recipient,
					subject: mail.subject,
					text: mail.text,
				});
			} catch (error) {
				if (closed) return complete;
				complete = false;
				mails.failed(mail.id, messageOf(error));
				report('an e-mail to the owner of a subscription could not be sent');
				continue;
			}
			if (!closed) mails.sent(mail.id);
		}
		return complete;
	};

	const run = async () => {
		clearTimeout(timer);
		let complete = false;
		try {
			complete = await sendAll();
		} catch (error) {
			report(`the outbox could not be worked off: ${messageOf(error)}`);
		}
		failures = complete ? 0 : failures + 1;
		if (complete || closed) return;
		timer = setTimeout(() => void mailer.flush(), retryAfterMs(failures));
	};

	const mailer: Mailer = {
		async flush() {
			again = true;
			running ??= (async () => {
				while (again && !closed) {
					again = false;
					await run();
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

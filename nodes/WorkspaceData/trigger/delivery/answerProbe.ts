/** Answers the probes that n8n's main process sends to its own webhook address. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { isAllSaved, notSavedMark, readProbe, savedProof } from '../../model/subscription/proof';
import { accepted } from '../../model/subscription/merge';
import type { Clock } from '../../transport/http/clock';
import { readStore } from '../subscription/storage';
import { rawBody, signerOf } from './verify';

/**
 * Answers whether the subscription that signed the probe is saved as the current one. Only the static data
 * count, as n8n has just read them: this process may remember a secret that the database has lost. All
 * processes of n8n read the same database, so one probe is enough, whichever process gets it.
 *
 * It changes nothing, starts no execution and writes no log, so a flood of probes is as harmless as one.
 * Without the secret, a forged probe learns only that it was refused. A captured one that is sent
 * again tells whether the secret is still saved, and nothing else.
 */
export async function answerProbe(
	context: IWebhookFunctions,
	nonce: string,
	clock: Clock,
): Promise<IWebhookResponseData> {
	const saved = readStore(context);
	const body = await rawBody(context);
	const signer = body && signerOf(context, body, accepted(saved, clock.now()));
	const response = context.getResponseObject();
	if (!body || !signer) {
		response.status(401).end(notSavedMark(nonce));
		return { noWebhookResponse: true };
	}
	const known = readProbe(Buffer.from(body).toString(), nonce);
	// Subscriptions that main does not know are found, and deleted, by the execution that it starts instead.
	const isConfirmed =
		known !== undefined && signer.id === saved.current?.id && isAllSaved(saved, known);
	if (isConfirmed) response.status(200).end(savedProof(nonce, signer.secret));
	else response.status(401).end();
	return { noWebhookResponse: true };
}

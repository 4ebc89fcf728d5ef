/** Answers the probes that n8n's main process sends to its own webhook address. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { accepted } from '../../model/subscription/merge';
import {
	isAllSaved,
	isFromOwnNode,
	nonceOf,
	notSavedMark,
	PROBE_HEADER,
	probeKey,
	readProbe,
	savedProof,
} from '../../model/subscription/proof';
import type { StoredSubscriptions } from '../../model/subscription/stored';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';
import type { Clock } from '../../transport/http/clock';
import { signerOf } from './verify';

/**
 * Answers whether the subscription that signed the probe is saved as the current one. Only the static data
 * count, as n8n has just read them: this process may remember a secret that the database has lost. All
 * processes of n8n read the same database, so one probe is enough, whichever process gets it.
 *
 * It changes nothing and starts no execution. Only a process with the credential gets another answer than a
 * forged delivery. A captured probe that is sent again tells whether the secret is still saved, and nothing else.
 *
 * @returns undefined if the request is no probe of this node
 */
export async function answerProbe(
	context: IWebhookFunctions,
	body: Uint8Array,
	saved: StoredSubscriptions,
	authentication: Authentication | undefined,
	clock: Clock,
): Promise<IWebhookResponseData | undefined> {
	const header: unknown = context.getRequestObject().headers[PROBE_HEADER];
	const nonce = nonceOf(header);
	if (nonce === undefined || typeof header !== 'string' || !authentication) return undefined;
	const key = probeKey(await readOwnSecret(context, authentication));
	if (!isFromOwnNode(header, body, key)) return undefined;
	const response = context.getResponseObject();
	const signer = signerOf(context, body, accepted(saved, clock.now()));
	const known = readProbe(Buffer.from(body).toString(), nonce);
	// Subscriptions that main does not know are found, and deleted, by the execution that it starts instead.
	const isConfirmed =
		known !== undefined && signer?.id === saved.current?.id && isAllSaved(saved, known);
	if (!signer) response.status(401).end(notSavedMark(nonce, key));
	else if (isConfirmed) response.status(200).end(savedProof(nonce, signer.secret));
	else response.status(401).end();
	return { noWebhookResponse: true };
}

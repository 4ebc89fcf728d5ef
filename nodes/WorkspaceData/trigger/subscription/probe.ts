/** A probe: n8n asks at its own webhook address whether a subscription is saved. `trigger()` sends it, `webhook()` answers. */
import type { ITriggerFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';
import { SIGNATURE_HEADER, sign } from '../../model/signature';
import type { ProbeAnswer, Effect } from '../../model/subscription/eventsAndEffects';
import { accepted, signerOf } from '../../model/subscription/merge';
import {
	isAllSaved,
	isFromOwnNode,
	notSavedMark,
	PROBE_HEADER,
	probeKey,
	readProbe,
	readProbeAnswer,
	readProbeHeader,
	savedProof,
	writeProbe,
	writeProbeHeader,
} from '../../model/subscription/proof';
import type { StoredSubscriptions } from '../../model/subscription/stored';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';
import type { Clock } from '../../transport/http/clock';
import { postToSelf } from '../../transport/ownWebhook';

const NONCE_BYTES = 16;

/**
 * Sends a probe to the address that a subscription delivers to, signed like a delivery. `trigger()` cannot
 * read the saved data; `webhook()` can. Never throws: n8n may not be able to reach its own address, because
 * of its network, a proxy or a rule about addresses.
 */
export async function probe(
	context: ITriggerFunctions,
	{ subscription, known }: Extract<Effect, { type: 'probe' }>,
	authentication: Authentication,
	clock: Clock,
): Promise<ProbeAnswer> {
	const { secret, targetUrl } = subscription;
	const nonce = randomBytes(NONCE_BYTES).toString('hex');
	const body = writeProbe(nonce, known);
	const key = probeKey(await readOwnSecret(context, authentication));
	const headers = {
		[SIGNATURE_HEADER]: sign(Buffer.from(body), secret),
		[PROBE_HEADER]: writeProbeHeader(nonce, body, key),
	};
	const answer = await postToSelf(context, targetUrl, body, headers, clock);
	return answer ? readProbeAnswer(answer, nonce, { secret, key }) : 'unknown';
}

/** A request at n8n's webhook address. */
interface WebhookRequest {
	body: Uint8Array;
	headers: Readonly<Record<string, unknown>>;
}

/**
 * Answers whether the subscription that signed the probe is saved as the current one. Only the static data
 * count, as n8n has just read them: this process may remember a secret that the database has lost. All
 * processes of n8n read the same database, so one probe is enough, whichever process gets it.
 *
 * It changes nothing and starts no execution. Only a process with the credential gets another answer than a
 * forged delivery. A captured probe that is sent again shows whether the secret is still saved, and nothing else.
 *
 * @param readSecret the secret of the node's credential; undefined where it cannot be read
 * @returns undefined if the request is no probe of this node
 */
export async function answerProbe(
	{ body, headers }: WebhookRequest,
	saved: StoredSubscriptions,
	readSecret: () => Promise<string | undefined>,
	clock: Clock,
): Promise<{ status: 200 | 401; text?: string } | undefined> {
	const header = readProbeHeader(headers[PROBE_HEADER]);
	if (!header) return undefined;
	const ownSecret = await readSecret();
	if (ownSecret === undefined) return undefined;
	const key = probeKey(ownSecret);
	if (!isFromOwnNode(header, body, key)) return undefined;
	const { nonce } = header;
	const signer = signerOf(body, headers[SIGNATURE_HEADER], accepted(saved, clock.now()));
	if (!signer) return { status: 401, text: notSavedMark(nonce, key) };
	const known = readProbe(Buffer.from(body).toString(), nonce);
	// Subscriptions that main does not know are found, and deleted, by the execution that it starts instead.
	const isConfirmed =
		known !== undefined && signer.id === saved.current?.id && isAllSaved(saved, known);
	return isConfirmed ? { status: 200, text: savedProof(nonce, signer.secret) } : { status: 401 };
}

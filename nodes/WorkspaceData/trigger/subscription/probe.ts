/** Asks n8n's own webhook address whether a subscription is saved. */
import type { ITriggerFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';
import { SIGNATURE_HEADER, sign } from '../../model/signature';
import type { ProbeAnswer, Effect } from '../../model/subscription/events';
import {
	PROBE_HEADER,
	probeKey,
	readProbeAnswer,
	writeProbe,
	writeProbeHeader,
} from '../../model/subscription/proof';
import { type Authentication, readOwnSecret } from '../../transport/auth/credential';
import type { Clock } from '../../transport/http/clock';
import { postToSelf } from '../../transport/ownAddress';

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

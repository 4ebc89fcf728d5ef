/** Asks n8n's own webhook address if it has what this process saved last. `webhook()` responds. */
import { writeProbe } from '../../model/subscription/probe';
import { onProbed } from '../../model/subscription/subscriptionRules';
import { postToSelf } from '../../transport/ownWebhook';
import { dispatch, type NodeSite } from './node';
import { sealingSecret } from './storage';

/** The timeout for n8n's own response, in ms. The trigger waits for it. */
const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;

/**
 * Sends a probe and dispatches the response. Only the data that n8n reads for the probe counts, because
 * this process may remember a secret that the database has lost. If n8n can't reach its own address because
 * of its network, a proxy or a rule about addresses, the response is `none`. If another n8n responds, the log
 * says so once a day.
 *
 * @returns false if the response is outdated, because the node was created or published again since
 */
export async function ask(site: NodeSite): Promise<boolean> {
	const { context, node, clock } = site;
	const { epoch } = node;
	const { address = '', saved, answer: before } = node.state;
	const secret = await sealingSecret(context);
	const probe = secret === undefined ? undefined : writeProbe(saved.mark, secret);
	const response =
		probe && (await postToSelf(context, address, probe, { clock, timeoutMs: TIMEOUT_MS }));
	if (node.epoch !== epoch || node.state.saved.mark !== saved.mark) return false;
	const result = (response && probe?.read(response)) ?? 'none';
	const isOurs = node.answered === probe?.nonce;
	dispatch(site, onProbed, { result, isOurs });
	const { answer } = node.state;
	// The first time, what was saved may only have been lost.
	if (answer?.said === 'other' && before?.said === 'other') {
		const message = `Another n8n responds at ${address}. This one deletes no subscription that it didn't create: it may be a copy. Give each n8n its own webhook address`;
		node.warnings.write(site, 'foreign', message, DAY_MS);
	}
	return true;
}

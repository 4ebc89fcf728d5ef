/** Asks n8n's own webhook address whether it has what this process saved last. `webhook()` answers. */
import { writeProbe } from '../../model/subscription/probe';
import type { Effect } from '../../model/subscription/reducer';
import { readOwnSecret } from '../../transport/auth/credential';
import { postToSelf } from '../../transport/ownWebhook';
import type { TriggerSettings } from '../parameters';
import { jitterOf, type Site } from './renewal';

/**
 * Sends a probe and dispatches the answer. Only the data that n8n reads for the probe count: this process may remember a
 * secret that the database has lost. Nothing is told where n8n cannot reach its own address, because of its network, a
 * proxy or a rule about addresses.
 *
 * @returns the next effects
 */
export async function ask({
	context,
	node,
	settings,
	clock,
}: Omit<Site, 'settings'> & {
	settings: Pick<TriggerSettings, 'authentication'>;
}): Promise<Effect[]> {
	const { address = '', saved } = node.state;
	const secret = await readOwnSecret(context, settings.authentication).catch(() => undefined);
	const probe = secret === undefined ? undefined : writeProbe(saved.mark, secret);
	const response = probe && (await postToSelf(context, address, probe, clock));
	// Created or published again meanwhile: the answer is about something else.
	if (node.state.saved.mark !== saved.mark) return [];
	const answer = (response && probe?.read(response)) ?? 'none';
	return node.dispatch({ type: 'answered', answer, jitter: jitterOf(clock), now: clock.now() });
}

/** Notices that somebody changed the credential of a published trigger. */
import type { ITriggerFunctions } from 'n8n-workflow';
import { onCredentialChanged } from '../model/subscription/subscriptionRules';
import { fingerprintOf, readCredential } from '../transport/auth/credential';
import { warn } from './log';
import { dispatch, type Site } from './subscription/node';

/**
 * How often the credential is compared if there is no problem, in ms. Each time, n8n 2 makes a new isolate for the
 * expressions of the credential, which takes about 100 ms of CPU.
 */
const CREDENTIAL_INTERVAL_MS = 3_600_000;

/**
 * Checks if somebody changed the credential: the service may now accept what it refused, and the saved
 * secrets must be sealed with the new credential. Sends no request.
 */
export async function compareCredential(site: Site<ITriggerFunctions>): Promise<void> {
	const { context, settings, clock, node } = site;
	const { credential: before, state } = node;
	const sinceMs = clock.now() - (before?.checkedAt ?? 0);
	if (!state.renewal && sinceMs >= 0 && sinceMs < CREDENTIAL_INTERVAL_MS) return;
	const reading = readCredential(context, settings.authentication);
	const fingerprint = await reading.then(fingerprintOf).catch(() => '');
	node.credential = { fingerprint, checkedAt: clock.now() };
	if (!before || fingerprint === '' || fingerprint === before.fingerprint) return;
	warn(context, 'The credential has changed: the subscription is renewed');
	dispatch(site, onCredentialChanged, {});
}

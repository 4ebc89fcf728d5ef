/** `trigger()`: maintains the subscriptions while the workflow is published. */
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import * as rules from '../model/subscription/subscriptionRules';
import { AccessTokenError, ApiFailure } from '../transport/failure/failureKinds';
import { toNodeError } from '../transport/failure/nodeError';
import { systemClock } from '../transport/http/clock';
import { startSearch } from './catchUp/search';
import { compareCredential } from './credentialChange';
import { reasonOf } from './log';
import { readSettings, type TriggerSettings } from './parameters';
import { dispatch, nodeOf, type Site } from './subscription/node';
import { ask } from './subscription/askOwnAddress';
import { deleteWith, notRenewed, renew } from './subscription/renewal';
import { startSaving } from './subscription/saving';

type TriggerSite = Site<ITriggerFunctions>;

/**
 * Maintains the subscriptions once a minute. n8n calls `trigger()` at every start. Because it exists, n8n
 * calls the lifecycle methods at every start as well.
 */
export async function lookAfter(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {};
	let settings: TriggerSettings;
	try {
		// Read only once, because n8n 2 evaluates expressions when it activates the trigger, but not in a cron.
		settings = readSettings(context);
	} catch {
		// The hook has told about an invalid value.
		return {};
	}
	const siteNow = (): TriggerSite => {
		const node = nodeOf(context, 'production');
		return { context, settings, clock: systemClock, node };
	};
	let isBusy = false;
	const tick = async (): Promise<void> => {
		if (isBusy) return;
		isBusy = true;
		const site = siteNow();
		await look(site).catch((error: unknown) =>
			site.node.warnings.write(
				site,
				'upkeep',
				`The subscription couldn't be checked: ${reasonOf(error)}`,
			),
		);
		isBusy = false;
	};
	// Many triggers don't renew together.
	const second = Math.floor(60 * systemClock.random());
	context.helpers.registerCron({ expression: `${second} * * * * *` }, () => void tick());
	showRefusal(siteNow());
	return {};
}

/** Does what is due: asks the address, renews or deletes, saves, and searches for missed records. */
async function look(site: TriggerSite): Promise<void> {
	const { node, settings, clock } = site;
	await compareCredential(site);
	dispatch(site, rules.onPassed, {});
	if (rules.isToAsk(node.state, clock.now()) && !(await ask(site))) return;
	if (rules.isToRenew(node.state, settings.silenceMs, clock.now())) {
		// After a failure, it is tried again after a growing pause.
		await renew(site, 'background').catch((error: unknown) =>
			node.warnings.write(site, 'renewal', notRenewed(error)),
		);
		showRefusal(site);
	} else await deleteWith(site, rules.dueDeletions(node.state, clock.now()));
	if (rules.isToSave(node.state, clock.now())) startSaving(site);
	startSearch(site);
}

/** Statuses of a refusal that no later try changes. */
const FINAL_STATUSES = [401, 403, 404];

/**
 * Shows in a failed execution why the service refuses a subscription for good, once for each cause and start, so that
 * people and error workflows see it. n8n 1 doesn't offer that.
 */
function showRefusal({ context, node }: TriggerSite): void {
	const { refusal, shown } = node;
	const isFinal =
		refusal instanceof AccessTokenError ||
		(refusal instanceof ApiFailure && FINAL_STATUSES.includes(refusal.problem.status));
	if (!isFinal || refusal.transient) return;
	const message = notRenewed(refusal);
	const { saveFailedExecution }: Partial<ITriggerFunctions> = context;
	if (shown.has(message) || !saveFailedExecution) return;
	shown.add(message);
	const error = toNodeError(context.getNode(), refusal);
	error.message = message;
	saveFailedExecution(error);
}

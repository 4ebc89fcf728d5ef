/** `webhookMethods.create`: the workflow is published, a test begins, or n8n starts. */
import type { IHookFunctions } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import type { Effect } from '../../model/subscription/events';
import { stored } from '../../model/subscription/merge';
import { isOwn } from '../../model/subscription/state';
import { type Clock, systemClock } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import { readSettings } from '../parameters';
import { adopt, forget, useAt } from './nodeState';
import { readStore, writeStore } from './storage';
import { activationError } from './activationError';
import { checkConditions } from './checkConditions';
import { deleteWith, jitterOf, renew, logLeftBehind } from './renew';
import { targetUrlOf } from './webhookAddress';

/** Due times are spread over a tenth, so that many triggers do not renew together. */
const SPREAD = 0.1;

/**
 * Subscribes. While n8n starts, nothing that the service answers ends a published trigger: what was
 * there before stays, and is renewed later. Only a person who publishes sees an error.
 *
 * @throws NodeOperationError that says in its message what to do
 */
export async function activate(
	context: IHookFunctions,
	clock: Clock = systemClock,
): Promise<boolean> {
	try {
		return await subscribe(context, clock);
	} catch (error) {
		throw activationError(context.getNode(), error);
	}
}

async function subscribe(context: IHookFunctions, clock: Clock): Promise<boolean> {
	const settings = readSettings(context);
	const address = targetUrlOf(context);
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	if (!isStart) await checkConditions(context, settings, clock);
	const use = useAt(context, address);
	const node = adopt(context, use);
	node.epoch += 1;
	node.pendingSearch = undefined;
	node.spread = 1 + SPREAD * clock.random();
	const now = clock.now();
	const begun = node.dispatch({ type: 'started', address, stored: readStore(context), now });
	for (const task of begun) if (task.type === 'leaveBehind') logLeftBehind(context, task);
	const overlapMs = use === 'test' ? 0 : settings.overlapMs;
	const how = { savedByHook: true, overlapMs };
	const effects = await renew(context, node, settings, address, clock, how).catch(
		(error: unknown): Effect[] => {
			if (!isStart || error instanceof InputError) {
				if (node.set.current === undefined) forget(context, use);
				throw error;
			}
			node.dispatch({ type: 'refused', jitter: jitterOf(clock), now: clock.now() });
			warn(context, `The subscription could not be renewed yet: ${reasonOf(error)}`);
			return [];
		},
	);
	for (const task of effects) {
		if (task.type === 'delete') {
			await deleteWith(context, node, settings.authentication, task.subscriptions, clock);
		}
	}
	const foreign = node.set.retired.filter((one) => !isOwn(node.set, one)).map(({ id }) => id);
	if (foreign.length > 0) {
		warn(
			context,
			`Not deleted, because they deliver to an address other than ${address}: subscriptions ${foreign.join(', ')}`,
		);
	}
	writeStore(context, stored(node.set));
	return true;
}

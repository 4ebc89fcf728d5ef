/** `webhookMethods.create`: the workflow is published, a test begins, or n8n starts. */
import type { IHookFunctions } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import type { Effect } from '../../model/subscription/events';
import { stored as savedPart } from '../../model/subscription/merge';
import { isOwn } from '../../model/subscription/state';
import { type Clock, systemClock } from '../../transport/http/clock';
import { reasonOf, warn } from '../log';
import { readSettings, type TriggerSettings } from '../parameters';
import { adopt, forget, type NodeState, stopEnding, type Use, useAt } from './nodeState';
import { readStore, writeStore } from './storage';
import { activationError } from './activationError';
import { checkConditions } from './checkConditions';
import { deleteWith, logLeftBehind, renew } from './renew';
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
	const uncertain = await stopEnding(context, use);
	const node = adopt(context, use);
	node.epoch += 1;
	node.pendingSearch = undefined;
	node.spread = 1 + SPREAD * clock.random();
	const overlapMs = use === 'test' ? 0 : settings.overlapMs;
	const stored = await readStore(context, settings.authentication);
	const begun = node.dispatch({
		type: 'started',
		address,
		stored,
		byPerson: !isStart,
		overlapMs,
		now: clock.now(),
	});
	for (const effect of begun) if (effect.type === 'leaveBehind') logLeftBehind(context, effect);
	const effects = begun.some(({ type }) => type === 'create')
		? await renewAtStart(context, node, { settings, address, overlapMs, isStart, use }, clock)
		: [];
	const { current } = node.set;
	if (current && uncertain.includes(current.id)) {
		// A deletion of the same id may still be carried out.
		node.dispatch({ type: 'strained', id: current.id, now: clock.now() });
	}
	for (const effect of effects) {
		if (effect.type === 'delete') {
			await deleteWith(context, node, settings.authentication, effect.subscriptions, clock);
		}
	}
	const foreign = node.set.retired.filter((one) => !isOwn(node.set, one)).map(({ id }) => id);
	if (foreign.length > 0) {
		warn(
			context,
			`Not deleted, because they deliver to an address other than ${address}: subscriptions ${foreign.join(', ')}`,
		);
	}
	await writeStore(context, settings.authentication, savedPart(node.set));
	return true;
}

interface Start {
	settings: TriggerSettings;
	address: string;
	overlapMs: number;
	isStart: boolean;
	use: Use;
}

/** Subscribes; while n8n starts, a refusal is logged. @returns the next effects */
async function renewAtStart(
	context: IHookFunctions,
	node: NodeState,
	{ settings, address, overlapMs, isStart, use }: Start,
	clock: Clock,
): Promise<Effect[]> {
	const manner = { savedByHook: true, overlapMs };
	return await renew(context, node, settings, address, clock, manner).catch((error: unknown) => {
		if (!isStart || error instanceof InputError) {
			if (node.set.current === undefined) forget(context, use);
			throw error;
		}
		warn(context, `The subscription could not be renewed yet: ${reasonOf(error)}`);
		return [];
	});
}

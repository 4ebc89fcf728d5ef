import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { InputError } from '../model/inputError';
import type { KeptSubscriptions, RetiredSubscription, Subscription } from '../model/subscription';
import { openApi } from '../transport/api';
import { Failure } from '../transport/failures';
import { activationError } from './activationError';
import { deleteAll } from './deletion';
import {
	allOf,
	keepSubscriptions,
	loadSubscriptions,
	retire,
	saveSubscriptions,
} from './keptSubscriptions';
import { memoryOf, type PendingCatchUp } from './memory';
import { LIFECYCLE_CALL, readSettings, type TriggerSettings, watchedCard } from './settings';
import { subscribe } from './subscribe';
import { reasonOf } from './warning';
import { loopbackHint, targetUrlOf, withHint } from './webhookAddress';

/** How often catching up is tried; each try is an execution that the user can see. */
const CATCH_UP_TRIES = 3;
/** The new subscription may have missed what was created along with it, in ms. */
const CATCH_UP_MARGIN_MS = 2_000;
/** Lets the deliveries of that time come first, in ms. */
const CATCH_UP_DELAY_MS = 5_000;
/** How many old subscriptions may deliver beside the new one: n8n may be starting again and again. */
const MAX_OVERLAPPING = 5;

/**
 * Where records may have been missed: since the start before the last one, as nobody can say whether
 * the last one got to the end of catching up. What was seen is known, and left out.
 */
function missedTime(before: KeptSubscriptions, current: Subscription): PendingCatchUp | undefined {
	if (!before.current || before.current.cardId !== current.cardId) return undefined;
	return {
		after: before.catchUpFrom ?? before.current.since,
		upTo: current.since + CATCH_UP_MARGIN_MS,
		triesLeft: CATCH_UP_TRIES,
		notBefore: Date.now() + CATCH_UP_DELAY_MS,
	};
}

/** What the new subscription replaces; of a long row of starts, the first are to be deleted at once. */
function retiredBy(
	current: Subscription,
	before: KeptSubscriptions,
	deleteAt: number,
): RetiredSubscription[] {
	const replaced = [
		...before.retired,
		...(before.current ? [retire(before.current, deleteAt)] : []),
	].filter(({ id }) => id !== current.id);
	return replaced.map((one, index) =>
		index < replaced.length - MAX_OVERLAPPING ? retire(one, 0) : one,
	);
}

/**
 * Subscribes for a node, and retires what it had before: that one goes on delivering for a while what
 * happened while nobody was there. Kept in this process; saving is up to the caller.
 *
 * @param isWanted whether a subscription is still wanted once the service has answered
 * @returns whether it was; else nothing is kept or left at the service
 * @throws what `openApi` and `subscribe` throw
 */
export async function renew(
	context: IHookFunctions | ITriggerFunctions,
	settings: TriggerSettings,
	targetUrl: string,
	isWanted: () => boolean = () => true,
): Promise<boolean> {
	const memory = memoryOf(context);
	const warn = (message: string) => context.logger.warn(message);
	const api = await openApi(context, settings.authentication);
	const cardId = await watchedCard(settings, api, LIFECYCLE_CALL).catch((error: unknown) => {
		// The card was renamed since; n8n was only restarted, so it is still the one that is meant.
		const known = loadSubscriptions(context).current;
		if (error instanceof InputError && known) return known.cardId;
		throw error;
	});
	const request = { targetUrl, events: settings.events, cardId };
	const ours = () => {
		if (!isWanted()) return [];
		const all = allOf(loadSubscriptions(context));
		// One that gives way leaves nothing behind when the new one then fails.
		if (memory.renewal) memory.renewal.isUrgent ||= all.some((one) => one.targetUrl === targetUrl);
		return all;
	};
	const current = await subscribe(api, request, ours, warn).catch((error: unknown) => {
		throw withHint(error, loopbackHint(targetUrl, api.baseUrl));
	});
	if (!isWanted()) {
		// A service may give the same one twice for one address: then it is the node's by now.
		const isNew = memory.kept.current?.id !== current.id;
		const left = isNew ? await deleteAll(api, [retire(current, 0)], warn) : [];
		memory.kept = { ...memory.kept, retired: [...memory.kept.retired, ...left] };
		return false;
	}

	const before = loadSubscriptions(context);
	const overlapMs = context.getMode() === 'manual' ? 0 : settings.overlapMs;
	const retired = retiredBy(current, before, Date.now() + overlapMs);
	const catchUpFrom = before.current?.since ?? current.since;
	if (settings.catchUp && settings.events.includes('record.created')) {
		memory.catchUp = missedTime(before, current);
	}
	keepSubscriptions(context, { current, retired, catchUpFrom });
	memory.aliveAt = Date.now();

	const hint = loopbackHint(targetUrl, api.baseUrl);
	if (hint) warn(`${context.getNode().name}: ${hint}`);
	const due = retired.filter((one) => one.deleteAt <= Date.now());
	const left = await deleteAll(api, due, warn);
	if (!isWanted()) return false;
	const remaining = retired.filter((one) => !due.includes(one) || left.includes(one));
	keepSubscriptions(context, { current, retired: remaining, catchUpFrom });
	return true;
}

/** Whether trying again later can help. */
const isTransient = (error: unknown): boolean => error instanceof Failure && error.transient;

/**
 * `webhookMethods.create`. A service that cannot be reached while n8n starts must not leave a published
 * workflow dead: what was there before is kept, and renewed later.
 *
 * @throws NodeOperationError that says in its message what to do
 */
export async function createSubscription(context: IHookFunctions): Promise<boolean> {
	const targetUrl = targetUrlOf(context);
	memoryOf(context).renewal = undefined;
	try {
		await renew(context, readSettings(context), targetUrl);
		saveSubscriptions(context);
		return true;
	} catch (error) {
		const { current } = loadSubscriptions(context);
		const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
		if (!isStart || !current || !isTransient(error)) {
			throw activationError(context.getNode(), error);
		}
		memoryOf(context).renewal = {
			targetUrl,
			notBefore: Date.now(),
			isUrgent: true,
		};
		context.logger.warn(
			`${context.getNode().name}: the subscription will be renewed later: ${reasonOf(error)}`,
		);
		return true;
	}
}

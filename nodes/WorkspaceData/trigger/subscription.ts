import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { InputError } from '../model/inputError';
import {
	type KeptSubscriptions,
	NO_SUBSCRIPTIONS,
	readCreatedSubscription,
	type RetiredSubscription,
	type Subscription,
} from '../model/subscription';
import { openApi, type ApiAnswer, type WorkspaceApi } from '../transport/api';
import { AccessTokenError } from '../transport/accessToken';
import { ApiFailure, UnexpectedAnswer, Unreachable } from '../transport/failures';
import { activationError } from './activationError';
import { loadSubscriptions, retire, saveSubscriptions } from './keptSubscriptions';
import {
	memoryOf,
	type PendingCatchUp,
	type SubscriptionRequest,
	type TriggerMemory,
} from './memory';
import { LIFECYCLE_CALL, readSettings, watchedCard } from './settings';

/** Deletions are not worth more; n8n waits for them when a workflow is unpublished. */
const DELETE_CALL = { impatient: true, timeoutMs: 8_000 } as const;

/** How often catching up is tried; each try is an execution that the user can see. */
const CATCH_UP_TRIES = 3;
/** The new subscription may have missed what was created along with it, in ms. */
const CATCH_UP_MARGIN_MS = 2_000;
/** Lets the deliveries of that time come first, in ms. */
const CATCH_UP_DELAY_MS = 5_000;
/** The Date header leaves out the fraction of a second. */
const DATE_PRECISION_MS = 1_000;

/** The service's clock at the time of an answer, in ms since the epoch. */
function serverTime({ headers }: ApiAnswer): number {
	const date = Date.parse(String(headers.date));
	return Number.isNaN(date) ? Date.now() : date;
}

/**
 * Creates a subscription at the service.
 *
 * @throws UnexpectedAnswer when the answer holds no identifier or no secret; what may have been
 * created is deleted if it can be
 * @see service interface, part 4, "Webhook subscriptions"
 */
export async function subscribe(
	api: WorkspaceApi,
	{ targetUrl, events, cardId }: SubscriptionRequest,
	memory: TriggerMemory,
): Promise<Subscription> {
	const answer = await api.request({
		method: 'POST',
		path: ['webhooks'],
		body: { target_url: targetUrl, events, ...(cardId !== null && { card_id: cardId }) },
		...LIFECYCLE_CALL,
	});
	const { id, secret, createdAt } = readCreatedSubscription(answer.body);
	if (id === undefined || secret === undefined) {
		if (id !== undefined) await deleteSubscription(api, id).catch(() => undefined);
		throw new UnexpectedAnswer(
			`The service accepted the subscription, but its answer holds no ${secret === undefined ? 'secret' : 'identifier'}`,
			"Without both, deliveries can be neither verified nor ended. Check 'Base URL' in the credential, and look for a leftover subscription in the settings of the service",
		);
	}
	const now = serverTime(answer);
	memory.clockAheadMs = now - Date.now();
	return {
		id,
		secret,
		targetUrl,
		workspaceId: api.workspaceId,
		cardId,
		since: createdAt ?? now + DATE_PRECISION_MS,
	};
}

/** Deletes a subscription; one that is gone already counts as deleted. */
async function deleteSubscription(api: WorkspaceApi, id: string): Promise<void> {
	await api
		.request({
			method: 'DELETE',
			path: ['webhooks', { value: id, parameter: 'Subscription' }],
			...DELETE_CALL,
		})
		.catch((error: unknown) => {
			if (!(error instanceof ApiFailure && error.problem.status === 404)) throw error;
		});
}

/**
 * Deletes subscriptions side by side.
 *
 * @returns those that could not be deleted
 */
export async function deleteAll(
	api: WorkspaceApi,
	subscriptions: readonly RetiredSubscription[],
	warn: (message: string) => void,
): Promise<RetiredSubscription[]> {
	const outcomes = await Promise.all(
		subscriptions.map(async (subscription) => {
			try {
				await deleteSubscription(api, subscription.id);
				return undefined;
			} catch (error) {
				const reason = error instanceof Error ? error.message : String(error);
				warn(`Subscription ${subscription.id} could not be deleted yet: ${reason}`);
				return subscription;
			}
		}),
	);
	return outcomes.filter((left) => left !== undefined);
}

const isLoopback = (url: string): boolean =>
	/^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i.test(new URL(url).hostname);

/** What to know when the service cannot come to n8n's address. */
export function loopbackHint(targetUrl: string, baseUrl: string): string | undefined {
	if (!isLoopback(targetUrl) || isLoopback(baseUrl)) return undefined;
	return `n8n gives its own address as ${new URL(targetUrl).origin}, which only this machine can reach; set n8n's webhook address (N8N_WEBHOOK_URL, or WEBHOOK_URL in n8n 1) to one that ${new URL(baseUrl).host} can reach`;
}

/** The error, with the hint where the service refused the address. */
function withHint(error: unknown, hint: string | undefined): unknown {
	if (!hint || !(error instanceof ApiFailure) || error.problem.status >= 500) return error;
	return new ApiFailure(error.problem, [error.advice, hint].filter(Boolean).join(' '));
}

function targetUrlOf(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) throw new Error('n8n gives no webhook address for this node');
	return url;
}

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

/**
 * Subscribes for a node, and retires what it had before: that one goes on delivering for a while what
 * happened while nobody was there.
 *
 * @throws what `openApi` and `subscribe` throw
 */
export async function renew(
	context: IHookFunctions | ITriggerFunctions,
	targetUrl: string,
): Promise<void> {
	const settings = readSettings(context);
	const memory = memoryOf(context);
	const api = await openApi(context, settings.authentication);
	const cardId = await watchedCard(settings, api, LIFECYCLE_CALL).catch((error: unknown) => {
		// The card was renamed since; n8n was only restarted, so it is still the one that is meant.
		const known = loadSubscriptions(context).current;
		if (error instanceof InputError && known) return known.cardId;
		throw error;
	});
	const request = { targetUrl, events: settings.events, cardId };
	const current = await subscribe(api, request, memory).catch((error: unknown) => {
		throw withHint(error, loopbackHint(targetUrl, api.baseUrl));
	});

	const before = loadSubscriptions(context);
	const overlapMs = context.getMode() === 'manual' ? 0 : settings.overlapMs;
	const deleteAt = Date.now() + overlapMs;
	const retired = before.current
		? [...before.retired, retire(before.current, deleteAt)]
		: before.retired;
	const catchUpFrom = before.current?.since ?? current.since;
	if (settings.catchUp && settings.events.includes('record.created')) {
		memory.catchUp = missedTime(before, current);
	}
	memory.renewal = undefined;
	saveSubscriptions(context, { current, retired, catchUpFrom });

	const hint = loopbackHint(targetUrl, api.baseUrl);
	if (hint) context.logger.warn(`${context.getNode().name}: ${hint}`);
	const due = retired.filter((one) => one.deleteAt <= Date.now());
	const left = await deleteAll(api, due, (message) => context.logger.warn(message));
	const remaining = retired.filter((one) => !due.includes(one) || left.includes(one));
	saveSubscriptions(context, { current, retired: remaining, catchUpFrom });
}

/** Whether trying again later can help. */
const isTransient = (error: unknown): boolean =>
	error instanceof Unreachable ||
	(error instanceof AccessTokenError && error.transient) ||
	(error instanceof ApiFailure &&
		(error.problem.status >= 500 || [408, 429].includes(error.problem.status)));

/**
 * `webhookMethods.create`. A service that cannot be reached while n8n starts must not leave a published
 * workflow dead: what was there before is kept, and renewed later.
 *
 * @throws NodeOperationError that says in its message what to do
 */
export async function createSubscription(context: IHookFunctions): Promise<boolean> {
	const targetUrl = targetUrlOf(context);
	try {
		await renew(context, targetUrl);
		return true;
	} catch (error) {
		const { current } = loadSubscriptions(context);
		const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
		if (!isStart || !current || !isTransient(error)) {
			throw activationError(context.getNode(), error);
		}
		memoryOf(context).renewal = { targetUrl, notBefore: Date.now() };
		const reason = error instanceof Error ? error.message : String(error);
		context.logger.warn(
			`${context.getNode().name}: the subscription will be renewed later: ${reason}`,
		);
		return true;
	}
}

/** `webhookMethods.delete`: never throws; what could not be deleted is remembered and tried again. */
export async function endSubscriptions(context: IHookFunctions): Promise<boolean> {
	const { current, retired } = loadSubscriptions(context);
	const all = [...retired, ...(current ? [retire(current, 0)] : [])];
	const warn = (message: string) => context.logger.warn(message);
	let left: KeptSubscriptions['retired'] = all;
	try {
		if (all.length > 0) {
			const { authentication } = readSettings(context);
			left = await deleteAll(await openApi(context, authentication), all, warn);
		}
	} catch (error) {
		warn(`The subscription could not be deleted yet: ${String(error)}`);
	}
	const remembered = left.map((subscription) => retire(subscription, 0));
	saveSubscriptions(context, { ...NO_SUBSCRIPTIONS, retired: remembered });
	const memory = memoryOf(context);
	memory.catchUp = undefined;
	memory.renewal = undefined;
	return remembered.length === 0;
}

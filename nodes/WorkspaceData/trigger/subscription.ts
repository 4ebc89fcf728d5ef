import type { IHookFunctions } from 'n8n-workflow';
import {
	type KeptSubscriptions,
	readCreatedSubscription,
	type RetiredSubscription,
	type Subscription,
} from '../model/subscription';
import { openApi, type ApiAnswer, type WorkspaceApi } from '../transport/api';
import { ApiFailure, UnexpectedAnswer } from '../transport/failures';
import { activationError } from './activationError';
import { loadSubscriptions, retire, saveSubscriptions } from './keptSubscriptions';
import { memoryOf, type SubscriptionRequest, type TriggerMemory } from './memory';
import { LIFECYCLE_CALL, readSettings, watchedCard } from './settings';

/** Deletions are not worth more; n8n waits for them when a workflow is unpublished. */
const DELETE_CALL = { impatient: true, timeoutMs: 8_000 } as const;

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
		creates: 'subscription',
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
		since: createdAt ?? now,
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
function loopbackHint(targetUrl: string, baseUrl: string): string | undefined {
	if (!isLoopback(targetUrl) || isLoopback(baseUrl)) return undefined;
	return `n8n gives its own address as ${new URL(targetUrl).origin}, which only this machine can reach; set n8n's webhook address (N8N_WEBHOOK_URL, or WEBHOOK_URL in n8n 1) to one that ${new URL(baseUrl).host} can reach`;
}

function targetUrlOf(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default');
	if (url === undefined) throw new Error('n8n gives no webhook address for this node');
	return url;
}

/** Subscribes for a node, and retires what it had before. @throws what `openApi` and `subscribe` throw */
async function renew(context: IHookFunctions): Promise<void> {
	const settings = readSettings(context);
	const memory = memoryOf(context);
	const targetUrl = targetUrlOf(context);
	const api = await openApi(context, settings.authentication);
	const hint = loopbackHint(targetUrl, api.baseUrl);
	if (hint) context.logger.warn(`${context.getNode().name}: ${hint}`);

	const cardId = await watchedCard(settings, api, LIFECYCLE_CALL);
	const request = { targetUrl, events: settings.events, cardId };
	const current = await subscribe(api, request, memory);

	const before = loadSubscriptions(context);
	const deleteAt = Date.now() + settings.overlapMs;
	const retired = before.current
		? [...before.retired, retire(before.current, deleteAt)]
		: before.retired;
	saveSubscriptions(context, { current, retired });
	const due = retired.filter((subscription) => subscription.deleteAt <= Date.now());
	const left = await deleteAll(api, due, (message) => context.logger.warn(message));
	saveSubscriptions(context, {
		current,
		retired: retired.filter((one) => !due.includes(one) || left.includes(one)),
	});
}

/** `webhookMethods.create`. @throws NodeOperationError that says in its message what to do */
export async function createSubscription(context: IHookFunctions): Promise<boolean> {
	try {
		await renew(context);
		return true;
	} catch (error) {
		throw activationError(context.getNode(), error);
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
	saveSubscriptions(context, { current: undefined, retired: remembered });
	return remembered.length === 0;
}

import { problem } from '../http/problem.ts';
import {
	webhookCreateSchema,
	webhookParams,
	webhookSchema,
	workspaceParams,
} from './resources.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Variants } from '../control/variants.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/app.ts';

const all = '/workspaces/:wid/webhooks';
const one = `${all}/:webhook_id`;
const tags = ['Webhooks'];

/** A subscription as the API shows it, without its secret. */
function showSubscription(subscription: Subscription, variants: Variants): object {
	return {
		[variants.webhookIdKey]: subscription.id,
		target_url: subscription.targetUrl,
		events: subscription.events,
		card_id: subscription.cardId,
		state: subscription.state,
		created_at: subscription.createdAt,
	};
}

/** Adds the subscription endpoints. @see service interface, part 4 "Webhook subscriptions" */
export function addWebhookRoutes(app: App, { store, answers, variants }: RouteContext) {
	const { subscriptions, cards, identities } = store;

	app.post(
		all,
		{
			schema: {
				operationId: 'createWebhook',
				summary: 'Create a subscription; its secret is in this answer only',
				tags,
				params: workspaceParams,
				body: webhookCreateSchema,
				response: answersOf({ 201: webhookSchema }),
			},
		},
		({ params: { wid }, body }, reply) => {
			const { card_id: cardId } = body;
			if (cardId !== undefined && !cards.find(wid, cardId)) {
				const detail = `Card "${cardId}" does not exist in workspace "${wid}".`;
				throw problem('validation-failed', detail, {
					errors: [{ pointer: '/card_id', detail }],
				});
			}
			const subscription = subscriptions.create({
				workspaceId: wid,
				cardId: cardId ?? null,
				targetUrl: body.target_url,
				events: [...new Set(body.events)],
				owner: identities.workspace(wid)?.ownerEmail ?? '',
			});
			const shown = showSubscription(subscription, variants);
			return answers.subscription(reply, shown, subscription.secret);
		},
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteWebhook',
				summary: 'Delete a subscription, active or paused',
				tags,
				params: webhookParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params: { wid, webhook_id: id } }, reply) => {
			const subscription = subscriptions.find(id);
			if (subscription?.workspaceId !== wid) {
				throw problem(
					'webhook-not-found',
					`Webhook subscription "${id}" does not exist in workspace "${wid}".`,
				);
			}
			subscriptions.remove(id);
			const shown = showSubscription(subscription, variants);
			return answers.object(reply, 'webhook', shown, 'delete');
		},
	);
}

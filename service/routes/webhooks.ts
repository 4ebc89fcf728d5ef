import { webhookCreateSchema, webhookParams, webhookSchema, workspaceParams } from './resources.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import { answersOf, noBody } from './answersOf.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/webhooks';
const one = `${all}/:webhook_id`;
const tags = ['Webhooks'];

/** A subscription as the API shows it, without its secret. */
export const showSubscription = (subscription: Omit<Subscription, 'secret'>) => ({
	webhook_id: subscription.id,
	target_url: subscription.targetUrl,
	events: subscription.events,
	card_id: subscription.cardId,
	state: subscription.state,
	created_at: subscription.createdAt,
});

/** Adds the subscription endpoints. @see service interface, part 4 "Webhook subscriptions" */
export function addWebhookRoutes(app: App, { data: { subscriptions } }: RouteContext) {
	app.post(
		all,
		{
			schema: {
				operationId: 'createWebhook',
				summary: 'Create a subscription; its secret is in this answer only',
				description: 'Deliveries are signed with the secret, in the header X-Service-Signature.',
				tags,
				params: workspaceParams,
				body: webhookCreateSchema,
				response: answersOf({ 201: webhookSchema }),
			},
		},
		({ params, body: { target_url: targetUrl, events, card_id: cardId } }, reply) => {
			const made = subscriptions.create(params.wid, { targetUrl, events, cardId });
			return reply.code(201).send({ ...showSubscription(made), secret: made.secret });
		},
	);

	app.delete(
		one,
		{
			schema: {
				operationId: 'deleteWebhook',
				summary: 'Delete a subscription, active or paused',
				description: 'What still waits for the subscription is not delivered any more.',
				tags,
				params: webhookParams,
				response: answersOf({ 204: noBody }),
			},
		},
		({ params }, reply) => {
			subscriptions.remove(params.wid, params.webhook_id);
			return reply.code(204).send();
		},
	);
}

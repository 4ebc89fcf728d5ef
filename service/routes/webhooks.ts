/** The subscription endpoints. */
import { webhookCreateSchema, webhookParams, webhookSchema, workspaceParams } from './resources.ts';
import type { Subscription } from '../data/subscriptions.ts';
import { endpoint, noBody } from './endpoint.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/webhooks';
const one = `${all}/:webhook_id`;

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
		endpoint(
			'createWebhook',
			'Create a subscription. Its secret, which signs deliveries, is in this response only.',
			[201, webhookSchema],
			{ params: workspaceParams, body: webhookCreateSchema },
		),
		({ params, body }, reply) => {
			const { target_url: targetUrl, events, card_id: cardId = null } = body;
			const made = subscriptions.create(params.wid, { targetUrl, events, cardId });
			return reply.code(201).send({ ...showSubscription(made), secret: made.secret });
		},
	);

	app.delete(
		one,
		endpoint(
			'deleteWebhook',
			'Delete a subscription, active or paused. What waits for it is not delivered.',
			[204, noBody],
			{ params: webhookParams },
		),
		({ params }, reply) => {
			subscriptions.remove(params.wid, params.webhook_id);
			return reply.code(204).send();
		},
	);
}

/** The subscription endpoints. */
import { webhookCreateSchema, webhookParams, webhookSchema, workspaceParams } from './resources.ts';
import type { Subscription } from '../data/subscriptions.ts';
import { endpoint } from './endpoint.ts';
import type { App, RouteContext } from '../http/context.ts';

const all = '/workspaces/:wid/webhooks';
const one = `${all}/:webhook_id`;

/** A subscription as the API shows it, when it is new. */
const showSubscription = (subscription: Subscription) => ({
	webhook_id: subscription.id,
	target_url: subscription.targetUrl,
	events: subscription.events,
	card_id: subscription.cardId,
	state: subscription.state,
	created_at: subscription.createdAt,
	secret: subscription.secret,
});

/** Adds the subscription endpoints. @see service interface, part 4 "Webhook subscriptions" */
export function addWebhookRoutes(app: App, { data: { subscriptions } }: RouteContext) {
	app.post(
		all,
		endpoint(
			['create', 'Webhook'],
			'Create a subscription. Its secret is in this response only.',
			{ params: workspaceParams, body: webhookCreateSchema },
			webhookSchema,
		),
		({ params, body }) => {
			const { target_url: targetUrl, events, card_id: cardId = null } = body;
			return showSubscription(subscriptions.create(params.wid, { targetUrl, events, cardId }));
		},
	);
	app.delete(
		one,
		endpoint(
			['delete', 'Webhook'],
			'Delete a subscription, active or paused, and what waits for it.',
			{ params: webhookParams },
		),
		async ({ params }) => subscriptions.remove(params.wid, params.webhook_id),
	);
}

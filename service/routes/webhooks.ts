/** The subscription endpoints. */
import type { FastifyInstance } from 'fastify';
import type { Subscription } from '../data/subscriptions.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { addEndpoint } from './endpoint.ts';
import { webhookCreateSchema, webhookSchema } from './resources.ts';

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
export function addWebhookRoutes(app: FastifyInstance, { subscriptions }: WorkspaceData) {
	addEndpoint(app, 'create', 'webhook', {
		summary: 'Create a subscription. Its secret is in this response only.',
		body: webhookCreateSchema,
		response: webhookSchema,
		run({ wid }, { body }) {
			const { target_url: targetUrl, events, card_id: cardId = null } = body;
			return showSubscription(subscriptions.create(wid, { targetUrl, events, cardId }));
		},
	});
	addEndpoint(app, 'delete', 'webhook', {
		summary: 'Delete a subscription, active or paused, and what waits for it.',
		run: ({ wid, webhook_id }) => subscriptions.remove(wid, webhook_id),
	});
}

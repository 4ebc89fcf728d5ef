import type { EventName } from '../foundation/events.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Store } from '../storage/store.ts';
import { refusal } from './refusal.ts';

/** The operations of clients and the settings page on webhook subscriptions. */
export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Gives the operations over a store. */
export function createSubscriptions(store: Store, quotas: Pick<Quotas, 'subscriptions'>) {
	const { subscriptions, cards, deliveries, identities } = store;

	const operations = {
		/** All of a workspace with what waits for them; without their secrets. */
		list: (workspaceId: string) =>
			subscriptions.list(workspaceId).map(({ secret: _secret, ...rest }) => ({
				...rest,
				pending: deliveries.waiting(rest.id).deliveries,
			})),
		/** @throws Refusal webhook-not-found */
		get(workspaceId: string, id: string): Subscription {
			const found = subscriptions.find(id);
			if (found?.workspaceId === workspaceId) return found;
			throw refusal(
				'webhook-not-found',
				`Webhook subscription "${id}" does not exist in workspace "${workspaceId}".`,
			);
		},
		/** @throws Refusal validation-failed (unknown card), quota-exceeded */
		create(
			workspaceId: string,
			input: { targetUrl: string; events: EventName[]; cardId?: string | undefined },
		): Subscription {
			const { targetUrl, events, cardId } = input;
			if (cardId !== undefined && !cards.find(workspaceId, cardId)) {
				const detail = `Card "${cardId}" does not exist in workspace "${workspaceId}".`;
				throw refusal('validation-failed', detail, [{ pointer: '/card_id', detail }]);
			}
			if (subscriptions.count(workspaceId) >= quotas.subscriptions) {
				throw refusal(
					'quota-exceeded',
					`Workspace "${workspaceId}" already has ${quotas.subscriptions} webhook subscriptions, the most it may have.`,
				);
			}
			return subscriptions.create({
				workspaceId,
				cardId: cardId ?? null,
				targetUrl,
				events: [...new Set(events)],
				owner: identities.workspace(workspaceId)?.ownerEmail ?? '',
			});
		},
		remove(workspaceId: string, id: string): Subscription {
			const found = operations.get(workspaceId, id);
			store.removeSubscription(id);
			return found;
		},
		/** Makes a paused subscription active; what waits is delivered at once. @returns whether it was paused */
		resume(id: string): boolean {
			const resumed = store.database.transaction(() => {
				const paused = subscriptions.resume(id);
				if (paused) deliveries.restart(id);
				return paused;
			});
			store.listeners.published(id);
			return resumed;
		},
	};
	return operations;
}

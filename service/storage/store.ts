import type { Clock } from '../foundation/clock.ts';
import { type DomainEvent, eventBody } from '../foundation/events.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { createCardStore } from './cards.ts';
import { openDatabase } from './database.ts';
import { createDeliveryStore } from './deliveryQueue.ts';
import { createFieldStore } from './fields.ts';
import { createIdentityStore } from './identities.ts';
import { createLeftovers } from './leftovers.ts';
import { createMailStore } from './mails.ts';
import { createRecordStore } from './records.ts';
import { createSubscriptionStore, type Subscription } from './subscriptions.ts';

/** Everything that is stored, and the one way to change it so that events come of it. */
export type Store = ReturnType<typeof openStore>;

/** Queues an event for whoever subscribed to it; only valid inside `change`. */
export type Publish = (event: DomainEvent) => void;

/** The reactions of others when something was published, queued or left over. */
export interface StoreListeners {
	/** Changes an event before it is written; nothing does unless a test asks for it. */
	beforeEvent(event: DomainEvent): DomainEvent;
	/** A subscription has something new to deliver. */
	published(subscriptionId: string): void;
	/** More waits for a subscription than it may have: pauses it, in the transaction of the change. */
	overflowed(subscription: Subscription): void;
	/** Something was deleted, and its rows can be cleared away. */
	leftOver(): void;
}

/**
 * Opens the database with all its tables.
 * @param file path, or `:memory:`
 */
export function openStore(
	file: string,
	clock: Clock,
	quotas: Pick<Quotas, 'pendingDeliveries' | 'pendingBytes' | 'mails' | 'fileBytes'>,
) {
	const database = openDatabase(file, quotas.fileBytes);
	const fields = createFieldStore(database);
	const subscriptions = createSubscriptionStore(database, clock);
	const deliveries = createDeliveryStore(database);
	const leftovers = createLeftovers(database);
	const mails = createMailStore(database, clock, quotas);
	const listeners: StoreListeners = {
		beforeEvent: (event) => event,
		published: () => {},
		overflowed: () => {},
		leftOver: () => {},
	};

	const recipients = (event: DomainEvent) =>
		subscriptions
			.active(event.workspaceId)
			.filter(({ cardId }) => cardId === null || cardId === event.cardId)
			.filter(({ events }) => events.includes(event.event));

	const hasRoom = ({ id }: Subscription, bytes: number) => {
		const waits = deliveries.waiting(id);
		return (
			waits.deliveries < quotas.pendingDeliveries && waits.bytes + bytes <= quotas.pendingBytes
		);
	};

	return {
		database,
		identities: createIdentityStore(database, clock),
		cards: createCardStore(database, clock),
		fields,
		records: createRecordStore(database, clock),
		subscriptions,
		deliveries,
		leftovers,
		mails,
		listeners,
		/**
		 * Runs a change and queues the deliveries of its events in one transaction: either both are
		 * there after a crash or neither.
		 */
		change<T>(work: (publish: Publish) => T): T {
			const woken = new Set<string>();
			const publish: Publish = (published) => {
				const wanted = recipients(published);
				if (wanted.length === 0) return;
				const event = listeners.beforeEvent(published);
				const createdAt = clock.iso();
				const body = eventBody(event, createdAt);
				const bytes = Buffer.byteLength(body);
				const served = wanted.filter((one) => hasRoom(one, bytes));
				for (const one of wanted) if (!served.includes(one)) listeners.overflowed(one);
				const ids = served.map(({ id }) => id);
				if (ids.length === 0) return;
				const { event: name, cardId } = event;
				deliveries.enqueue({ name, body, createdAt, cardId }, ids);
				for (const id of ids) woken.add(id);
			};
			const result = database.transaction(() => work(publish));
			for (const id of woken) listeners.published(id);
			return result;
		},
		/** Deletes a subscription: it is gone at once, what waits for it is cleared away later. */
		removeSubscription(id: string) {
			database.transaction(() => {
				subscriptions.hide(id);
				mails.removeOf(id);
				leftovers.add('subscription', id);
			});
			deliveries.forget(id);
			listeners.leftOver();
		},
		close() {
			database.close();
		},
	};
}

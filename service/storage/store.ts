import type { Clock } from '../foundation/clock.ts';
import { type DomainEvent, eventBody } from '../foundation/events.ts';
import { createCardStore } from './cards.ts';
import { openDatabase } from './database.ts';
import { createDeliveryStore } from './deliveries.ts';
import { createFieldStore } from './fields.ts';
import { createIdentityStore } from './identities.ts';
import { createMailStore } from './mails.ts';
import { createRecordStore } from './records.ts';
import { createSubscriptionStore } from './subscriptions.ts';

/** Everything that is stored, and the one way to change it so that events come of it. */
export type Store = ReturnType<typeof openStore>;

/** Queues an event for whoever subscribed to it; only valid inside `change`. */
export type Publish = (event: DomainEvent) => void;

/**
 * Opens the database with all its tables.
 * @param file path, or `:memory:`
 */
export function openStore(file: string, clock: Clock) {
	const database = openDatabase(file);
	const fields = createFieldStore(database);
	const subscriptions = createSubscriptionStore(database, clock);
	const deliveries = createDeliveryStore(database);
	/** Called with the id of a subscription that has something new to deliver. */
	let wake: (subscriptionId: string) => void = () => {};

	const recipients = (event: DomainEvent) =>
		subscriptions
			.active(event.workspaceId)
			.filter(({ cardId }) => cardId === null || cardId === event.cardId)
			.filter(({ events }) => events.includes(event.event))
			.map(({ id }) => id);

	return {
		database,
		identities: createIdentityStore(database, clock),
		cards: createCardStore(database, clock),
		fields,
		records: createRecordStore(database, clock),
		subscriptions,
		deliveries,
		mails: createMailStore(database, clock),
		/**
		 * Runs a change and queues the deliveries of its events in one transaction: either both are
		 * there after a crash or neither.
		 */
		change<T>(work: (publish: Publish) => T): T {
			const woken = new Set<string>();
			const publish: Publish = (event) => {
				const ids = recipients(event);
				if (ids.length === 0) return;
				const timestamp = clock.iso();
				deliveries.enqueue(event.event, eventBody(event, timestamp), timestamp, ids);
				for (const id of ids) woken.add(id);
			};
			try {
				const result = database.transaction(() => work(publish));
				for (const id of woken) wake(id);
				return result;
			} catch (error) {
				fields.forgetAll();
				subscriptions.forget();
				throw error;
			}
		},
		/** Says who delivers. */
		onPublished(listener: (subscriptionId: string) => void) {
			wake = listener;
		},
		close() {
			database.close();
		},
	};
}

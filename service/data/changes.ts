/** Changes: a transaction with the deliveries of its events. */
import type { Clock } from '../foundation/clock.ts';
import { type DomainEvent, eventBody } from '../foundation/events.ts';
import type { Database } from './database.ts';
import type { Deliveries } from './deliveries.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Queues an event for whoever subscribed to it. */
export type Publish = (event: DomainEvent) => void;

/** What changes need of everything that is stored. */
export interface EventData {
	database: Database;
	clock: Clock;
	subscriptions: Subscriptions;
	deliveries: Deliveries;
}

/** Runs changes. */
export class Changes {
	/** Alters an event before it is written; nothing does unless a test asks for it. */
	beforeEvent: (event: DomainEvent) => DomainEvent = (event) => event;
	/** Told about each subscription that has something new to deliver. */
	published: (subscriptionId: string) => void = () => {};
	readonly #data: EventData;

	constructor(data: EventData) {
		this.#data = data;
	}

	/**
	 * Runs a change and queues the deliveries of its events in one transaction: after a crash, either both are there or
	 * neither.
	 */
	run<T>(work: (publish: Publish) => T): T {
		const woken = new Set<string>();
		const result = this.#data.database.transaction(() =>
			work((event) => this.#queue(event, woken)),
		);
		for (const id of woken) this.published(id);
		return result;
	}

	#queue(published: DomainEvent, woken: Set<string>): void {
		const { subscriptions, deliveries, clock } = this.#data;
		const recipients = subscriptions
			.active(published.workspaceId)
			.filter(({ cardId }) => cardId === null || cardId === published.cardId)
			.filter(({ events }) => events.includes(published.event));
		if (recipients.length === 0) return;
		const event = this.beforeEvent(published);
		const createdAt = clock.iso();
		const body = eventBody(event, createdAt);
		for (const { id } of recipients) {
			const { event: name, cardId } = event;
			deliveries.enqueue({ subscriptionId: id, event: name, cardId, body, createdAt });
			woken.add(id);
		}
	}
}

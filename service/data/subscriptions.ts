/** Webhook subscriptions, and the events that they are told about. */
import { problem } from '../foundation/problem.ts';
import { newId, newSecret } from '../foundation/secrets.ts';
import type { Database } from './database.ts';
import type { Deliveries } from './deliveries.ts';

/** The events that a subscription can ask for. @see service interface, part 6 */
export const eventNames = [
	'record.created',
	'record.updated',
	'record.deleted',
	'card.created',
	'card.updated',
	'collaborator.added',
] as const;

/** Name of an event. */
export type EventName = (typeof eventNames)[number];

/** A webhook subscription as stored. */
export interface Subscription {
	id: string;
	workspaceId: string;
	cardId: string | null;
	targetUrl: string;
	events: EventName[];
	secret: string;
	state: 'active' | 'paused';
	createdAt: string;
	pausedAt: string | null;
}

type Row = Omit<Subscription, 'events'> & { events: string };

const parse = ({ events, ...rest }: Row): Subscription => ({
	...rest,
	events: JSON.parse(events) as EventName[],
});

/** The subscriptions of all workspaces. */
export class Subscriptions {
	/** Told about a subscription that has something new to deliver. */
	queued: (subscriptionId: string) => void = () => {};
	readonly #database: Database;
	readonly #deliveries: Deliveries;

	constructor(database: Database, deliveries: Deliveries) {
		this.#database = database;
		this.#deliveries = deliveries;
	}

	/**
	 * Queues an event for whoever subscribed to it. It belongs into the transaction of the change: after a crash, either
	 * both are there or neither.
	 * @param details members of the body after the common ones
	 */
	publish(event: EventName, workspaceId: string, cardId: string, details: object): void {
		const recipients = this.#all(workspaceId).filter(
			(one) =>
				one.state === 'active' &&
				(one.cardId === null || one.cardId === cardId) &&
				one.events.includes(event),
		);
		if (recipients.length === 0) return;
		const timestamp = this.#database.clock.iso();
		const common = { event, timestamp, workspace_id: workspaceId, card_id: cardId };
		// Written once and kept, so that every attempt sends the same bytes.
		const body = JSON.stringify({ ...common, ...details });
		for (const { id } of recipients) {
			this.#deliveries.add({ subscriptionId: id, event, body, createdAt: timestamp });
			// Once the transaction has ended, one way or the other.
			setImmediate(() => this.queued(id));
		}
	}

	/** All of a workspace with the number of deliveries that wait for them; without their secrets. */
	list(workspaceId: string) {
		return this.#all(workspaceId).map(({ secret: _secret, ...rest }) => ({
			...rest,
			pending: this.#deliveries.count(rest.id),
		}));
	}

	find(id: string): Subscription | undefined {
		const row = this.#database.get<Row>('SELECT * FROM subscriptions WHERE id = ?', id);
		return row && parse(row);
	}

	/** @throws Problem validation-failed (unknown card) */
	create(
		workspaceId: string,
		{ targetUrl, events, cardId }: Pick<Subscription, 'targetUrl' | 'events' | 'cardId'>,
	): Subscription {
		const known = 'SELECT 1 FROM cards WHERE id = ? AND workspaceId = ?';
		if (cardId !== null && !this.#database.get(known, cardId, workspaceId)) {
			const detail = `Card "${cardId}" does not exist in workspace "${workspaceId}".`;
			throw problem('validation-failed', detail, { errors: [{ pointer: '/card_id', detail }] });
		}
		const id = newId('whk');
		this.#database.insert('subscriptions', {
			id,
			workspaceId,
			cardId,
			targetUrl,
			events: JSON.stringify([...new Set(events)]),
			secret: `whsec_${newSecret()}`,
			createdAt: this.#database.clock.iso(),
		});
		return this.find(id) as Subscription;
	}

	/** Deletes a subscription with its deliveries and e-mails. @throws Problem webhook-not-found */
	remove(workspaceId: string, id: string): void {
		const sql = 'DELETE FROM subscriptions WHERE id = ? AND workspaceId = ?';
		if (this.#database.run(sql, id, workspaceId) > 0) return;
		const detail = `Webhook subscription "${id}" does not exist in workspace "${workspaceId}".`;
		throw problem('webhook-not-found', detail);
	}

	/** @returns whether it was active */
	pause(id: string): boolean {
		const sql = 'UPDATE subscriptions SET pausedAt = ? WHERE id = ? AND pausedAt IS NULL';
		return this.#database.run(sql, this.#database.clock.iso(), id) > 0;
	}

	/** Makes a paused subscription active; what waits gets new attempts, at once. @returns whether it was paused */
	resume(id: string): boolean {
		const sql = 'UPDATE subscriptions SET pausedAt = NULL WHERE id = ? AND pausedAt IS NOT NULL';
		const isResumed = this.#database.run(sql, id) > 0;
		if (isResumed) this.#deliveries.renew(id);
		this.queued(id);
		return isResumed;
	}

	#all(workspaceId: string): Subscription[] {
		const sql = 'SELECT * FROM subscriptions WHERE workspaceId = ? ORDER BY createdAt, id';
		return this.#database.all<Row>(sql, workspaceId).map(parse);
	}
}

/** Cards: what clients can do with them; each change is one transaction with its events. */
import type { DomainEvent, EventName } from '../foundation/events.ts';
import { newId } from '../foundation/secrets.ts';
import { Cache } from './cache.ts';
import { problem } from '../foundation/problem.ts';
import type { Changes, EventData } from './changes.ts';

/** A card as the API shows it. */
export interface Card {
	id: string;
	name: string;
	description: string;
	created_at: string;
	updated_at: string;
}

const columns = 'id, name, description, created_at, updated_at';

function cardEvent(event: EventName, workspaceId: string, card: Card): DomainEvent {
	const { id, name, description } = card;
	return { event, workspaceId, cardId: id, details: { card: { id, name, description } } };
}

/** What cards need of everything that is stored. */
export type CardData = EventData & { changes: Changes };

/** The cards of all workspaces. */
export class Cards {
	readonly #data: CardData;
	/** Cards with their workspace: a card is looked for with every request. */
	readonly #known: Cache<{ workspaceId: string; card: Card } | undefined>;

	constructor(data: CardData) {
		this.#data = data;
		this.#known = new Cache(data.database, (id) => {
			const row = data.database.get<Card & { workspaceId: string }>(
				`SELECT workspace_id AS workspaceId, ${columns} FROM cards WHERE id = ?`,
				id,
			);
			if (!row) return undefined;
			const { workspaceId, ...card } = row;
			return { workspaceId, card };
		});
	}

	list(workspaceId: string): Card[] {
		return this.#data.database.all(
			`SELECT ${columns} FROM cards WHERE workspace_id = ? ORDER BY position`,
			workspaceId,
		);
	}

	/** The workspace that a card is in. @throws Problem card-not-found */
	workspaceOf(id: string): string {
		const found = this.#known.get(id);
		if (found) return found.workspaceId;
		throw problem('card-not-found', `Card "${id}" does not exist.`);
	}

	/** @throws Problem card-not-found */
	get(workspaceId: string, cardId: string): Card {
		const found = this.#known.get(cardId);
		if (found?.workspaceId === workspaceId) return found.card;
		const detail = `Card "${cardId}" does not exist in workspace "${workspaceId}".`;
		throw problem('card-not-found', detail);
	}

	/** Makes a card without an event. */
	insert(workspaceId: string, name: string, description = ''): Card {
		const { database, clock } = this.#data;
		const now = clock.iso();
		const card = { id: newId('crd'), name, description, created_at: now, updated_at: now };
		database.run(
			`INSERT INTO cards (workspace_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
			...[workspaceId, card.id, name, description, now, now],
		);
		return card;
	}

	create(workspaceId: string, input: { name: string; description?: string }): Card {
		return this.#data.changes.run((publish) => {
			const card = this.insert(workspaceId, input.name, input.description);
			publish(cardEvent('card.created', workspaceId, card));
			return card;
		});
	}

	/** @throws Problem card-not-found */
	update(workspaceId: string, cardId: string, change: { name?: string; description?: string }) {
		const { database, clock, changes } = this.#data;
		return changes.run((publish) => {
			const before = this.get(workspaceId, cardId);
			const { name = before.name, description = before.description } = change;
			if (name === before.name && description === before.description) return before;
			const card = { ...before, name, description, updated_at: clock.iso() };
			database.run(
				'UPDATE cards SET name = ?, description = ?, updated_at = ? WHERE id = ?',
				...[name, description, card.updated_at, cardId],
			);
			this.#known.forget(cardId);
			publish(cardEvent('card.updated', workspaceId, card));
			return card;
		});
	}

	/** Deletes a card with its fields, records and subscriptions, and what the log has about it. */
	remove(workspaceId: string, cardId: string): void {
		const { database, subscriptions } = this.#data;
		database.transaction(() => {
			this.get(workspaceId, cardId);
			const delivered = `DELETE FROM deliveries WHERE card_id = ? AND state = 'delivered'`;
			database.run(delivered, cardId);
			database.run('DELETE FROM cards WHERE id = ?', cardId);
			this.#known.forget(cardId);
			subscriptions.forgetActive(workspaceId);
		});
	}

	/** Announces a collaborator; the interface has the event but no endpoint for it. */
	addCollaborator(workspaceId: string, cardId: string, collaborator: object): void {
		this.#data.changes.run((publish) => {
			this.get(workspaceId, cardId);
			publish({ event: 'collaborator.added', workspaceId, cardId, details: { collaborator } });
		});
	}
}

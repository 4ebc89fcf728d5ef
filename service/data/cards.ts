/** Cards: what clients can do with them; each change is one transaction with its events. */
import { problem } from '../foundation/problem.ts';
import { newId } from '../foundation/secrets.ts';
import type { Database } from './database.ts';
import type { Subscriptions } from './subscriptions.ts';

/** A card as the API shows it. */
export interface Card {
	id: string;
	name: string;
	description: string;
	created_at: string;
	updated_at: string;
}

const columns = 'id, name, description, created_at, updated_at';

/** What an event says about a card. */
const shown = ({ id, name, description }: Card) => ({ card: { id, name, description } });

/** The cards of all workspaces. */
export class Cards {
	readonly #database: Database;
	readonly #subscriptions: Subscriptions;

	constructor(database: Database, subscriptions: Subscriptions) {
		this.#database = database;
		this.#subscriptions = subscriptions;
	}

	list(workspaceId: string): Card[] {
		const sql = `SELECT ${columns} FROM cards WHERE workspaceId = ? ORDER BY position`;
		return this.#database.all(sql, workspaceId);
	}

	/** @throws Problem card-not-found */
	get(workspaceId: string, cardId: string): Card {
		const sql = `SELECT ${columns} FROM cards WHERE id = ? AND workspaceId = ?`;
		const card = this.#database.get<Card>(sql, cardId, workspaceId);
		if (card) return card;
		const detail = `Card "${cardId}" does not exist in workspace "${workspaceId}".`;
		throw problem('card-not-found', detail);
	}

	/** Makes a card without an event. */
	insert(workspaceId: string, name: string, description = ''): Card {
		const now = this.#database.clock.iso();
		const card = { id: newId('crd'), name, description, created_at: now, updated_at: now };
		this.#database.insert('cards', { workspaceId, ...card });
		return card;
	}

	create(workspaceId: string, input: { name: string; description?: string }): Card {
		return this.#database.transaction(() => {
			const card = this.insert(workspaceId, input.name, input.description);
			this.#subscriptions.publish('card.created', workspaceId, card.id, shown(card));
			return card;
		});
	}

	/** Changes a card; without a difference there is no event. @throws Problem card-not-found */
	update(workspaceId: string, cardId: string, change: { name?: string; description?: string }) {
		return this.#database.transaction(() => {
			const before = this.get(workspaceId, cardId);
			const { name = before.name, description = before.description } = change;
			if (name === before.name && description === before.description) return before;
			const card = { ...before, name, description, updated_at: this.#database.clock.iso() };
			const sql = 'UPDATE cards SET name = ?, description = ?, updated_at = ? WHERE id = ?';
			this.#database.run(sql, name, description, card.updated_at, cardId);
			this.#subscriptions.publish('card.updated', workspaceId, cardId, shown(card));
			return card;
		});
	}

	/** Deletes a card with its fields, records and subscriptions. @throws Problem card-not-found */
	remove(workspaceId: string, cardId: string): void {
		this.get(workspaceId, cardId);
		this.#database.run('DELETE FROM cards WHERE id = ?', cardId);
	}
}

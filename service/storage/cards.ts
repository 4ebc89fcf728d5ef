import type { Clock } from '../foundation/clock.ts';
import { heavyBytes } from '../foundation/heavyWork.ts';
import { newId } from '../foundation/secrets.ts';
import type { Database } from './database.ts';
import { createRowCache } from './rowCache.ts';

/** A card as the API shows it. */
export interface Card {
	id: string;
	name: string;
	description: string;
	created_at: string;
	updated_at: string;
}

/** Bytes that a card takes in an answer besides its texts: id, times, and the names of all. */
const bytesOfFrame = 160;

const columns = 'id, name, description, created_at, updated_at';

/** Cards of all workspaces. Prepares the statements. */
export function createCardStore(database: Database, clock: Clock) {
	const { sql } = database;
	const list = sql.prepare(
		`SELECT position, ${columns} FROM cards
		WHERE workspace_id = ? AND position > ? AND deleted_at IS NULL ORDER BY position`,
	);
	const one = sql.prepare(
		`SELECT workspace_id AS workspaceId, ${columns} FROM cards WHERE id = ? AND deleted_at IS NULL`,
	);
	const size = sql.prepare(
		`SELECT COUNT(*) AS count, TOTAL(octet_length(name) + octet_length(description)) AS bytes
		FROM cards WHERE workspace_id = ? AND deleted_at IS NULL`,
	);
	const insert = sql.prepare(
		`INSERT INTO cards (workspace_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
	);
	const update = sql.prepare(
		'UPDATE cards SET name = ?, description = ?, updated_at = ? WHERE id = ?',
	);
	const hide = sql.prepare(
		`UPDATE cards SET deleted_at = ?, name = '', description = '' WHERE id = ?`,
	);

	/** Cards that were looked for lately, with their workspace: a card is looked for at every request. */
	const known = createRowCache<{ workspaceId?: string; card?: Card }>(database, (id) => {
		const row = one.get(id) as (Card & { workspaceId: string }) | undefined;
		if (!row) return {};
		const { workspaceId, ...card } = row;
		return { workspaceId, card };
	});

	/** Cards after a place in the list, until they come to so many bytes; and the place of the next ones, if any. */
	const some = (workspaceId: string, after = 0, room = heavyBytes) => {
		const cards: Card[] = [];
		let bytes = 0;
		for (const row of list.iterate(workspaceId, after) as Iterable<unknown>) {
			const { position, ...card } = row as Card & { position: number };
			cards.push(card);
			bytes += bytesOfFrame + card.name.length + card.description.length;
			if (bytes >= room) return { cards, next: position };
		}
		return { cards, next: null };
	};

	return {
		some,
		list: (workspaceId: string): Card[] => some(workspaceId, 0, Infinity).cards,
		find(workspaceId: string, id: string): Readonly<Card> | undefined {
			const found = known.get(id);
			return found.workspaceId === workspaceId ? found.card : undefined;
		},
		/** The workspace that a card is in, or undefined where there is no such card. */
		workspaceOf: (id: string) => known.get(id).workspaceId,
		/** How many cards a workspace has, and the bytes of their names and descriptions. */
		sizeOf: (workspaceId: string) => size.get(workspaceId) as { count: number; bytes: number },
		create(workspaceId: string, name: string, description: string): Card {
			const now = clock.iso();
			const card = { id: newId('crd'), name, description, created_at: now, updated_at: now };
			insert.run(workspaceId, card.id, name, description, now, now);
			known.forget(card.id);
			return card;
		},
		update(card: Card, change: { name?: string; description?: string }): Card {
			const next = { ...card, ...change, updated_at: clock.iso() };
			known.forget(card.id);
			update.run(next.name, next.description, next.updated_at, card.id);
			return next;
		},
		/** Makes a card unfindable; its rows are leftovers from then on. */
		hide(id: string) {
			known.forget(id);
			hide.run(clock.iso(), id);
		},
	};
}

import { newId } from '../foundation/secrets.ts';
import type { FieldOption, FieldType } from '../foundation/fieldTypes.ts';
import type { Database } from './database.ts';
import { createRowCache } from './rowCache.ts';

/** A field as stored. `key` never changes and is what record data is stored under; `id` can change. */
export interface Field {
	key: number;
	id: string;
	name: string;
	type: FieldType;
	options: FieldOption[];
}

/** The fields of one card, in order, and by id. */
export interface CardFields {
	list: readonly Field[];
	byId: ReadonlyMap<string, Field>;
}

/** Fields of all cards. Prepares the statements; listings are kept in memory until they change. */
export function createFieldStore(database: Database) {
	const { sql } = database;
	const list = sql.prepare(
		'SELECT key, id, name, type, options FROM fields WHERE card_id = ? ORDER BY key',
	);
	const insert = sql.prepare(
		'INSERT INTO fields (id, card_id, name, type, options) VALUES (?, ?, ?, ?, ?)',
	);
	const update = sql.prepare(
		'UPDATE fields SET id = ?, name = ?, type = ?, options = ? WHERE key = ?',
	);
	const remove = sql.prepare('DELETE FROM fields WHERE key = ?');
	const removeAll = sql.prepare('DELETE FROM fields WHERE card_id = ?');

	const read = (cardId: string): CardFields => {
		const rows = list.all(cardId) as unknown as Array<Omit<Field, 'options'> & { options: string }>;
		const fields = rows.map((row) => ({
			...row,
			options: JSON.parse(row.options) as FieldOption[],
		}));
		return {
			list: fields,
			byId: new Map(fields.map((field) => [field.id, field])),
		};
	};
	const { get, forget } = createRowCache(database, read);

	return {
		/** All fields of a card; empty where there is no such card. */
		of: get,
		create(cardId: string, name: string, type: FieldType, options: FieldOption[]): Field {
			const id = newId('fld');
			const { lastInsertRowid } = insert.run(id, cardId, name, type, JSON.stringify(options));
			forget(cardId);
			return { key: Number(lastInsertRowid), id, name, type, options };
		},
		update(cardId: string, field: Field): Field {
			update.run(field.id, field.name, field.type, JSON.stringify(field.options), field.key);
			forget(cardId);
			return field;
		},
		/** Deletes a field. Its values are leftovers from then on. */
		remove(cardId: string, field: Field) {
			remove.run(field.key);
			forget(cardId);
		},
		/** Deletes all fields of a card. */
		removeAll(cardId: string) {
			removeAll.run(cardId);
			forget(cardId);
		},
		/** Gives every field of a card a new id. @returns old id → new id */
		rotate(cardId: string): Record<string, string> {
			const renamed = get(cardId).list.map((field) => {
				const id = newId('fld');
				this.update(cardId, { ...field, id });
				return [field.id, id] as const;
			});
			return Object.fromEntries(renamed);
		},
	};
}

/** The fields of cards: what clients can do with them. */
import { isDeepStrictEqual } from 'node:util';
import { checkValue, type FieldType, hasOptions } from '../foundation/fieldTypes.ts';
import { problem } from '../foundation/problem.ts';
import { newId } from '../foundation/secrets.ts';
import type { Cards } from './cards.ts';
import type { Database } from './database.ts';

/** A field as the API shows it. */
export interface Field {
	id: string;
	name: string;
	type: FieldType;
	/** Names of the choices, which records hold. */
	options: string[];
}

/** A new field. */
export type NewField = Omit<Field, 'id' | 'options'> & { options?: string[] | undefined };

/** The fields of all cards. */
export class Fields {
	readonly #database: Database;
	readonly #cards: Cards;

	constructor(database: Database, cards: Cards) {
		this.#database = database;
		this.#cards = cards;
	}

	/** @throws Problem card-not-found */
	list(workspaceId: string, cardId: string): Field[] {
		this.#cards.get(workspaceId, cardId);
		return this.#database
			.all<
				Omit<Field, 'options'> & { options: string }
			>('SELECT id, name, type, options FROM fields WHERE cardId = ? ORDER BY position', cardId)
			.map((row) => ({ ...row, options: JSON.parse(row.options) as string[] }));
	}

	/** @throws Problem card-not-found, validation-failed */
	create(workspaceId: string, cardId: string, { name, type, options = [] }: NewField): Field {
		this.#cards.get(workspaceId, cardId);
		checkOptions(type, options);
		const field = { id: newId('fld'), name, type, options };
		this.#database.insert('fields', { ...field, cardId, options: JSON.stringify(options) });
		return field;
	}

	/**
	 * Changes a field. If its type or options change, all values of the card are checked first.
	 * @throws Problem field-not-found, validation-failed, field-type-conflict, option-in-use
	 */
	update(workspaceId: string, cardId: string, fieldId: string, change: Partial<NewField>): Field {
		return this.#database.transaction(() => {
			const before = this.#get(workspaceId, cardId, fieldId);
			const { name = before.name, type = before.type } = change;
			const options = change.options ?? (hasOptions(type) ? before.options : []);
			checkOptions(type, options);
			const after = { id: fieldId, name, type, options };
			const isSame = type === before.type && isDeepStrictEqual(options, before.options);
			if (!isSame) this.#checkValues(cardId, before, after);
			const sql = 'UPDATE fields SET name = ?, type = ?, options = ? WHERE id = ?';
			this.#database.run(sql, name, type, JSON.stringify(options), fieldId);
			return after;
		});
	}

	/** Deletes a field with its values. @throws Problem field-not-found */
	remove(workspaceId: string, cardId: string, fieldId: string): void {
		this.#database.transaction(() => {
			this.#get(workspaceId, cardId, fieldId);
			this.#database.run('DELETE FROM fields WHERE id = ?', fieldId);
			const values = 'UPDATE records SET data = json_remove(data, ?) WHERE cardId = ?';
			this.#database.run(values, `$.${fieldId}`, cardId);
		});
	}

	/** Gives every field of a card a new ID. @returns old ID → new ID */
	rotate(workspaceId: string, cardId: string): Record<string, string> {
		return this.#database.transaction(() => {
			const ids = this.list(workspaceId, cardId).map(({ id }) => [id, newId('fld')] as const);
			for (const [old, id] of ids) {
				this.#database.run('UPDATE fields SET id = ? WHERE id = ?', id, old);
				// As the key of a value; in a value, quotation marks are escaped.
				const values = 'UPDATE records SET data = replace(data, ?, ?) WHERE cardId = ?';
				this.#database.run(values, `"${old}":`, `"${id}":`, cardId);
			}
			return Object.fromEntries(ids);
		});
	}

	#get(workspaceId: string, cardId: string, fieldId: string): Field {
		const field = this.list(workspaceId, cardId).find(({ id }) => id === fieldId);
		if (field) return field;
		throw problem('field-not-found', `Field "${fieldId}" does not exist in card "${cardId}".`);
	}

	/** Refuses a change of a field that a value of its card doesn't fit. */
	#checkValues(cardId: string, before: Field, after: Field): void {
		const sql = 'SELECT data FROM records WHERE cardId = ?';
		for (const { data } of this.#database.iterate<{ data: string }>(sql, cardId)) {
			const value = (JSON.parse(data) as Record<string, unknown>)[before.id];
			if (value === undefined) continue;
			const checked = checkValue(after.type, after.options, value);
			if (checked.ok) continue;
			const field = `Field "${before.id}" of card "${cardId}"`;
			throw before.type === after.type
				? problem('option-in-use', `${field} has records with an option that would be gone.`)
				: problem(
						'field-type-conflict',
						`${field} has values that are not of type "${after.type}": ${checked.detail}.`,
					);
		}
	}
}

/** @throws Problem validation-failed */
function checkOptions(type: FieldType, options: string[]): void {
	const isTwice = new Set(options).size < options.length && 'names an option twice';
	const isOdd = !hasOptions(type) && options.length > 0 && `must be empty for type "${type}"`;
	const detail = isOdd || isTwice;
	if (detail === false) return;
	throw problem('validation-failed', `The options of a field: ${detail}.`, {
		errors: [{ pointer: '/options', detail }],
	});
}

/** The fields of cards: what clients can do with them. */
import { isDeepStrictEqual } from 'node:util';
import {
	checkValue,
	type FieldOption,
	type FieldType,
	hasOptions,
} from '../foundation/fieldTypes.ts';
import { newId } from '../foundation/secrets.ts';
import { Cache } from './cache.ts';
import type { Cards } from './cards.ts';
import type { Database } from './database.ts';
import { type OptionInput, toOptions } from './fieldOptions.ts';
import { problem } from '../foundation/problem.ts';

/** A field as stored. `key` never changes and is what record data is stored under; `id` can change. */
export interface Field {
	key: number;
	id: string;
	name: string;
	type: FieldType;
	options: FieldOption[];
}

/** A new field. */
export interface NewField {
	name: string;
	type: FieldType;
	options?: readonly OptionInput[] | undefined;
}

/** The fields of all cards. */
export class Fields {
	readonly #database: Database;
	readonly #cards: Pick<Cards, 'get'>;
	readonly #known: Cache<readonly Field[]>;

	constructor(database: Database, cards: Pick<Cards, 'get'>) {
		this.#database = database;
		this.#cards = cards;
		this.#known = new Cache(database, (cardId) => this.#read(cardId));
	}

	/** All fields of a card; none if there is no such card. */
	of(cardId: string): readonly Field[] {
		return this.#known.get(cardId);
	}

	/** @throws Problem card-not-found */
	list(workspaceId: string, cardId: string): readonly Field[] {
		this.#cards.get(workspaceId, cardId);
		return this.of(cardId);
	}

	/** @throws Problem card-not-found, field-not-found */
	get(workspaceId: string, cardId: string, fieldId: string): Field {
		const field = this.list(workspaceId, cardId).find(({ id }) => id === fieldId);
		if (field) return field;
		throw problem('field-not-found', `Field "${fieldId}" does not exist in card "${cardId}".`);
	}

	/** @throws Problem card-not-found, validation-failed */
	create(workspaceId: string, cardId: string, { name, type, options = [] }: NewField): Field {
		this.#cards.get(workspaceId, cardId);
		const stored = toOptions(type, options, []);
		const id = newId('fld');
		const { id: key } = this.#database.run(
			'INSERT INTO fields (id, card_id, name, type, options) VALUES (?, ?, ?, ?, ?)',
			...[id, cardId, name, type, JSON.stringify(stored)],
		);
		this.#known.forget(cardId);
		return { key, id, name, type, options: stored };
	}

	/**
	 * Changes a field. If its type or options change, all values of the card are checked first.
	 * @throws Problem field-not-found, field-type-conflict, option-in-use
	 */
	update(workspaceId: string, cardId: string, fieldId: string, change: Partial<NewField>): Field {
		return this.#database.transaction(() => {
			const before = this.get(workspaceId, cardId, fieldId);
			const { name = before.name, type = before.type } = change;
			const kept = hasOptions(type) ? before.options : [];
			const options =
				change.options === undefined ? kept : toOptions(type, change.options, before.options);
			const after = { ...before, name, type, options };
			const isSame = type === before.type && isDeepStrictEqual(options, before.options);
			if (!isSame) this.#checkValues(cardId, before, after);
			return this.replace(cardId, after);
		});
	}

	/** Stores a field in place of its earlier form, which has the same key. */
	replace(cardId: string, field: Field): Field {
		const { id, name, type, options, key } = field;
		this.#database.run(
			'UPDATE fields SET id = ?, name = ?, type = ?, options = ? WHERE key = ?',
			...[id, name, type, JSON.stringify(options), key],
		);
		this.#known.forget(cardId);
		return field;
	}

	/** Deletes a field with its values. */
	remove(workspaceId: string, cardId: string, fieldId: string): void {
		this.#database.transaction(() => {
			const { key } = this.get(workspaceId, cardId, fieldId);
			this.#database.run('DELETE FROM fields WHERE key = ?', key);
			const values = 'UPDATE records SET data = json_remove(data, ?) WHERE card_id = ?';
			this.#database.run(values, `$."${key}"`, cardId);
			this.#known.forget(cardId);
		});
	}

	/** Gives every field of a card a new ID. @returns old ID → new ID */
	rotate(cardId: string): Record<string, string> {
		return this.#database.transaction(() =>
			Object.fromEntries(
				this.of(cardId).map((field) => {
					const { id } = this.replace(cardId, { ...field, id: newId('fld') });
					return [field.id, id];
				}),
			),
		);
	}

	#read(cardId: string): readonly Field[] {
		const rows = this.#database.all<Omit<Field, 'options'> & { options: string }>(
			'SELECT key, id, name, type, options FROM fields WHERE card_id = ? ORDER BY key',
			cardId,
		);
		return rows.map(({ options, ...field }) => {
			return { ...field, options: JSON.parse(options) as FieldOption[] };
		});
	}

	/** Refuses a change of a field that a value of its card doesn't fit. */
	#checkValues(cardId: string, before: Field, after: Field): void {
		const values = 'SELECT data FROM records WHERE card_id = ?';
		for (const { data } of this.#database.iterate<{ data: string }>(values, cardId)) {
			const value = (JSON.parse(data) as Record<string, unknown>)[before.key];
			const checked = value === undefined || checkValue(after.type, after.options, value);
			if (checked === true || checked.ok) continue;
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

/** Finds fields of a card by name or ID. */
import type { Field } from '../transport/api';
import { InputError } from '../values/inputError';
import { listedInQuotes, quote } from '../values/messageText';
import { foldCase } from '../values/nameSpelling';

/** The fields of one card, to be found by name or ID. */
export class FieldIndex {
	/** In the service's order. */
	readonly fields: readonly Field[];
	private readonly cardName: string;
	private readonly byName: ReadonlyMap<string, readonly Field[]>;
	private readonly byFoldedName: ReadonlyMap<string, readonly Field[]>;
	private readonly ids: ReadonlyMap<string, Field>;

	/**
	 * @param fields the live listing
	 * @param cardName the name of the card in messages
	 */
	constructor(fields: readonly Field[], cardName: string) {
		this.fields = fields;
		this.cardName = cardName;
		this.byName = groupBy(fields, ({ name }) => name);
		this.byFoldedName = groupBy(fields, ({ name }) => foldCase(name));
		this.ids = new Map(fields.map((field) => [field.id, field]));
	}

	/** The same card with these fields. */
	with(fields: readonly Field[]): FieldIndex {
		return new FieldIndex(fields, this.cardName);
	}

	/**
	 * Finds the field of a key: by its exact name, then by its saved ID, then by a unique name that differs only in
	 * case or outer spaces. A field ID is accepted as a key as well.
	 *
	 * @param savedId its ID when the mapping was last refreshed
	 * @throws InputError if no field or more than one matches
	 */
	resolve(key: string, savedId?: string): Field {
		return this.required(key, this.find(key, savedId));
	}

	/** As `resolve`, but returns undefined if no field matches. */
	find(key: string, savedId = ''): Field | undefined {
		const named = this.byName.get(key);
		const saved = this.ids.get(savedId);
		if (saved && (!named || named.includes(saved))) return saved;
		return this.only(key, this.candidates(key));
	}

	/** All fields that match a key: by name, else by ID, else by name without case. */
	candidates(key: string): readonly Field[] {
		const field = this.ids.get(key);
		return this.byName.get(key) ?? (field ? [field] : this.byFoldedName.get(foldCase(key))) ?? [];
	}

	/**
	 * The field with exactly this name, else this ID, for changes that can't be undone.
	 *
	 * @param isName true if an ID isn't accepted
	 * @throws InputError if there is none or more than one
	 */
	exact(key: string, isName = false): Field {
		const named = this.only(key, this.byName.get(key) ?? []);
		return this.required(key, named ?? (isName ? undefined : this.ids.get(key)));
	}

	byId(id: string): Field | undefined {
		return this.ids.get(id);
	}

	/**
	 * The unambiguous key of a field: its name, or its ID if the name is also the name or the ID of another
	 * field.
	 */
	keyOf({ id, name }: Pick<Field, 'id' | 'name'>): string {
		return this.byName.get(name)?.length === 1 && !this.ids.has(name) ? name : id;
	}

	/** The key of a field in saved parameters. n8n drops keys like `constructor`, and evaluates text that begins with `=`. */
	savedKeyOf(field: Pick<Field, 'id' | 'name'>): string {
		const key = this.keyOf(field);
		return key.startsWith('=') || key in {} ? field.id : key;
	}

	/** The error for keys that match no field. @param advice what the user can do */
	missing(
		keys: readonly string[],
		advice = 'Select the field again, or correct the name.',
	): InputError {
		const names = listedInQuotes([...this.byName.keys()]);
		const known = names === '' ? 'The card has no fields yet.' : `The fields are ${names}.`;
		const what = keys.length === 1 ? 'field' : 'fields';
		return new InputError(
			`Card '${this.cardName}' has no ${what} ${listedInQuotes(keys)}`,
			`${known} ${advice}`,
		);
	}

	private required(key: string, field: Field | undefined): Field {
		if (field) return field;
		throw this.missing([key]);
	}

	private only(key: string, [field, ...others]: readonly Field[]): Field | undefined {
		if (!field || others.length === 0) return field;
		const ids = [field, ...others].map(({ id, name }) => `${id} (${quote(name)})`).join(', ');
		throw new InputError(
			`${quote(key)} matches ${others.length + 1} fields of card '${this.cardName}'`,
			`Use one of these field IDs instead: ${ids}.`,
		);
	}
}

/** Groups things by a key, in their order. */
export function groupBy<T, Key>(items: readonly T[], key: (item: T) => Key): Map<Key, T[]> {
	const groups = new Map<Key, T[]>();
	for (const item of items) {
		const group = groups.get(key(item));
		if (group) group.push(item);
		else groups.set(key(item), [item]);
	}
	return groups;
}

/** Finds fields of a card by name or ID. */
import type { Field } from '../model/response/field';
import { InputError } from '../values/inputError';
import { BoundedMap } from '../values/boundedMap';
import { askForNearest } from '../values/similarNames';
import { listedInQuotes, quote } from '../values/messageText';
import { foldCase } from '../values/nameSpelling';

/** What a saved mapping keeps about a field, in addition to its key. */
export interface FieldHint {
	/** The field ID when the mapping was last refreshed. */
	fieldId?: string;
	/** The name when the mapping was last refreshed. It differs from the key after a rename. */
	name?: string;
}

/** Max fields that a message names: one of them may be the new name of the missing field. */
const MAX_NAMED = 20;

/** Max wrong keys whose advice is cached. */
const MAX_ADVICES = 1_000;

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const item of items) {
		const group = groups.get(key(item));
		if (group) group.push(item);
		else groups.set(key(item), [item]);
	}
	return groups;
}

/** The fields of one card, to be found by name or ID. */
export class FieldIndex {
	/** In the service's order. */
	readonly fields: readonly Field[];
	private readonly cardName: string;
	private readonly aliases: ReadonlyMap<string, string>;
	private readonly byName: ReadonlyMap<string, readonly Field[]>;
	private readonly byFoldedName: ReadonlyMap<string, readonly Field[]>;
	private readonly ids: ReadonlyMap<string, Field>;
	/** Thousands of items may have the same wrong key, so near names are searched only once for each. */
	private readonly advices = new BoundedMap<string, string>(MAX_ADVICES);

	/**
	 * @param fields the live listing
	 * @param cardName the name of the card in messages
	 * @param aliases further names and the ID of each one's field, because the service stores names in another
	 * spelling
	 */
	constructor(
		fields: readonly Field[],
		cardName: string,
		aliases: ReadonlyMap<string, string> = new Map(),
	) {
		this.fields = fields;
		this.cardName = cardName;
		this.aliases = aliases;
		this.byName = groupBy(fields, (field) => field.name);
		this.byFoldedName = groupBy(fields, (field) => foldCase(field.name));
		this.ids = new Map(fields.map((field) => [field.id, field]));
	}

	/** The same card with these fields. */
	with(fields: readonly Field[]): FieldIndex {
		return new FieldIndex(fields, this.cardName, this.aliases);
	}

	/**
	 * Finds the field of a key: by exact name, then by the hints of the saved mapping, then by field ID,
	 * then by a unique name that differs only in case or outer spaces.
	 *
	 * @param advice what else the user can do if no field matches
	 * @throws InputError if no field or more than one matches; names the nearest fields
	 */
	resolve(key: string, hint?: FieldHint, advice?: string): Field {
		const field = this.find(key, hint);
		if (field) return field;
		throw this.missing([key], advice);
	}

	/** Like `resolve`, but returns undefined if no field matches. An ambiguous key still throws. */
	find(key: string, hint: FieldHint = {}): Field | undefined {
		const named = this.byName.get(key);
		const hinted = hint.fieldId === undefined ? undefined : this.ids.get(hint.fieldId);
		if (named && named.length > 1 && hinted && named.includes(hinted)) return hinted;
		return (
			this.only(key, named) ??
			hinted ??
			(hint.name === undefined ? undefined : this.only(key, this.byName.get(hint.name))) ??
			this.only(key, this.candidates(key))
		);
	}

	/** All fields that match a key without hints: by name, else by ID, else by name without case. */
	candidates(key: string): readonly Field[] {
		const named = this.byName.get(key);
		if (named) return named;
		const field = this.ids.get(key) ?? this.ids.get(this.aliases.get(foldCase(key)) ?? '');
		return field ? [field] : (this.byFoldedName.get(foldCase(key)) ?? []);
	}

	byId(id: string): Field | undefined {
		return this.ids.get(id);
	}

	/**
	 * The field with exactly this name, for changes that can't be undone.
	 *
	 * @param hint for a key that may also be an ID
	 * @throws InputError if there is none or more than one; names the nearest fields
	 */
	exact(key: string, hint?: FieldHint): Field {
		const named = this.only(key, this.byName.get(key));
		const field = named ?? (hint && (this.ids.get(key) ?? this.ids.get(hint.fieldId ?? '')));
		if (field) return field;
		throw this.missing([key]);
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

	private only(key: string, candidates: readonly Field[] | undefined): Field | undefined {
		if (!candidates || candidates.length <= 1) return candidates?.[0];
		throw new InputError(
			`${quote(key)} matches ${candidates.length} fields of card '${this.cardName}'`,
			`Use one of these field IDs instead: ${candidates.map(({ id, name }) => `${id} (${quote(name)})`).join(', ')}.`,
		);
	}

	/** The error for keys that match no field. @param more what else the user can do */
	missing(keys: readonly string[], more = ''): InputError {
		// Several keys have no near name in common.
		const key = keys.length === 1 ? (keys[0] ?? '') : '';
		const advice = this.advices.getOrCreate(key, () => this.adviceFor(key));
		const description = [advice, more].filter(Boolean).join(' ');
		const message =
			keys.length === 1
				? `Card '${this.cardName}' has no field ${quote(key)}`
				: `Card '${this.cardName}' has no fields ${listedInQuotes(keys, MAX_NAMED)}`;
		return new InputError(message, description);
	}

	private adviceFor(key: string): string {
		const names = [...this.byName.keys()];
		if (names.length === 0) return 'The card has no fields yet. Add the field first.';
		const all = `The fields are ${listedInQuotes(names, MAX_NAMED)}.`;
		return `${[askForNearest(key, names), all].filter(Boolean).join(' ')} Select the field again, or correct the name.`;
	}
}

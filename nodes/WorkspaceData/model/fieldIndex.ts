/** Finds fields of a card by name or ID. */
import type { Field } from './answer/field';
import { InputError } from './inputError';
import { askForNearest, listedInQuotes, quote } from './names';
import { foldCase } from './text';

/** The facts that a saved mapping keeps about a field, in addition to its key. */
export interface FieldHint {
	/** The field id when the mapping was last refreshed. */
	fieldId?: string;
	/** The name when the mapping was last refreshed; differs from the key after a rename. */
	name?: string;
}

/** The fields of one card, ready to be found by name or id. */
export interface FieldIndex {
	/** In the service's order. */
	fields: readonly Field[];
	/**
	 * Finds the field that a key means: exact name, then the hints of the saved mapping, then a raw
	 * field id, then a name that differs only in case or outer spaces and is unique.
	 *
	 * @param advice what else can be done where no field is meant
	 * @throws InputError when no field or more than one is meant; names the nearest fields
	 */
	resolve(key: string, hint?: FieldHint, advice?: string): Field;
	/** As `resolve`, but undefined if no field is meant. An ambiguous key still throws. */
	find(key: string, hint?: FieldHint): Field | undefined;
	/** All fields that a key can mean by itself: of that name, else of that id, else but for the case. */
	candidates(key: string): readonly Field[];
	byId(id: string): Field | undefined;
	/**
	 * The field of exactly this name, for changes that cannot be undone.
	 *
	 * @throws InputError when there is none, or more than one; names the nearest fields
	 */
	exact(name: string): Field;
	/**
	 * The key that names a field without doubt: its name, or its id where the name is also the name or
	 * the id of another field.
	 */
	keyOf(field: Field): string;
}

/** Most fields that a message names: one of them may be the new name of the field that is missing. */
const MAX_NAMED = 20;

/** Most wrong keys whose advice is kept. */
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

/**
 * Indexes the fields of a card.
 *
 * @param fields the live listing
 * @param cardName how messages call the card
 * @param aliases further names, with the ID of the field that each means: the service keeps its name in another spelling
 */
export function indexFields(
	fields: readonly Field[],
	cardName: string,
	aliases: ReadonlyMap<string, string> = new Map(),
): FieldIndex {
	const byName = groupBy(fields, (field) => field.name);
	const byFoldedName = groupBy(fields, (field) => foldCase(field.name));
	const ids = new Map(fields.map((field) => [field.id, field]));

	const ambiguous = (key: string, candidates: readonly Field[]) =>
		new InputError(
			`${quote(key)} matches ${candidates.length} fields of card '${cardName}'`,
			`Use one of these field IDs instead: ${candidates.map(({ id, name }) => `${id} (${quote(name)})`).join(', ')}.`,
		);

	/** Thousands of items may have the same wrong key: the search for near names is made once. */
	const advices = new Map<string, string>();

	function missing(key: string, more = ''): InputError {
		const advice = advices.get(key) ?? adviceFor(key);
		if (advices.size < MAX_ADVICES) advices.set(key, advice);
		const description = [advice, more].filter(Boolean).join(' ');
		return new InputError(`Card '${cardName}' has no field ${quote(key)}`, description);
	}

	function adviceFor(key: string): string {
		const names = [...byName.keys()];
		if (names.length === 0) return 'The card has no fields yet. Add the field first.';
		const all = `The fields are ${listedInQuotes(names, MAX_NAMED)}.`;
		return `${[askForNearest(key, names), all].filter(Boolean).join(' ')} Select the field again, or correct the name.`;
	}

	function only(key: string, candidates: readonly Field[] | undefined): Field | undefined {
		if (candidates && candidates.length > 1) throw ambiguous(key, candidates);
		return candidates?.[0];
	}

	function candidates(key: string): readonly Field[] {
		const named = byName.get(key);
		if (named) return named;
		const field = ids.get(key) ?? ids.get(aliases.get(foldCase(key)) ?? '');
		return field ? [field] : (byFoldedName.get(foldCase(key)) ?? []);
	}

	function find(key: string, hint: FieldHint = {}): Field | undefined {
		const named = byName.get(key);
		const hinted = hint.fieldId === undefined ? undefined : ids.get(hint.fieldId);
		if (named && named.length > 1 && hinted && named.includes(hinted)) return hinted;
		return (
			only(key, named) ??
			hinted ??
			(hint.name === undefined ? undefined : only(key, byName.get(hint.name))) ??
			only(key, candidates(key))
		);
	}

	return {
		fields,
		find,
		candidates,
		byId: (id) => ids.get(id),
		keyOf: (field) =>
			byName.get(field.name)?.length === 1 && !ids.has(field.name) ? field.name : field.id,
		exact(name) {
			const field = only(name, byName.get(name));
			if (field) return field;
			throw missing(name);
		},
		resolve(key, hint, advice) {
			const field = find(key, hint);
			if (field) return field;
			throw missing(key, advice);
		},
	};
}

/** Finds fields of a card by name or ID. */
import type { Field } from './response/field';
import { InputError } from './inputError';
import { askForNearest, listedInQuotes, quote } from './names';
import { foldCase } from './text';

/** What a saved mapping keeps about a field, in addition to its key. */
export interface FieldHint {
	/** The field ID when the mapping was last refreshed. */
	fieldId?: string;
	/** The name when the mapping was last refreshed. It differs from the key after a rename. */
	name?: string;
}

/** The fields of one card, to be found by name or ID. */
export interface FieldIndex {
	/** In the service's order. */
	fields: readonly Field[];
	/**
	 * Finds the field of a key: by exact name, then by the hints of the saved mapping, then by field ID,
	 * then by a unique name that differs only in case or outer spaces.
	 *
	 * @param advice what else the user can do if no field matches
	 * @throws InputError if no field or more than one matches; names the nearest fields
	 */
	resolve(key: string, hint?: FieldHint, advice?: string): Field;
	/** Like `resolve`, but returns undefined if no field matches. An ambiguous key still throws. */
	find(key: string, hint?: FieldHint): Field | undefined;
	/** All fields that match a key without hints: by name, else by ID, else by name without case. */
	candidates(key: string): readonly Field[];
	byId(id: string): Field | undefined;
	/**
	 * The field with exactly this name, for changes that can't be undone.
	 *
	 * @throws InputError if there is none or more than one; names the nearest fields
	 */
	exact(name: string): Field;
	/**
	 * The unambiguous key of a field: its name, or its ID if the name is also the name or the ID of another
	 * field.
	 */
	keyOf(field: Field): string;
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

/**
 * Indexes the fields of a card.
 *
 * @param fields the live listing
 * @param cardName the name of the card in messages
 * @param aliases further names and the ID of each one's field, because the service stores names in another
 * spelling
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

	/** Thousands of items may have the same wrong key, so near names are searched only once for each. */
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

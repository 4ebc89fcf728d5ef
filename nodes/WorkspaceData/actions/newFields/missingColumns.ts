/** Finds the fields and choices that a card lacks for the values of a run. */
import { newChoices } from '../../values/newChoices';
import type { Field } from '../../model/response/field';
import type { FieldHint, FieldIndex } from '../../records/fieldIndex';
import type { Run } from '../run/run';
import { isNameless, type Columns as ItemColumns } from '../writing/mapper';
import { fieldOfKey } from '../writing/matching';
import { cleanName, foldCase, slugsOf } from '../../values/nameSpelling';

/** A name, and its values in all items. */
export interface Column {
	name: string;
	values: readonly unknown[];
}

/** Choices to add to a field. */
export interface Addition {
	field: Field;
	labels: string[];
}

/** The values of all items by key, in the order of their first use. */
type Columns = Map<string, { values: unknown[]; hint: FieldHint | undefined }>;

/** Collects the values of some writes by column. */
export async function valuesByColumn(
	{ yieldToLoop }: Pick<Run, 'yieldToLoop'>,
	writes: ReadonlyArray<{ columns: Pick<ItemColumns, 'entries' | 'hints'> }>,
): Promise<Columns> {
	const columns: Columns = new Map();
	for (const { columns: own } of writes) {
		await yieldToLoop();
		for (const [key, value] of own.entries) {
			const known = columns.get(key) ?? { values: [], hint: own.hints.get(key) };
			columns.set(key, known);
			known.values.push(value);
		}
	}
	return columns;
}

/** Finds the columns without a field. Names that differ only in case or invisible characters are one column. */
export function missingColumns(index: FieldIndex, columns: Columns): Column[] {
	const missing = new Map<string, { name: string; values: unknown[] }>();
	for (const [name, { values, hint }] of columns) {
		// An item reports its ambiguous keys and its values without a name.
		if (fieldOfKey(index, name, hint) !== undefined || isNameless(name)) continue;
		const known = missing.get(foldCase(name));
		if (known) known.values = [...known.values, ...values];
		else missing.set(foldCase(name), { name: cleanName(name), values });
	}
	return [...missing.values()];
}

/**
 * Finds fields that the service stores under other names: by the ID of a field that was created, or in another
 * spelling, `My Col` as `my_col`.
 */
export function storedNames(
	index: FieldIndex,
	named: ReadonlyArray<{ name: string; id?: string }>,
): ReadonlyMap<string, Field> {
	return new Map(
		named.flatMap(({ name, id }) => {
			const slugs = slugsOf(name);
			const isStored = (field: Field): boolean =>
				field.name !== name && (id === undefined ? slugs.includes(field.name) : field.id === id);
			const [field, ...others] = index.fields.filter(isStored);
			return field && others.length === 0 ? [[name, field] as const] : [];
		}),
	);
}

/** Finds the choices that values name but fields don't have. */
export function missingChoices(index: FieldIndex, columns: Columns): Addition[] {
	const values = new Map<Field, unknown[]>();
	for (const [key, column] of columns) {
		const field = fieldOfKey(index, key, column.hint);
		if (!field?.kind.choicesIn) continue;
		values.set(field, [...(values.get(field) ?? []), ...column.values]);
	}
	return [...values]
		.map(([field, all]) => ({ field, labels: newChoices(field, all) }))
		.filter(({ labels }) => labels.length > 0);
}

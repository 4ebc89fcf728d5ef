import type { Field } from '../../model/field';
import type { FieldIndex } from '../../model/fieldResolution';
import { isEmpty } from '../../model/filter';
import { InputError } from '../../model/inputError';
import { type JsonObject, ownValue } from '../../model/shapes';
import { parseTime } from '../../model/time';
import type { Columns } from './columns';

/** One value under every spelling that means it: what is sent and what is stored may differ in it. */
function comparable(field: Field | undefined, value: unknown): unknown {
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'string' || !field) return value;
	if (field.type === 'datetime') return parseTime(value) ?? value;
	return field.options.find(({ values }) => values.includes(value))?.label ?? value;
}

/** Values as one comparable text. A number and the same number as text are one key. */
export const matchKey = (
	fieldIds: readonly string[],
	data: JsonObject,
	index: FieldIndex,
): string => JSON.stringify(fieldIds.map((id) => comparable(index.byId(id), ownValue(data, id))));

/**
 * The ids of the matching fields of an item.
 *
 * @throws InputError when none is chosen, or one is unknown
 */
export function matchingFieldIds(columns: Columns, index: FieldIndex): string[] {
	if (columns.matchingKeys.length === 0) {
		throw new InputError(
			"'Columns' has no matching field",
			"Choose at least one field in 'Fields to match on'.",
		);
	}
	return columns.matchingKeys.map((key) => index.resolve(key, columns.hints.get(key)).id);
}

/** The key by which an item finds its record. @throws InputError when a matching value is empty */
export function itemKey(fieldIds: readonly string[], data: JsonObject, index: FieldIndex): string {
	const empty = fieldIds.find((id) => isEmpty(ownValue(data, id)));
	if (empty === undefined) return matchKey(fieldIds, data, index);
	throw new InputError(
		`Matching field '${index.byId(empty)?.name ?? empty}' has no value`,
		'Each matching field needs a value: an empty one would match records by chance.',
	);
}

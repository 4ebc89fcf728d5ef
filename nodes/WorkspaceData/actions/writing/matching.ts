/** The matching fields of an item. */
import { isEmpty } from '../../model/value/emptyValue';
import type { Field } from '../../model/answer/field';
import type { FieldIndex } from '../../model/fieldIndex';
import type { Zone } from '../../model/time';
import { InputError } from '../../model/inputError';
import { type JsonObject, ownValue } from '../../model/answer/shapes';
import { matchKey } from '../run/matchIndex';
import type { Columns } from './mapper';
import { quote } from '../../model/names';

/**
 * The ids of the matching fields of an item.
 *
 * @throws InputError when none is chosen, or one is unknown
 */
export function matchingFieldIds(columns: Columns, index: FieldIndex): string[] {
	if (columns.matchingKeys.length === 0) {
		throw new InputError(
			"No field in 'Fields to match on'",
			'Choose at least one field that identifies a record.',
		);
	}
	return columns.matchingKeys.map((key) => matchingField(key, columns, index).id);
}

/** Records are overwritten by it: a name that differs in case only could be another field's some day. */
function matchingField(
	key: string,
	{ entries, hints, leftOut = [] }: Columns,
	index: FieldIndex,
): Field {
	const hint = hints.get(key);
	const field = index.resolve(key, hint);
	const { id, name } = field;
	const isLeftOut = leftOut.some(([one, value]) => one === name && !isEmpty(value));
	if (isLeftOut && !entries.some(([one]) => index.candidates(one).includes(field))) {
		throw new InputError(
			`${quote(name)} of the item is not taken for the matching field of this name`,
			`'Map Automatically' takes values from 'fields' where an item has it, and 'id', 'created_at' and 'action' for properties of the record. Choose 'Map Each Column Manually'.`,
		);
	}
	if ([id, name].includes(key) || hint?.fieldId === id || hint?.name === name) return field;
	throw new InputError(
		`${quote(key)} in 'Fields to match on' is not exactly the name of a field`,
		`Did you mean ${quote(name)}? Choose the field again: records are changed by it, so its name must match exactly.`,
	);
}

/** The key by which an item finds its record. @throws InputError when a matching value is empty */
export function itemKey(
	fieldIds: readonly string[],
	data: JsonObject,
	index: FieldIndex,
	zone: Zone,
): string {
	const empty = fieldIds.find((id) => isEmpty(ownValue(data, id)));
	if (empty === undefined) return matchKey(fieldIds, data, index, zone);
	throw new InputError(
		`Matching field '${index.byId(empty)?.name ?? empty}' has no value`,
		'Give every field to match on a value: an empty value could match unrelated records.',
	);
}

/** The part of a card that a key is, under the names of its fields: field IDs can change. */
export const keyPart = (fieldIds: readonly string[], key: string, index: FieldIndex): string =>
	JSON.stringify([fieldIds.map((id) => index.byId(id)?.name ?? id), key]);

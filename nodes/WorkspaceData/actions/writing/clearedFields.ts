/** The option 'Fields to Clear'. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { askForNearest } from '../../model/similarNames';
import { quote } from '../../model/messageText';
import type { Field } from '../../model/response/field';
import { ownValue } from '../../model/response/jsonObject';
import { plainNames } from '../../model/parameterValue';
import { clearFieldsOption } from '../../ui/writeOptions';
import type { ItemValues } from './difference';

const LABEL = clearFieldsOption.displayName;

/** Returns true if any field is to be cleared. */
export const clearsFields = (names: unknown): boolean => plainNames(names).length > 0;

/** Requires the exact name or the ID, because values are lost. @throws InputError naming the option */
function fieldToClear({ fields }: FieldIndex, wanted: string): Field {
	const [field, ...others] = fields.filter(({ id, name }) => id === wanted || name === wanted);
	if (field && others.length === 0) return field;
	const names = fields.map(({ name }) => name);
	throw new InputError(
		`The card has ${field ? `${others.length + 1} fields` : 'no field'} ${quote(wanted)}, which is in '${LABEL}'`,
		`${askForNearest(wanted, names)} Select the field again.`.trim(),
	);
}

/**
 * Adds nulls for the fields to clear.
 *
 * @param values the values of an item
 * @param names the option
 * @throws InputError for an unknown field, one that can't be written, or one that also has a value
 */
export function withCleared(values: ItemValues, names: unknown, index: FieldIndex): ItemValues {
	const { data, refused } = values;
	const cleared = plainNames(names).map((name) => fieldToClear(index, name));
	for (const { id, name, isReadOnly } of cleared) {
		if (isReadOnly) {
			throw new InputError(
				`'${LABEL}': field '${name}' can't be written`,
				'The service computes its value. Remove the field from the option.',
			);
		}
		if ((ownValue(data, id) ?? null) === null && !refused?.has(id)) continue;
		throw new InputError(
			`Field '${name}' is in '${LABEL}' and also has a value`,
			'Remove the field from the option, or its value from the item.',
		);
	}
	const nulls = cleared.map(({ id }): [string, null] => [id, null]);
	return { refused, data: Object.fromEntries([...Object.entries(data), ...nulls]) };
}

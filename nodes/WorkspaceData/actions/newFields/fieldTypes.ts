/** The option 'Field Types': the types of new fields that the values of a column can't tell. */
import type { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { listedInQuotes, quote } from '../../values/messageText';
import { foldCase } from '../../values/nameSpelling';
import { offeredName } from '../../values/inferType';
import { kindOfType } from '../../values/kinds/allKinds';
import { fieldTypesOption, unknownFieldsOption } from '../../properties/writeOptions';
import { readFieldList, type DefinedField } from '../field/definition';
import { readOnce } from '../readParameters';
import { fieldOfKey } from '../writing/matching';

/** The type that a person has set for a column, by its name in any case. */
export type FieldTypes = ReadonlyMap<string, DefinedField>;

const LABEL = fieldTypesOption.displayName;

/** The maximum number of columns in a message. */
const MAX_NAMED = 20;

/** Without expressions it is one object for all items, and is read once. */
const read = readOnce((value): FieldTypes => {
	const words = { entry: 'entry', key: 'column', name: 'Column' };
	const types = new Map<string, DefinedField>();
	for (const field of readFieldList(value, LABEL, words, foldCase)) {
		const { name, type, choices } = field;
		if (choices.length > 0 && !mayHaveChoices(type)) {
			throw new InputError(
				`'${LABEL}' has choices for column ${quote(name)}, but a field of type ${quote(type)} has none`,
				'Nothing was sent. Remove the choices, or select a type with choices.',
			);
		}
		types.set(foldCase(name), field);
	}
	return types;
});

/** Returns false for a known type without choices. */
function mayHaveChoices(type: string): boolean {
	const kind = kindOfType(type);
	return kind.choicesIn !== undefined || kind === kindOfType('');
}

/**
 * Reads the option.
 *
 * @param isUsed true if fields may be created
 * @throws InputError for an entry without a column or a type, two entries for one column, choices for a type without
 * choices, and entries that nothing uses
 */
export function readFieldTypes(value: unknown, isUsed: boolean): FieldTypes {
	const types = read(value);
	if (types.size === 0 || isUsed) return types;
	const { displayName } = unknownFieldsOption;
	throw new InputError(
		`'${LABEL}' is set, but '${displayName}' isn't 'Create the Field'`,
		`Nothing was sent. Select 'Create the Field' in '${displayName}', or remove '${LABEL}'.`,
	);
}

/** @throws InputError for an entry whose column has a field of another type */
export function requireOwnTypes(types: FieldTypes, index: FieldIndex): void {
	for (const { name, type } of types.values()) {
		const field = fieldOfKey(index, name);
		if (!field || offeredName(type, [field.type]) !== undefined) continue;
		throw new InputError(
			`'${LABEL}': field ${quote(field.name)} exists already, with type ${field.type}`,
			`Nothing was sent. Remove the column from '${LABEL}', or change the field with Field > Update.`,
		);
	}
}

/** @param names the columns of all items @throws InputError for an entry whose column no item has */
export function requireColumns(types: FieldTypes, names: Iterable<string>): void {
	if (types.size === 0) return;
	const known = [...names];
	const columns = new Set(known.map(foldCase));
	for (const [key, { name }] of types) {
		if (columns.has(key)) continue;
		throw new InputError(
			`'${LABEL}' names column ${quote(name)}, which no item has`,
			`Nothing was sent. The columns are ${listedInQuotes(known, MAX_NAMED)}.`,
		);
	}
}

/** The option 'Field Types': the types of new fields that the values of a column can't tell. */
import { isObject } from '../../model/response/jsonObject';
import { InputError } from '../../model/inputError';
import { locatorValue } from '../../model/locator';
import { listedInQuotes, quote } from '../../model/messageText';
import { foldCase } from '../../model/nameSpelling';
import { kindOfType } from '../../model/value/kinds/allKinds';
import { readOptions } from '../../model/response/option';
import { listedChoices } from '../../model/value/kinds/multiSelect';
import { fieldTypesOption } from '../../ui/writeOptions';
import { requireText } from '../readParameters';

/** The type that a person has set for a column. */
export interface FieldType {
	column: string;
	type: string;
	/** Empty if the values of the column are its choices. */
	choices: string[];
}

/** By column, in any case. */
export type FieldTypes = ReadonlyMap<string, FieldType>;

const LABEL = fieldTypesOption.displayName;

/** The maximum number of columns in a message. */
const MAX_NAMED = 20;

/**
 * Reads the option.
 *
 * @throws InputError for an entry without a column or a type, two entries for one column, and choices for a type
 * without choices
 */
export function readFieldTypes(value: unknown): FieldTypes {
	const types = new Map<string, FieldType>();
	const entries = [(isObject(value) && value.values) || []].flat();
	for (const [place, entry] of entries.entries()) {
		const given = isObject(entry) ? entry : {};
		const part = (label: string) => `${label} of entry ${place + 1} in ${LABEL}`;
		const column = requireText(given.column, part('Column'));
		const type = requireText(locatorValue(given.type), part('Type')).trim();
		const choices = choicesIn(given.choices);
		if (types.has(foldCase(column))) {
			throw new InputError(
				`'${LABEL}' has two entries for column ${quote(column)}`,
				'Nothing was changed. Remove one of them.',
			);
		}
		if (choices.length > 0 && !mayHaveChoices(type)) {
			throw new InputError(
				`'${LABEL}' has choices for column ${quote(column)}, but a field of type ${quote(type)} has none`,
				'Nothing was changed. Remove the choices, or select a type with choices.',
			);
		}
		types.set(foldCase(column), { column, type, choices });
	}
	return types;
}

/** The choices as a list, or as text with commas. */
function choicesIn(entered: unknown): string[] {
	const list = listedChoices({ options: [] }, entered ?? '') ?? [];
	return [...new Set(readOptions(list).map(({ label }) => label.trim()))].filter(Boolean);
}

/** Returns false for a known type without choices. */
function mayHaveChoices(type: string): boolean {
	const kind = kindOfType(type);
	return kind.choicesIn !== undefined || kind === kindOfType('');
}

/** @param names the columns of all items @throws InputError for an entry whose column no item has */
export function requireColumns(types: FieldTypes, names: Iterable<string>): void {
	const known = [...names];
	const columns = new Set(known.map(foldCase));
	for (const [key, { column }] of types) {
		if (columns.has(key)) continue;
		throw new InputError(
			`'${LABEL}' names column ${quote(column)}, which no item has`,
			`Nothing was changed. The columns are ${listedInQuotes(known, MAX_NAMED)}.`,
		);
	}
}

/** Reads the values of an item: from the field mapper, or all of them. */
import type { FieldHint, FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { isObject, type JsonObject } from '../../model/response/jsonObject';
import { quote, showValue } from '../../values/messageText';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { readOnce } from '../readParameters';
import { columnsOf, keyBeside } from './columns';

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined);

export interface Columns {
	/** Keys are names or IDs of fields; values are as entered. */
	entries: Array<[string, unknown]>;
	matchingKeys: string[];
	/** The label of the mapper in the editor. */
	label: string;
	hints: ReadonlyMap<string, FieldHint>;
	/** True if there may be nothing to send. */
	mayBeEmpty?: boolean;
	/** True if nobody selected the values one by one. */
	isAutomatic?: boolean;
}

const listOrNone = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Reads a mapper, and one without expressions only once, because it lists all fields of the card. Its schema lists those
 * that were known at its last refresh; `fieldId` and `fieldName` are hints that our own field listing adds. Each part may be missing.
 */
const readMapper = readOnce((mapper) => {
	const { mappingMode, value, matchingColumns, schema } = isObject(mapper) ? mapper : {};
	const hints = new Map<string, FieldHint>();
	const hidden = new Set<string>();
	for (const { id, displayName, fieldId, fieldName, removed } of listOrNone(schema).filter(
		isObject,
	)) {
		if (typeof id !== 'string') continue;
		const name = textOrNone(fieldName) ?? textOrNone(displayName);
		hints.set(id, { fieldId: textOrNone(fieldId), name });
		// The editor keeps `false` for hidden switches.
		if (removed === true) hidden.add(id);
	}
	return {
		isAutomatic: mappingMode === 'autoMapInputData',
		mapped: Object.entries(isObject(value) ? value : {}).filter(([key]) => !hidden.has(key)),
		matchingKeys: listOrNone(matchingColumns).filter((key) => typeof key === 'string'),
		hints,
	};
});

/**
 * Reads the field mapper for one item.
 *
 * @param value the parameter `columns`
 * @param item the input item's data, for Map Automatically
 * @param index the fields of the card
 * @param label the mapper's name in the editor
 * @param mayBeEmpty true if the item is written for another reason, too
 * @throws InputError if there is nothing to write
 */
export function readColumns(
	value: unknown,
	item: JsonObject,
	index: FieldIndex,
	label: string,
	mayBeEmpty = false,
): Columns {
	if (!isObject(value)) throw new InputError(`'${label}' is empty`, 'Map at least one field.');
	const { isAutomatic, matchingKeys, hints, mapped } = readMapper(value);
	const entries = (isAutomatic ? columnsOf(item, index) : mapped).filter(
		([, entry]) => entry !== undefined,
	);
	if (entries.length === 0 && !mayBeEmpty) {
		throw new InputError(
			`No value in '${label}'`,
			isAutomatic
				? "The item has no values. Name the item's fields like the card's fields."
				: 'Map at least one field.',
		);
	}
	return { entries, matchingKeys, label, hints, isAutomatic };
}

/** Returns true if a column has no name, because a file lacks the header. No field can have such a name. */
export const isNameless = (name: string): boolean => cleanName(name) === '';

/**
 * Returns true if a column has a name. An empty column without one is ignored: a comma at the end of each line in
 * a file creates such a column.
 *
 * @throws InputError for a value without a name
 */
export function hasName(name: string, value: unknown, itemIndex: number): boolean {
	if (!isNameless(name)) return true;
	if (value === '' || value === null || value === undefined) return false;
	throw new InputError(
		`A column of the items has no name: item ${itemIndex} has ${showValue(value)} in it`,
		'Give each column a name: it becomes the name of a field.',
	);
}

/**
 * Returns the columns of an item for a card that is made for the items.
 *
 * @throws InputError for a value without a name, and for two names that differ only in case or spaces
 */
export function itemColumns(item: JsonObject, itemIndex: number): Columns {
	const entries = columnsOf(item, undefined).filter(([name, value]) =>
		hasName(name, value, itemIndex),
	);
	const names = new Map<string, string>();
	for (const [name] of entries) {
		const other = names.get(foldCase(name));
		if (other !== undefined) {
			throw new InputError(
				`The columns ${quote(other)} and ${quote(keyBeside(other, name))} would be one field`,
				'Their names differ only in case, spaces or the prefix. Rename one of them.',
			);
		}
		names.set(foldCase(name), name);
	}
	return {
		entries,
		matchingKeys: [],
		label: 'Items',
		hints: new Map(),
		isAutomatic: true,
		mayBeEmpty: true,
	};
}

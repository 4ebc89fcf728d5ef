/** Converts an item's values to record data: keys become field IDs, and values fit the fields. */
import type { Field } from '../../model/response/field';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/response/jsonObject';
import { cleanName, foldCase } from '../../model/nameSpelling';
import { plainText } from '../../model/parameterValue';
import type { Formats } from '../../model/value/formats';
import type { EntryRules } from '../../model/value/kinds/kind';
import { enter, valueOf } from '../../model/value/entry';
import { readChoice } from '../readParameters';
import type { Run, CardReference } from '../run/run';
import type { CardWriter } from '../run/cardWriter';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { combineErrors } from './combineErrors';
import type { ItemValues, RefusedValue } from './difference';
import { hasName, type Columns } from './mapper';
import { fieldOfKey } from './matching';
import type { ResultOptions } from './writtenItems';
import {
	booleanWordsOption,
	dateFormatOption,
	emptyValuesOption,
	missingChoicesOption,
	numberFormatOption,
	unknownFieldsOption,
} from '../../ui/writeOptions';

/** What one item writes, and where. */
export interface ItemWrite {
	run: Run;
	itemIndex: number;
	card: CardReference;
	columns: Columns;
	options: ColumnOptions & ResultOptions;
	request: ReadOptions;
	/** Sends the writes; in a dry run it only predicts them. */
	writer: CardWriter;
	/** True if a record isn't written when it has all values already. */
	skipsUnchanged: boolean;
}

/** Options for converting the entries. */
export interface ColumnOptions {
	emptyValues?: string;
	unknownFields?: string;
	missingChoices?: string;
	numberFormat?: string;
	dateFormat?: string;
	booleanWords?: unknown;
	fieldTypes?: unknown;
	/** The names of the fields to clear. */
	clearFields?: unknown;
	/** True to refuse text that a field would store only in part. */
	whole?: boolean;
}

/** Advice if the card lacks a field or a choice. */
const FIELD_ADVICE = `Or select 'Create the Field' in the option '${unknownFieldsOption.displayName}'.`;
const CHOICE_ADVICE = `Or select 'Add to the Field' in the option '${missingChoicesOption.displayName}'.`;

/** Reads how to interpret text values. @throws InputError for an unknown option value or a wrong number of words */
export function readFormats({ numberFormat, dateFormat, booleanWords }: ColumnOptions): Formats {
	return {
		number: readChoice(numberFormatOption, numberFormat),
		date: readChoice(dateFormatOption, dateFormat),
		words: readWords(booleanWords),
	};
}

function readWords(value: unknown): Formats['words'] {
	if (value === undefined || value === null) return undefined;
	const words = Array.isArray(value) ? value.map(plainText) : plainText(value).split(',');
	const [yes = '', no = '', ...more] = words.map(cleanName);
	if (yes !== '' && no !== '' && more.length === 0 && foldCase(yes) !== foldCase(no)) {
		return [yes, no];
	}
	throw new InputError(
		`'${booleanWordsOption.displayName}' can't be '${plainText(value)}'`,
		'Enter two different words with a comma between them: the word for true, then the word for false.',
	);
}

/** Returns the conversion rules of this item. @throws InputError for an unknown option value */
function conversionRules(run: Run, options: ColumnOptions): EntryRules {
	const { emptyValues, unknownFields, missingChoices, whole } = options;
	const adds = readChoice(missingChoicesOption, missingChoices) === 'add';
	return {
		emptyValues: readChoice(emptyValuesOption, emptyValues) ?? 'send',
		zone: run.zone,
		formats: readFormats(options),
		// Fields that were created for the values of all items also accept values of other types.
		fits: readChoice(unknownFieldsOption, unknownFields) === 'create',
		...(whole && { whole }),
		...(!adds && { choiceAdvice: CHOICE_ADVICE }),
	};
}

/** What `toRecordData` converts. */
type Entered = Pick<ItemWrite, 'run' | 'columns' | 'options'>;

/**
 * Converts the entries to record data: keys become field IDs, and values fit the fields.
 *
 * @param index the current field listing
 * @throws InputError naming all fields that are unknown, ambiguous or named twice, or are matched on and can't hold
 * their value
 */
export function toRecordData(write: Entered, index: FieldIndex): ItemValues {
	const { run, columns, options } = write;
	const { matchingKeys, hints, entries } = columns;
	const rules = conversionRules(run, options);
	// The item may spell the names of its matching fields differently.
	const matching = new Set(matchingKeys.map((key) => fieldOfKey(index, key, hints.get(key))?.id));
	const keys = new Map<string, string>();
	const data: Array<[string, unknown]> = [];
	const refused = new Map<string, RefusedValue>();
	const errors: unknown[] = [];
	for (const [key, entry] of entries) {
		try {
			const field = fieldOf(write, index, key, entry);
			const isKey = matching.has(field?.id);
			if (!field || isLeftOut(write, field, key, isKey)) continue;
			requireOnce(field, key, keys);
			const taken = enter(field, entry, isKey ? { ...rules, exact: true } : rules);
			if (isKey) valueOf(taken);
			if ('value' in taken) data.push([field.id, taken.value]);
			if ('refused' in taken) refused.set(field.id, { ...taken, entered: entry, rules });
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) {
		throw combineErrors([...errors, ...[...refused.values()].map((one) => one.refused)]);
	}
	// Object.fromEntries, not assignment, because a field may be called `__proto__`.
	return { data: Object.fromEntries(data), refused };
}

/**
 * Finds the field of an entry, by the option 'If Field Is Unknown'.
 *
 * @returns undefined for an entry that isn't written
 * @throws InputError if no field or several fields match
 */
function fieldOf(
	{ columns, options: { unknownFields } }: Entered,
	index: FieldIndex,
	key: string,
	entry: unknown,
): Field | undefined {
	const hint = columns.hints.get(key);
	const known = index.find(key, hint);
	if (known || unknownFields === 'ignore') return known;
	if (!hasName(key, entry)) return undefined;
	// Don't recommend the option that is already set.
	return index.resolve(key, hint, unknownFields === 'create' ? '' : FIELD_ADVICE);
}

/** Returns true for a value of a computed field that nobody selected, and adds a hint. */
function isLeftOut({ run, columns }: Entered, field: Field, key: string, isKey: boolean): boolean {
	if (!field.isReadOnly || !columns.isAutomatic || isKey) return false;
	run.messages.hint(
		`'${key}' of the items wasn't written, because the service computes this field`,
	);
	return true;
}

/** @param keys the keys of the fields so far @throws InputError if an earlier entry has the same field */
function requireOnce({ id, name }: Field, key: string, keys: Map<string, string>): void {
	const other = keys.get(id);
	if (other !== undefined) {
		throw new InputError(
			`'${other}' and '${key}' both refer to field '${name}'`,
			'Map each field only once.',
		);
	}
	keys.set(id, key);
}

/** Returns the data, if there is anything to send. @throws InputError if there isn't */
export function requireData(
	{ data, refused }: ItemValues,
	{ label, mayBeEmpty }: Columns,
): JsonObject {
	if (mayBeEmpty || Object.keys(data).length > 0 || (refused?.size ?? 0) > 0) return data;
	throw new InputError(
		`No value in '${label}'`,
		"All values are empty or belong to unknown fields. See the options 'Empty Values' and 'If Field Is Unknown'.",
	);
}

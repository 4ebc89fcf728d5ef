/** Converts an item's values to record data: keys become field IDs, and values fit the fields. */
import type { Field } from '../../model/response/field';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/response/shapes';
import { cleanName, foldCase, plainText } from '../../model/text';
import type { Formats } from '../../model/value/formats';
import type { EntryRules } from '../../model/value/kinds/kind';
import { enter } from '../../model/value/value';
import { readChoice } from '../readParameters';
import type { Run, CardReference } from '../run/run';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { combineErrors } from './combineErrors';
import { EMPTY_IN_OUTPUT, Refused } from './difference';
import { hasName, hintAtLeftOut, type Columns } from './mapper';
import type { Writer } from './writer';
import {
	booleanWordsOption,
	dateFormatOption,
	emptyValuesOption,
	missingChoicesOption,
	numberFormatOption,
	unknownFieldsOption,
} from '../../ui/writeOptions';

/** What one item writes, and where. */
export interface Write {
	run: Run;
	card: CardReference;
	columns: Columns;
	options: ColumnOptions;
	request: ReadOptions;
	/** Sends the writes; in a dry run it only predicts them. */
	writer: Writer;
	/** True if a record isn't written when it has all values already. */
	skipsUnchanged: boolean;
	/** True if the record is found first. A refused value is then `Refused`, as the record may have it. */
	isListed?: boolean;
	/** The predicted fields, in a dry run that would add some. */
	preview?: FieldIndex;
}

/** Options for converting the entries. */
export interface ColumnOptions {
	emptyValues?: string;
	unknownFields?: string;
	missingChoices?: string;
	numberFormat?: string;
	dateFormat?: string;
	booleanWords?: unknown;
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

/**
 * Returns a function that finds the field of an entry, by the option 'If Field Is Unknown'.
 *
 * @returns undefined for an ignored entry
 * @throws InputError if no field or several fields match, or for an unknown option value
 */
function finder(
	{ hints }: Columns,
	index: FieldIndex,
	options: ColumnOptions,
): (key: string, entry: unknown) => Field | undefined {
	const choice = readChoice(unknownFieldsOption, options.unknownFields);
	return (key, entry) => {
		const known = index.find(key, hints.get(key));
		if (known || choice === 'ignore') return known;
		if (!hasName(key, entry)) return undefined;
		// Don't recommend the option that is already set.
		return index.resolve(key, hints.get(key), choice === 'create' ? '' : FIELD_ADVICE);
	};
}

/** Converts an entry to the value to send, or to the reason why there is none. */
function entered(field: Field, entry: unknown, rules: EntryRules): unknown {
	try {
		return enter(field, entry, rules);
	} catch (error) {
		return new Refused(entry, rules, error);
	}
}

/**
 * Converts the entries to record data: keys become field IDs, and values fit the fields.
 *
 * @param index the current field listing
 * @param isListed true to return a refused value as `Refused`
 * @returns data keyed by field ID
 * @throws InputError naming all fields that are unknown, ambiguous, named twice or can't hold their value
 */
export function toRecordData(
	run: Run,
	columns: Columns,
	index: FieldIndex,
	options: ColumnOptions,
	isListed = false,
): JsonObject {
	hintAtLeftOut(run, columns, index);
	const rules = conversionRules(run, options);
	const find = finder(columns, index, options);
	const keys = new Map<string, string>();
	const matching = new Set(columns.matchingKeys);
	const toEntry = (key: string, entry: unknown): [string, unknown] | undefined => {
		const field = find(key, entry);
		const isKey = matching.has(key);
		if (!field) return undefined;
		if (field.isReadOnly && columns.isAutomatic && !isKey) {
			run.messages.hint(
				`'${key}' of the items wasn't written, because the service computes this field`,
			);
			return undefined;
		}
		const other = keys.get(field.id);
		if (other !== undefined) {
			throw new InputError(
				`'${other}' and '${key}' both refer to field '${field.name}'`,
				'Map each field only once.',
			);
		}
		keys.set(field.id, key);
		// Version 2 returns null for an empty field, which doesn't mean that the user wants to clear it.
		if (entry === null && !isKey && columns.origin?.hasNulls) {
			return isListed ? [field.id, EMPTY_IN_OUTPUT] : undefined;
		}
		const value = entered(field, entry, isKey ? { ...rules, exact: true } : rules);
		const isHeldPerhaps = isListed && !isKey;
		if (value instanceof Refused && !(isHeldPerhaps && value.isForValue)) throw value.error;
		return value === undefined ? undefined : [field.id, value];
	};
	const data: Array<[string, unknown]> = [];
	const errors: unknown[] = [];
	for (const [key, entry] of columns.entries) {
		try {
			const sent = toEntry(key, entry);
			if (sent) data.push(sent);
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw combineErrors(errors);
	// Object.fromEntries, not assignment, because a field may be called `__proto__`.
	return Object.fromEntries(data);
}

/** Returns the data, if there is anything to send. @throws InputError if there isn't */
export function requireData(data: JsonObject, { label, mayBeEmpty }: Columns): JsonObject {
	if (mayBeEmpty || Object.keys(data).length > 0) return data;
	throw new InputError(
		`No value in '${label}'`,
		"All values are empty or belong to unknown fields. See the options 'Empty Values' and 'If Field Is Unknown'.",
	);
}

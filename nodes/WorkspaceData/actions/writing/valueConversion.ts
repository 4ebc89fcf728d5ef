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
import { fieldOfKey } from './matching';
import type { ResultOptions } from './results';
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
	options: ColumnOptions & ResultOptions;
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

/** What `toRecordData` converts. */
export type Entered = Pick<Write, 'run' | 'columns' | 'options' | 'isListed'>;

/**
 * Converts the entries to record data: keys become field IDs, and values fit the fields.
 *
 * @param index the current field listing
 * @returns data keyed by field ID
 * @throws InputError naming all fields that are unknown, ambiguous, named twice or can't hold their value
 */
export function toRecordData(write: Entered, index: FieldIndex): JsonObject {
	const { run, columns } = write;
	hintAtLeftOut(run, columns, index);
	const conversion = new Conversion(write, index);
	const data: Array<[string, unknown]> = [];
	const errors: unknown[] = [];
	for (const [key, entry] of columns.entries) {
		try {
			const field = conversion.fieldOf(key, entry);
			const value = field && conversion.valueOf(field, entry);
			if (field && value !== undefined) data.push([field.id, value]);
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw combineErrors(errors);
	// Object.fromEntries, not assignment, because a field may be called `__proto__`.
	return Object.fromEntries(data);
}

/** Converts the entries of one item. */
class Conversion {
	private readonly write: Entered;
	private readonly index: FieldIndex;
	private readonly rules: EntryRules;
	private readonly ifUnknown: string | undefined;
	/** The IDs of the matching fields. An item may spell their names differently. */
	private readonly matching: ReadonlySet<string | undefined>;
	/** The keys of the fields that have a value. */
	private readonly keys = new Map<string, string>();

	/** @throws InputError for an unknown option value */
	constructor(write: Entered, index: FieldIndex) {
		const { run, columns, options } = write;
		this.write = write;
		this.index = index;
		this.rules = conversionRules(run, options);
		this.ifUnknown = readChoice(unknownFieldsOption, options.unknownFields);
		this.matching = new Set(
			columns.matchingKeys.map((key) => fieldOfKey(index, key, columns.hints.get(key))?.id),
		);
	}

	/**
	 * Finds the field of an entry, by the option 'If Field Is Unknown'.
	 *
	 * @returns undefined for an entry that isn't written
	 * @throws InputError if no field or several fields match, or an earlier entry has the same field
	 */
	fieldOf(key: string, entry: unknown): Field | undefined {
		const field = this.named(key, entry);
		if (!field) return undefined;
		const { run, columns } = this.write;
		if (field.isReadOnly && columns.isAutomatic && !this.matching.has(field.id)) {
			run.messages.hint(
				`'${key}' of the items wasn't written, because the service computes this field`,
			);
			return undefined;
		}
		const other = this.keys.get(field.id);
		if (other !== undefined) {
			throw new InputError(
				`'${other}' and '${key}' both refer to field '${field.name}'`,
				'Map each field only once.',
			);
		}
		this.keys.set(field.id, key);
		return field;
	}

	private named(key: string, entry: unknown): Field | undefined {
		const { columns } = this.write;
		const hint = columns.hints.get(key);
		const known = this.index.find(key, hint);
		if (known || this.ifUnknown === 'ignore' || columns.origin?.extras.has(key)) return known;
		if (!hasName(key, entry)) return undefined;
		// Don't recommend the option that is already set.
		return this.index.resolve(key, hint, this.ifUnknown === 'create' ? '' : FIELD_ADVICE);
	}

	/**
	 * Converts an entry to the value to send.
	 *
	 * @returns undefined if there is none; `Refused` if the record may have the value already
	 * @throws InputError if the field can't hold the value
	 */
	valueOf(field: Field, entry: unknown): unknown {
		const { columns, isListed = false } = this.write;
		const isKey = this.matching.has(field.id);
		// Version 2 returns null for an empty field, which doesn't mean that the user wants to clear it.
		if (entry === null && !isKey && columns.origin?.hasNulls) {
			return isListed ? EMPTY_IN_OUTPUT : undefined;
		}
		const rules = isKey ? { ...this.rules, exact: true } : this.rules;
		const value = entered(field, entry, rules);
		const mayBeHeld = isListed && !isKey;
		if (value instanceof Refused && !(mayBeHeld && value.error instanceof InputError)) {
			throw value.error;
		}
		return value;
	}
}

/** Converts an entry to the value to send, or to the reason why there is none. */
function entered(field: Field, entry: unknown, rules: EntryRules): unknown {
	try {
		return enter(field, entry, rules);
	} catch (error) {
		return new Refused(entry, rules, error);
	}
}

/** Returns the data, if there is anything to send. @throws InputError if there isn't */
export function requireData(data: JsonObject, { label, mayBeEmpty }: Columns): JsonObject {
	if (mayBeEmpty || Object.keys(data).length > 0) return data;
	throw new InputError(
		`No value in '${label}'`,
		"All values are empty or belong to unknown fields. See the options 'Empty Values' and 'If Field Is Unknown'.",
	);
}

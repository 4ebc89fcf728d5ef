/** Converts an item's values to record data: keys become field IDs, and values fit the fields. */
import type { Field } from '../../model/response/field';
import type { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { askForNearest } from '../../values/similarNames';
import { quote } from '../../values/messageText';
import type { JsonObject } from '../../model/response/jsonObject';
import { cleanName, foldCase } from '../../values/nameSpelling';
import { plainNames, plainText } from '../../values/parameterValue';
import type { Formats } from '../../values/formats';
import type { EntryRules } from '../../values/kinds/kind';
import { enter } from '../../values/entry';
import { readChoice } from '../readParameters';
import type { Run } from '../run/run';
import type { ItemValues, RefusedValue } from './difference';
import { keyBeside } from './columns';
import { hasName, type Columns } from './mapper';
import { fieldOfKey } from './matching';
import { inputErrorOf, requireNone, type Refusal } from './refusals';
import {
	booleanWordsOption,
	clearFieldsOption,
	dateFormatOption,
	emptyValuesOption,
	missingChoicesOption,
	numberFormatOption,
	unknownFieldsOption,
} from '../../properties/writeOptions';

/** Options for converting the entries. */
export interface ColumnOptions {
	emptyValues?: string;
	unknownFields?: string;
	missingChoices?: string;
	numberFormat?: string;
	dateFormat?: string;
	booleanWords?: unknown;
	/** The names of the fields to clear. */
	clearFields?: unknown;
}

/** Advice if the card lacks a field. */
const FIELD_ADVICE = `Or select 'Create the Field' in the option '${unknownFieldsOption.displayName}'.`;

/** Returns the additions to a card that the options allow. @throws InputError for an unknown option value */
export const readAdditions = ({ unknownFields, missingChoices }: ColumnOptions) => ({
	fields: readChoice(unknownFieldsOption, unknownFields) === 'create',
	choices: readChoice(missingChoicesOption, missingChoices) === 'add',
});

/** Returns the conversion rules of an item. @throws InputError for an unknown option value or a wrong number of words */
export function readRules({ zone }: Pick<Run, 'zone'>, options: ColumnOptions): EntryRules {
	const adds = readAdditions(options);
	return {
		emptyValues: readChoice(emptyValuesOption, options.emptyValues) ?? 'send',
		zone,
		formats: {
			number: readChoice(numberFormatOption, options.numberFormat),
			date: readChoice(dateFormatOption, options.dateFormat),
			words: readWords(options.booleanWords),
		},
		// Fields that were created for the values of all items also accept values of other types.
		fits: adds.fields,
		missingChoices: adds.choices ? 'add' : 'error',
	};
}

function readWords(value: unknown): Formats['words'] {
	if (value === undefined || value === null) return undefined;
	const words = Array.isArray(value) ? value.map(plainText) : plainText(value).split(',');
	const [yes = '', no = '', ...more] = words.map(cleanName);
	const isPair = yes !== '' && no !== '' && more.length === 0 && foldCase(yes) !== foldCase(no);
	// These are read in any case.
	if (isPair && !/^(?:false|0)$/i.test(yes) && !/^(?:true|1)$/i.test(no)) return [yes, no];
	throw new InputError(
		`'${booleanWordsOption.displayName}' can't be '${plainText(value)}'`,
		'Enter two different words with a comma between them: the word for true, then the word for false.',
	);
}

/** What `toRecordData` converts. */
export interface Entered {
	run: Run;
	itemIndex: number;
	columns: Columns;
	options: ColumnOptions;
	rules: EntryRules;
}

/**
 * Converts the entries to record data: keys become field IDs, and values fit the fields.
 *
 * @param index the current field listing
 * @throws RefusedValues for fields that are unknown, ambiguous or named twice, or are matched on and can't hold their
 * value, and for fields to clear that can't be cleared
 */
export function toRecordData(entered: Entered, index: FieldIndex): ItemValues {
	const { columns, options, rules } = entered;
	const { matchingKeys, hints, entries } = columns;
	// The item may spell the names of its matching fields differently.
	const matching = new Set(matchingKeys.map((key) => fieldOfKey(index, key, hints.get(key))?.id));
	const keys = new Map<string, string>();
	const data = new Map<string, unknown>();
	const refused = new Map<string, RefusedValue>();
	const refusals: Refusal[] = [];
	const collect = (take: () => void): void => {
		try {
			take();
		} catch (error) {
			refusals.push({ error: inputErrorOf(error) });
		}
	};
	const unknown: string[] = [];
	const take = (key: string, entry: unknown): void => {
		const field = index.find(key, hints.get(key));
		if (!field && options.unknownFields !== 'ignore' && hasName(key, entry, entered.itemIndex))
			unknown.push(key);
		const isKey = matching.has(field?.id);
		if (!field || isLeftOut(entered, field, key, isKey)) return;
		requireOnce(field, key, keys);
		try {
			const value = enter(field, entry, isKey ? { ...rules, isExact: true } : rules);
			if (value !== undefined) data.set(field.id, value);
		} catch (error) {
			const reason = inputErrorOf(error);
			if (isKey) refusals.push({ error: reason, field: field.name, value: entry });
			else refused.set(field.id, { refused: reason, entered: entry, rules });
		}
	};
	for (const [key, entry] of entries) collect(() => take(key, entry));
	// Don't recommend the option that is already set.
	const advice = options.unknownFields === 'create' ? '' : FIELD_ADVICE;
	if (unknown.length > 0) refusals.push({ error: index.missing(unknown, advice) });
	for (const name of plainNames(options.clearFields)) {
		collect(() => {
			const field = fieldToClear(index, name);
			if ((data.get(field.id) ?? null) !== null || refused.has(field.id)) throw hasValue(field);
			data.set(field.id, null);
		});
	}
	if (refusals.length > 0) {
		for (const [id, { refused: error, entered: value }] of refused)
			refusals.push({ error, field: index.byId(id)?.name ?? id, value });
	}
	requireNone(refusals);
	// Object.fromEntries, not assignment, because a field may be called `__proto__`.
	return { data: Object.fromEntries(data), refused };
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
			`'${other}' and '${keyBeside(other, key)}' both refer to field '${name}'`,
			'Map each field only once.',
		);
	}
	keys.set(id, key);
}

const CLEAR_LABEL = clearFieldsOption.displayName;

/** Requires the exact name or the ID, because values are lost. @throws InputError naming the option */
function fieldToClear(index: FieldIndex, wanted: string): Field {
	const [field, ...others] = index.fields.filter(({ id, name }) => [id, name].includes(wanted));
	if (!field || others.length > 0) {
		const known = index.fields.map(({ name }) => name);
		throw new InputError(
			`'${CLEAR_LABEL}': the card has ${field ? `${others.length + 1} fields` : 'no field'} ${quote(wanted)}`,
			`${askForNearest(wanted, known)} Select the field again.`.trim(),
		);
	}
	if (!field.isReadOnly) return field;
	throw new InputError(
		`'${CLEAR_LABEL}': field '${field.name}' can't be written`,
		'The service computes its value. Remove the field from the option.',
	);
}

const hasValue = ({ name }: Field): InputError =>
	new InputError(
		`Field '${name}' is in '${CLEAR_LABEL}' and also has a value`,
		'Remove the field from the option, or its value from the item.',
	);

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

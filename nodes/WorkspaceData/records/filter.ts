/** Filters and Search: which records to return or change. */
import { ownValue } from '../values/jsonObject';
import type { DataRecord } from '../transport/api';
import { conditionTest, containsText, type ConditionPlace } from '../values/condition';
import { InputError } from '../values/inputError';
import type { FieldIndex } from './fieldIndex';
import { locatorValue } from './locator';
import { OWN_VALUES, type NamedValue } from './ownValues';

/** Returns true if a record is wanted. */
export type RecordTest = (record: DataRecord) => boolean;

/**
 * Reads the conditions of an operation.
 *
 * @param filters the parameter `filters`
 * @param matchType the parameter `matchType`
 * @param place the time zone; `isExact` if it selects records to change: names must then match exactly
 * @returns a test for records; undefined if there are no conditions
 * @throws InputError for an unknown field or condition, or a value that the field can't hold
 */
export const readFilter = (
	filters: Filters,
	matchType: MatchType,
	index: FieldIndex,
	place: ConditionPlace,
): RecordTest | undefined =>
	recordTest(readConditions(filters), matchType === 'anyCondition', index, place);

/** One condition as entered. */
export interface EnteredCondition {
	/** Name or ID of a field, or of a property of the record itself. */
	key: string;
	condition: string;
	value: unknown;
}

/** The parameter 'Must Match', checked by its definition. */
export type MatchType = 'allConditions' | 'anyCondition';

/** The parameter 'Filters', checked by its definition. */
export interface Filters {
	conditions?: ReadonlyArray<{ field: unknown; condition: string; value: unknown }>;
}

/** Reads the conditions as entered. @throws InputError for a condition without a field */
export const readConditions = ({ conditions = [] }: Filters): EnteredCondition[] =>
	conditions.map(({ field, condition, value }) => {
		const key = typeof field === 'string' ? field : '';
		if (key.trim() !== '') return { key, condition, value: locatorValue(value) };
		throw new InputError(
			"'Field Name or ID' is empty in a condition of 'Filters'",
			'Select the field to filter by, or remove the condition.',
		);
	});

/**
 * Combines conditions into one test.
 *
 * @param any true if one condition is enough
 * @returns undefined if there is no condition
 * @throws InputError for an unknown field or condition, or a value that the field can't hold
 */
export function recordTest(
	conditions: readonly EnteredCondition[],
	any: boolean,
	index: FieldIndex,
	place: ConditionPlace,
): RecordTest | undefined {
	const tests = conditions.map(({ key, condition, value }): RecordTest => {
		const { field, read } = namedValue(index, key, place.isExact);
		const test = conditionTest(condition, value, field, place);
		return (record) => test(read(record));
	});
	if (tests.length === 0) return undefined;
	return any
		? (record) => tests.some((test) => test(record))
		: (record) => tests.every((test) => test(record));
}

/**
 * The value for a key: the record's own `id` or `created_at`, or a field of the card.
 *
 * @param isExact true if the name must match exactly
 * @throws InputError if no field or more than one matches; with `isExact` also for a field with the name of a
 * property
 */
export function namedValue(index: FieldIndex, key: string, isExact = false): NamedValue {
	const own = OWN_VALUES.get(key);
	const namesake = own && isExact && index.fields.find(({ name }) => name === key);
	if (namesake) {
		throw new InputError(
			`'${key}' in a filter is both a property of the record and a field of the card`,
			`Nothing was changed. To compare the field, use its ID: ${namesake.id}.`,
		);
	}
	if (own) return own;
	const field = isExact ? index.exact(key) : index.resolve(key);
	return { field, read: ({ data }) => ownValue(data, field.id) };
}

/**
 * Returns a test that one of a record's fields contains text, as in the condition *Contains*.
 *
 * @returns undefined if there is nothing to search for
 */
export function searchTest(text: string, { fields }: FieldIndex): RecordTest | undefined {
	if (text === '') return undefined;
	const tests = fields.map((field) => {
		const has = containsText(field, text);
		return ({ data }: DataRecord) => has(ownValue(data, field.id));
	});
	return (record) => tests.some((test) => test(record));
}

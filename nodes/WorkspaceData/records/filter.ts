/** Filters and Search: which records to return or change. */
import { ownValue } from '../values/json';
import type { DataRecord } from '../transport/api';
import { conditionTest, containsText, type ConditionPlace } from '../values/condition';
import { InputError } from '../values/inputError';
import type { FieldIndex } from './fieldIndex';
import { locatorValue } from './locator';
import { OWN_VALUES, type NamedValue } from './ownValues';

/** Returns true if a record is wanted. */
export type RecordTest = (record: DataRecord) => boolean;

/** The parameter 'Must Match', checked by its definition. */
export type MatchType = 'allConditions' | 'anyCondition';

/** The parameter 'Filters', checked by its definition. */
export interface Filters {
	conditions?: ReadonlyArray<{ field: unknown; condition: string; value: unknown }>;
}

/**
 * Reads the conditions of an operation.
 *
 * @param place the time zone; `isExact` if it selects records to change: names must then match exactly
 * @returns a test for records; undefined if there are no conditions
 * @throws InputError for an unknown field or condition, or a value that the field can't hold
 */
export function readFilter(
	{ conditions = [] }: Filters,
	matchType: MatchType,
	index: FieldIndex,
	place: ConditionPlace,
): RecordTest | undefined {
	const tests = conditions.map(({ field: key, condition, value }): RecordTest => {
		const { field, read } = namedValue(index, fieldKey(key, 'Filters'), place.isExact);
		const test = conditionTest(condition, locatorValue(value), field, place);
		return (record) => test(read(record));
	});
	if (tests.length === 0) return undefined;
	return matchType === 'anyCondition'
		? (record) => tests.some((test) => test(record))
		: (record) => tests.every((test) => test(record));
}

/** Requires the name or ID of a field. @param where the parameter's name in the message @throws InputError */
export function fieldKey(key: unknown, where: string): string {
	if (typeof key === 'string' && key.trim() !== '') return key;
	throw new InputError(
		`'Field Name or ID' in '${where}' is empty`,
		'Select the field, or remove the entry.',
	);
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

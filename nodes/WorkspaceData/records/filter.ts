/** Filters and Search: which records to return or change. */
import { z } from 'zod/v3';
import { ownValue } from '../values/jsonObject';
import type { DataRecord } from '../transport/api';
import { conditionTest, containsText, type ConditionPlace } from '../values/condition';
import { InputError } from '../values/inputError';
import { plainText } from '../values/parameterValue';
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
	filters: unknown,
	matchType: unknown,
	index: FieldIndex,
	place: ConditionPlace,
): RecordTest | undefined =>
	recordTest(readConditions(filters), readMatchType(matchType), index, place);

/** One condition as entered. */
export interface EnteredCondition {
	/** Name or ID of a field, or of a property of the record itself. */
	key: string;
	condition: string;
	value: unknown;
}

const filtersSchema = z.object({
	conditions: z
		.array(
			z.object({
				field: z.unknown(),
				condition: z.string().default('equals'),
				value: z.unknown(),
			}),
		)
		.nullish(),
});

/** Reads the conditions as entered. @throws InputError for unreadable conditions, or a condition without a field */
export function readConditions(filters: unknown): EnteredCondition[] {
	const parsed = filtersSchema.safeParse(filters ?? {});
	if (!parsed.success) {
		throw new InputError("'Filters' can't be read", 'Add the conditions again.');
	}
	return (parsed.data.conditions ?? []).map(({ field, condition, value }) => {
		const key = typeof field === 'string' ? field : '';
		if (key.trim() !== '') return { key, condition, value: locatorValue(value) };
		throw new InputError(
			"'Field Name or ID' is empty in a condition of 'Filters'",
			'Select the field to filter by, or remove the condition.',
		);
	});
}

/** Returns true if one condition is enough. @throws InputError for a value that isn't in the list */
export function readMatchType(matchType: unknown): boolean {
	if (matchType === 'anyCondition') return true;
	if (matchType === undefined || matchType === null || matchType === 'allConditions') return false;
	throw new InputError(
		`'Must Match' can't be '${plainText(matchType)}'`,
		'Select one of All Conditions, Any Condition.',
	);
}

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
 * @param value the parameter `search`
 * @returns undefined if there is nothing to search for
 * @throws InputError if it isn't text
 */
export function readSearch(value: unknown, { fields }: FieldIndex): RecordTest | undefined {
	const text = plainText(value ?? '').trim();
	if (text === '') return undefined;
	if (typeof value === 'object') {
		throw new InputError(
			`'Search' can't be '${text}'`,
			'Enter the text to look for; leave it empty to return all records.',
		);
	}
	const tests = fields.map((field) => {
		const has = containsText(field, text);
		return ({ data }: DataRecord) => has(ownValue(data, field.id));
	});
	return (record) => tests.some((test) => test(record));
}

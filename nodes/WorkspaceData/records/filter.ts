/** Filters and Search: which records to return or change. */
import { z } from 'zod/v3';
import type { FieldHint, FieldIndex } from './fieldIndex';
import { conditionTest, containsText, type ConditionPlace } from '../values/condition';
import { InputError } from '../values/inputError';
import { locatorValue } from './locator';
import { OWN_VALUES, type DataRecord, type NamedValue } from '../model/response/record';
import { ownValue } from '../model/response/jsonObject';
import { plainText } from '../values/parameterValue';

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

/** One condition as entered. */
export interface EnteredCondition {
	/** Name or ID of a field, or of a property of the record itself. */
	key: string;
	condition: string;
	value: unknown;
}

/** What is needed to read conditions. */
export interface FilterPlace extends ConditionPlace {
	/** What the node's field mapper saved about fields, by key, for fields that were renamed since. */
	hints?: ReadonlyMap<string, FieldHint>;
}

/** Returns true if a record meets the conditions. */
export type RecordTest = (record: DataRecord) => boolean;

/**
 * Reads the conditions as entered.
 *
 * @param filters the parameter `filters`
 * @throws InputError for unreadable conditions, or a condition without a field
 */
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

/**
 * Returns true if one condition is enough.
 *
 * @param matchType the parameter `matchType`; undefined means all conditions
 * @throws InputError for another value
 */
export function readMatchType(matchType: unknown): boolean {
	if (matchType === 'anyCondition') return true;
	if (matchType === undefined || matchType === null || matchType === 'allConditions') return false;
	throw new InputError(
		`'Must Match' can't be '${plainText(matchType)}'`,
		'Select one of All Conditions, Any Condition.',
	);
}

/** The saved hint about a field, by its name when the mapper or the condition was last edited. */
const hintOf = (hints: FilterPlace['hints'], key: string): FieldHint =>
	hints?.get(key) ?? [...(hints?.values() ?? [])].find(({ name }) => name === key) ?? {};

/**
 * The value for a key: the record's own `id` or `created_at`, or a field of the card.
 *
 * @throws InputError if no field or more than one matches; with `isExact` also for a field with the name of
 * a property
 */
export function namedValue(
	index: FieldIndex,
	key: string,
	{ isExact = false, hints }: Pick<FilterPlace, 'isExact' | 'hints'> = {},
): NamedValue {
	const own = OWN_VALUES.get(key);
	if (own) {
		const named = isExact && index.fields.find(({ name }) => name === key);
		if (named) {
			throw new InputError(
				`'${key}' in a filter is both a property of the record and a field of the card`,
				`Nothing was changed. To compare the field, use its ID: ${named.id}.`,
			);
		}
		return own;
	}
	const kept = hintOf(hints, key);
	const field = isExact ? index.exact(key, kept) : index.resolve(key, kept);
	return { field, read: ({ data }) => ownValue(data, field.id) };
}

/**
 * Combines all conditions into one test.
 *
 * @param any true if one condition is enough
 * @returns a test that returns true if a record passes; undefined if there is no condition
 * @throws InputError for an unknown field or condition, or a value that the field can't hold
 */
export function recordTest(
	conditions: readonly EnteredCondition[],
	any: boolean,
	index: FieldIndex,
	place: FilterPlace,
): RecordTest | undefined {
	const tests = conditions.map(({ key, condition, value }): RecordTest => {
		const { field, read } = namedValue(index, key, place);
		const test = conditionTest(condition, value, field, place);
		return (record) => test(read(record));
	});
	if (tests.length === 0) return undefined;
	return any
		? (record) => tests.some((test) => test(record))
		: (record) => tests.every((test) => test(record));
}

/**
 * Returns a test that one of a record's fields contains text, as in the condition *Contains*.
 *
 * @param value the parameter `search`
 * @returns undefined if there is nothing to search for
 * @throws InputError if it isn't text
 */
export function readSearch(
	value: unknown,
	{ fields }: FieldIndex,
): ((record: DataRecord) => boolean) | undefined {
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

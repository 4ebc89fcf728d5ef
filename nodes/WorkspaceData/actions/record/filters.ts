import { z } from 'zod';
import { isEmpty } from '../../model/comparison';
import type { Field } from '../../model/field';
import type { FieldIndex } from '../../model/fieldResolution';
import { conditionTest } from '../../model/filter';
import { InputError } from '../../model/inputError';
import { locatorValue } from '../../model/locator';
import { OWN_VALUES, type DataRecord } from '../../model/record';
import { ownValue } from '../../model/shapes';
import { readChoice } from '../choice';
import { localTime } from '../localTime';
import type { Run } from '../run';

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

/** Whether records must meet all conditions or any of them. */
export const matchTypeProperty = {
	displayName: 'Match',
	name: 'matchType',
	type: 'options',
	options: [
		{
			name: 'All Conditions',
			value: 'allConditions',
			description: 'Records that meet every condition',
		},
		{
			name: 'Any Condition',
			value: 'anyCondition',
			description: 'Records that meet at least one condition',
		},
	],
	default: 'allConditions',
	description: 'Whether a record must meet all conditions or at least one of them',
} as const;

/** The field that a key means to the letter: by its name, else by its ID. @throws InputError */
function exactField(index: FieldIndex, key: string): Field {
	const isName = index.fields.some(({ name }) => name === key);
	return (isName ? undefined : index.byId(key)) ?? index.exact(key);
}

/**
 * The conditions of an operation.
 *
 * @param filters the parameter `filters`
 * @param matchType `allConditions` or `anyCondition`
 * @param run tells the user of a name that could mean a field, too; knows the time zone
 * @param isExact whether it chooses what is changed: a near name or an empty value is refused then
 * @returns whether a record passes; undefined when there is no condition
 * @throws InputError for an unknown field, condition or match type, or a value that the field cannot hold
 */
export function readFilter(
	filters: unknown,
	matchType: unknown,
	index: FieldIndex,
	{ context, hint }: Pick<Run, 'context' | 'hint'>,
	isExact = false,
): ((record: DataRecord) => boolean) | undefined {
	const any = readChoice(matchTypeProperty, matchType) === 'anyCondition';
	const parsed = filtersSchema.safeParse(filters ?? {});
	if (!parsed.success) {
		throw new InputError("'Filters' cannot be read", 'Add the conditions again.');
	}
	const toUtc = localTime(context);
	const tests = (parsed.data.conditions ?? []).map(({ field, condition, value: entered }) => {
		const value = locatorValue(entered);
		const key = typeof field === 'string' ? field : '';
		if (key.trim() === '') {
			throw new InputError(
				"'Field Name or ID' is empty in a condition of 'Filters'",
				'Choose the field to filter by, or remove the condition.',
			);
		}
		if (isExact && isEmpty(value) && condition.toLowerCase().endsWith('equals')) {
			throw new InputError(
				"'Value' is empty in a condition of 'Filters'",
				"Enter a value to compare with, or choose the condition 'Is Empty' or 'Is Not Empty'.",
			);
		}
		const own = OWN_VALUES.get(key);
		if (own) {
			const test = conditionTest(condition, value, own.field, toUtc);
			const named = index.fields.find(({ name }) => name === key);
			if (named) {
				hint(
					`'${key}' in a filter means the record's own property. To compare the field with the same name, use the field's ID: ${named.id}`,
				);
			}
			return (record: DataRecord) => test(own.read(record));
		}
		const compared = isExact ? exactField(index, key) : index.resolve(key);
		const test = conditionTest(condition, value, compared, toUtc);
		return (record: DataRecord) => test(ownValue(record.data, compared.id));
	});
	if (tests.length === 0) return undefined;
	return any
		? (record) => tests.some((test) => test(record))
		: (record) => tests.every((test) => test(record));
}

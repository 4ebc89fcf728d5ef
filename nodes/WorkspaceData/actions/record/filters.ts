import { z } from 'zod';
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

/** How many of the conditions have to be met. */
export const matchTypeProperty = {
	displayName: 'Match',
	name: 'matchType',
	type: 'options',
	options: [
		{
			name: 'All Conditions',
			value: 'allConditions',
			description: 'Return records that meet every condition',
		},
		{
			name: 'Any Condition',
			value: 'anyCondition',
			description: 'Return records that meet at least one condition',
		},
	],
	default: 'allConditions',
	description: 'How many of the conditions a record has to meet',
} as const;

/**
 * The filter of Get Many.
 *
 * @param filters the parameter `filters`
 * @param matchType `allConditions` or `anyCondition`
 * @param run tells the user of a name that could mean a field, too; knows the time zone
 * @returns whether a record passes; undefined when there is no condition
 * @throws InputError for an unknown field, condition or match type
 */
export function readFilter(
	filters: unknown,
	matchType: unknown,
	index: FieldIndex,
	{ context, hint }: Pick<Run, 'context' | 'hint'>,
): ((record: DataRecord) => boolean) | undefined {
	const any = readChoice(matchTypeProperty, matchType) === 'anyCondition';
	const parsed = filtersSchema.safeParse(filters ?? {});
	if (!parsed.success) {
		throw new InputError("'Filters' cannot be read", 'Add the conditions again.');
	}
	const toUtc = localTime(context);
	const tests = (parsed.data.conditions ?? []).map(({ field, condition, value }) => {
		const key = typeof field === 'string' ? field : '';
		if (key.trim() === '') {
			throw new InputError(
				"'Field Name or ID' of a filter condition is empty",
				'Choose the field to filter by, or remove the condition.',
			);
		}
		const test = conditionTest(condition, locatorValue(value), toUtc);
		const own = OWN_VALUES.get(key);
		if (own) {
			const named = index.fields.find(({ name }) => name === key);
			if (named) {
				hint(
					`'${key}' in a filter is the record's own property. To compare the field of this name, use its id: ${named.id}`,
				);
			}
			return (record: DataRecord) => test(own(record));
		}
		const { id } = index.resolve(key);
		return (record: DataRecord) => test(ownValue(record.data, id));
	});
	if (tests.length === 0) return undefined;
	return any
		? (record) => tests.some((test) => test(record))
		: (record) => tests.every((test) => test(record));
}

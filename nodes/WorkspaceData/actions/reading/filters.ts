/** The conditions of an operation. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/answer/record';
import { readConditions, readMatchType, recordTest } from '../../model/value/recordFilter';
import type { Run } from '../run/run';

/**
 * The conditions of an operation as one test.
 *
 * @param filters the parameter `filters`
 * @param matchType `allConditions` or `anyCondition`
 * @param run tells the user of a name that could mean a field, too; knows the time zone
 * @param isExact whether it chooses records to change: then a near name or an empty value is refused
 * @returns whether a record passes; undefined when there is no condition
 * @throws InputError for an unknown field, condition or match type, or a value that the field cannot hold
 */
export function readFilter(
	filters: unknown,
	matchType: unknown,
	index: FieldIndex,
	{ zone, messages }: Pick<Run, 'zone' | 'messages'>,
	isExact = false,
): ((record: DataRecord) => boolean) | undefined {
	const { hint } = messages;
	const place = { zone, hint, isExact };
	return recordTest(readConditions(filters), readMatchType(matchType), index, place);
}

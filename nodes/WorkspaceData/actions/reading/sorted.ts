/** The parameter Sort: the order in which records come out. */
import { z } from 'zod/v3';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { compareBy, DIRECTIONS, placesOf, type OrderField } from '../../model/value/sort';
import type { DataRecord } from '../../model/answer/record';
import { namedValue, type NamedValue } from '../../model/value/recordFilter';
import { plainText } from '../../model/text';
import type { Run } from '../run/run';
import { sortInSlices } from '../schedule/sortInSlices';
import { mapInSlices } from '../schedule/yieldToLoop';

const sortSchema = z.object({
	by: z.array(z.object({ field: z.unknown(), direction: z.unknown() })).nullish(),
});

function readDirection(value: unknown): OrderField['direction'] {
	const direction = DIRECTIONS.find((known) => known === (value ?? 'asc'));
	if (direction) return direction;
	throw new InputError(
		`'Direction' in 'Sort' cannot be '${plainText(value)}'`,
		'Choose one of Ascending, Descending.',
	);
}

/** Records in an order that was asked for. */
export type Sorting = (records: readonly DataRecord[]) => Promise<DataRecord[]>;

/**
 * The order of an operation: values as values of their field's type, empty ones last; records that no
 * field tells apart stay as they were.
 *
 * @param sort the parameter `sort`
 * @returns undefined when no order is asked for
 * @throws InputError for an unknown field or direction
 */
export function readSort(sort: unknown, index: FieldIndex, run: Run): Sorting | undefined {
	const parsed = sortSchema.safeParse(sort ?? {});
	if (!parsed.success) throw new InputError("'Sort' cannot be read", 'Add the fields again.');
	const by = (parsed.data.by ?? []).map(({ field, direction }) => {
		const key = typeof field === 'string' ? field : '';
		if (key.trim() !== '') {
			return {
				...namedValue(index, key, "'Sort'", run.messages),
				direction: readDirection(direction),
			};
		}
		throw new InputError(
			"'Field Name or ID' in 'Sort' is empty",
			'Choose the field to sort by, or remove the entry.',
		);
	});
	return by.length > 0 ? async (records) => await sorted(run, records, by) : undefined;
}

async function sorted(
	{ yieldToLoop, zone }: Run,
	records: readonly DataRecord[],
	by: ReadonlyArray<NamedValue & Pick<OrderField, 'direction'>>,
): Promise<DataRecord[]> {
	await yieldToLoop();
	const keyed = await mapInSlices(yieldToLoop, records, (record) => ({
		record,
		places: placesOf(
			by,
			by.map(({ read }) => read(record)),
			zone,
		),
	}));
	const compare = compareBy(by);
	const inOrder = await sortInSlices(yieldToLoop, keyed, (a, b) => compare(a.places, b.places));
	return inOrder.map(({ record }) => record);
}

/** What a sample of a card's records shows about its fields, such as times without an offset. */
import type { FieldIndex } from '../../records/fieldIndex';
import { ownValue } from '../../model/response/jsonObject';
import type { DataRecord } from '../../model/response/record';

/** The number of records whose values show the habits of a card. */
const SAMPLED = 100;

/** Returns the fields with the habits that records of their card show. @param first reads this number of records */
export async function sampledFields(
	index: FieldIndex,
	first: (number: number) => Promise<readonly DataRecord[]>,
): Promise<FieldIndex> {
	// A write-only key can't read a sample, so values are sent unchanged.
	const sampled = await first(SAMPLED).catch(() => []);
	const fields = index.fields.map((field) => ({
		...field,
		habit: field.kind.habitOf?.(sampled.map(({ data }) => ownValue(data, field.id))),
	}));
	return index.with(fields);
}

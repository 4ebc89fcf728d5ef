/** Records, as the service sends them. @see service interface, part 2 */
import { z } from 'zod/v3';
import { isObject, isText } from '../../values/jsonObject';
import { identifier, jsonObject, withRaw, type Schema } from './parts';

const members = z.object({
	id: identifier,
	/** Values by field ID: the service's own object. */
	data: jsonObject.optional(),
	/** ISO 8601 UTC. */
	created_at: z.string().nullish(),
	raw: jsonObject,
});

export const record = withRaw
	.pipe(members)
	.transform(({ created_at: createdAt = null, data = {}, ...others }) => ({
		...others,
		data,
		createdAt,
	}));

/** A record (row). `raw` is the service's unchanged object. */
export type DataRecord = z.infer<typeof record>;

/** A record of a list always has its values. */
const listed = record.refine(({ raw }) => raw.data !== undefined, { path: ['data'] });

/** A record without its schema, which would take most of the time of a long list; undefined if anything is unusual. */
function usual(raw: unknown): DataRecord | undefined {
	if (!isObject(raw)) return undefined;
	const { id, data, created_at: createdAt } = raw;
	const isUsual = isText(id) && isObject(data) && isText(createdAt);
	return isUsual ? { id, data, createdAt, raw } : undefined;
}

/** The records of a list. */
export const records: Schema<DataRecord[]> = z.array(z.unknown()).transform((list, context) =>
	list.map((raw, place) => {
		const found = usual(raw);
		if (found) return found;
		const { data, error } = listed.safeParse(raw, { path: [place] });
		error?.issues.forEach((issue) => context.addIssue(issue));
		return data ?? z.NEVER;
	}),
);

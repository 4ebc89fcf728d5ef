/** Fields, as the service sends them. */
import { z } from 'zod/v3';
import type { Habit, Kind } from '../value/kinds/kind';
import { kindOfType } from '../value/kinds/allKinds';
import { choiceListOf, readOptions, type FieldOption } from './option';
import { readEntries } from './page';
import { type JsonObject, nameOf, readObject, resourceSchema } from './shapes';

/**
 * A field (column definition). `raw` is the service's object as it came.
 * @see service interface, part 2
 */
export interface Field {
	id: string;
	name: string;
	/** As the service calls it; types beyond the known ones are possible. */
	type: string;
	/** The kind of its values, by its type. */
	kind: Kind;
	/** Choices, where the field has any. */
	options: FieldOption[];
	/** How the records of the card keep its values, where that was looked at. */
	habit?: Habit | undefined;
	raw: JsonObject;
}

const fieldSchema = resourceSchema('field_id', {
	type: z.string().catch(''),
});

function toField(raw: JsonObject): Field | undefined {
	const field = fieldSchema.safeParse(raw);
	if (!field.success) return undefined;
	const { id, type } = field.data;
	const options = readOptions(choiceListOf(raw)?.list ?? []);
	return { id, name: nameOf(raw) ?? id, type, kind: kindOfType(type), options, raw };
}

/** The fields of a listing, or undefined when the answer holds no listing. */
export function readFields(body: unknown): Field[] | undefined {
	return readEntries(body, 'fields', toField);
}

/** The field in an answer, or undefined (an empty body after a change, for example). */
export function readField(body: unknown): Field | undefined {
	return readObject(body, 'field', toField);
}

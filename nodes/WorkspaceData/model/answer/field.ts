import { z } from 'zod/v3';
import { kindOfType, type FieldKind } from '../value/fieldKind';
import { readEntries } from './page';
import { isObject, type JsonObject, readObject, resourceSchema } from './shapes';

/** One choice of a select field. */
export interface FieldOption {
	/** The text that the user sees. */
	label: string;
	/** Every spelling by which record data may name this choice: label, value, id. */
	values: string[];
	/** The value that records hold for this choice, where the listing tells; else any of its spellings. */
	sent?: string | number;
}

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
	kind: FieldKind;
	/** Choices, where the field has any. */
	options: FieldOption[];
	raw: JsonObject;
}

const fieldSchema = resourceSchema('field_id', {
	name: z.string().optional().catch(undefined),
	type: z.string().catch(''),
	options: z.unknown(),
	choices: z.unknown(),
});

const isSpelling = (value: unknown): value is string | number =>
	typeof value === 'string' || typeof value === 'number';

/** Keys under which options have their choices. */
export const CHOICE_LISTS = ['options', 'choices', 'values', 'items'];

function toOption(raw: unknown): FieldOption | undefined {
	if (isSpelling(raw)) return { label: String(raw), values: [String(raw)], sent: raw };
	if (!isObject(raw)) return undefined;
	const values = [raw.name, raw.label, raw.title, raw.value, raw.id, raw.key]
		.filter(isSpelling)
		.map(String);
	const label = values[0];
	if (label === undefined) return undefined;
	const sent = isSpelling(raw.value) ? { sent: raw.value } : {};
	return { label, values: [...new Set(values)], ...sent };
}

/** The choices of a field: options may be strings or objects, bare or under a key. */
export function readOptions(raw: unknown): FieldOption[] {
	if (Array.isArray(raw)) return raw.map(toOption).filter((option) => option !== undefined);
	if (!isObject(raw)) return [];
	const list = CHOICE_LISTS.map((name) => raw[name]).find(Array.isArray);
	return list ? readOptions(list) : [];
}

function toField(raw: JsonObject): Field | undefined {
	const field = fieldSchema.safeParse(raw);
	if (!field.success) return undefined;
	const { id, name, type, options, choices } = field.data;
	const kind = kindOfType(type);
	return { id, name: name || id, type, kind, options: readOptions(options ?? choices), raw };
}

/** The fields of a listing, or undefined when the answer holds no listing. */
export function readFields(body: unknown): Field[] | undefined {
	return readEntries(body, 'fields', toField);
}

/** The field in an answer, or undefined (an empty body after a change, for example). */
export function readField(body: unknown): Field | undefined {
	return readObject(body, 'field', toField);
}

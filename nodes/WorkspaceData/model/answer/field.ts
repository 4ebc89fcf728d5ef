import { z } from 'zod/v3';
import type { Habit, Kind } from '../value/kinds/kind';
import { kindOfType } from '../value/kinds/registry';
import { readEntries } from './page';
import { isObject, type JsonObject, readObject, resourceSchema } from './shapes';

/** One choice of a select field. */
export interface FieldOption {
	/** The text that the user sees. */
	label: string;
	/** All texts that people know it by: name, label, title. */
	labels: string[];
	/** What records may hold for it, as JSON has it: value, ID, key. */
	identifiers: Array<string | number>;
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
	kind: Kind;
	/** Choices, where the field has any. */
	options: FieldOption[];
	/** How the records of the card keep its values, where that was looked at. */
	habit?: Habit | undefined;
	raw: JsonObject;
}

const fieldSchema = resourceSchema('field_id', {
	name: z.string().optional().catch(undefined),
	type: z.string().catch(''),
});

const isSpelling = (value: unknown): value is string | number =>
	typeof value === 'string' || typeof value === 'number';

/** Keys under which options have their choices. */
const CHOICE_LISTS = ['options', 'choices', 'values', 'items'];

function toOption(raw: unknown): FieldOption | undefined {
	if (isSpelling(raw)) return plainOption(raw);
	if (!isObject(raw)) return undefined;
	const labels = [raw.name, raw.label, raw.title].filter(isSpelling).map(String);
	const identifiers = [raw.value, raw.id, raw.key].filter(isSpelling);
	const label = labels[0] ?? identifiers.map(String)[0];
	if (label === undefined) return undefined;
	const sent = isSpelling(raw.value) ? { sent: raw.value } : {};
	const texts = labels.length > 0 ? labels : [label];
	return { label, labels: [...new Set(texts)], identifiers: [...new Set(identifiers)], ...sent };
}

/** A choice that is nothing but a text or a number. */
export const plainOption = (value: string | number): FieldOption => ({
	label: String(value),
	labels: [String(value)],
	identifiers: [value],
	sent: value,
});

/** Where a field has its choices. */
export interface ChoiceList {
	/** The keys that lead to the list, from the field on. */
	path: readonly string[];
	list: readonly unknown[];
}

function listIn(value: unknown, path: readonly string[]): ChoiceList | undefined {
	if (Array.isArray(value)) return { path, list: value };
	if (!isObject(value)) return undefined;
	const key = CHOICE_LISTS.find((name) => Array.isArray(value[name]));
	return key === undefined ? undefined : listIn(value[key], [...path, key]);
}

/**
 * Where a field has its choices: bare or under a key.
 *
 * @returns undefined if they are in a shape that is not recognized
 */
export function choiceListOf(raw: JsonObject): ChoiceList | undefined {
	const key = raw.options === undefined || raw.options === null ? 'choices' : 'options';
	const value = raw[key];
	if (value !== undefined && value !== null) return listIn(value, [key]);
	return { path: ['options'], list: [] };
}

/** The choices in a list; entries of another shape are left out. */
export const readOptions = (list: readonly unknown[]): FieldOption[] =>
	list.map(toOption).filter((option) => option !== undefined);

function toField(raw: JsonObject): Field | undefined {
	const field = fieldSchema.safeParse(raw);
	if (!field.success) return undefined;
	const { id, name, type } = field.data;
	const options = readOptions(choiceListOf(raw)?.list ?? []);
	return { id, name: name || id, type, kind: kindOfType(type), options, raw };
}

/** The fields of a listing, or undefined when the answer holds no listing. */
export function readFields(body: unknown): Field[] | undefined {
	return readEntries(body, 'fields', toField);
}

/** The field in an answer, or undefined (an empty body after a change, for example). */
export function readField(body: unknown): Field | undefined {
	return readObject(body, 'field', toField);
}

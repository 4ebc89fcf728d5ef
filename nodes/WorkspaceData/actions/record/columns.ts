import { z } from 'zod';
import type { Field } from '../../model/field';
import type { FieldHint, FieldIndex } from '../../model/fieldResolution';
import { InputError } from '../../model/inputError';
import { isObject, type JsonObject } from '../../model/shapes';
import { toFieldValue, type ConversionRules } from '../../model/values';
import {
	emptyValuesOption,
	missingChoicesOption,
	unknownFieldsOption,
} from '../../ui/recordOptions';
import { readChoice } from '../choice';
import { localTime } from '../../transport/localTime';
import type { Run } from '../run';

/** Properties of a record itself, which Map Automatically does not take for fields. */
const RECORD_PROPERTIES = ['id', 'created_at', 'action'];

/** An entry of the fields that the mapper knew when it was last refreshed. */
const schemaEntry = z.object({
	id: z.string(),
	displayName: z.string().optional().catch(undefined),
	fieldId: z.string().optional().catch(undefined),
	fieldName: z.string().optional().catch(undefined),
	removed: z.boolean().optional().catch(undefined),
});

/** The resource mapper's value. `fieldId` is the hint that our own field listing adds. */
const columnsSchema = z.object({
	mappingMode: z.string().catch('defineBelow'),
	value: z.custom<JsonObject>(isObject).nullish().catch(null),
	matchingColumns: z.array(z.string()).nullish().catch([]),
	schema: z.array(z.unknown()).nullish().catch([]),
});

/** The entries that can be read: one without an id is of no use, and no reason to lose the others. */
const readSchema = (entries: readonly unknown[]) =>
	entries.flatMap((entry) => {
		const read = schemaEntry.safeParse(entry);
		return read.success ? [read.data] : [];
	});

/** The values that an item gives for a record. */
export interface Columns {
	/** Keys are names or ids of fields, values as entered. */
	entries: Array<[string, unknown]>;
	matchingKeys: string[];
	/** The label of the mapper in the editor. */
	label: string;
	hints: Map<string, FieldHint>;
	/** Whether there may be nothing to send. */
	mayBeEmpty?: boolean;
}

/** How the entries are turned into record data. */
export interface ColumnOptions {
	emptyValues?: string;
	unknownFields?: string;
	missingChoices?: string;
	/** Whether texts are refused that a field would keep in part only. */
	exact?: boolean;
}

/**
 * Reads the field mapper for one item.
 *
 * @param value the parameter `columns`
 * @param item the input item's data, for Map Automatically
 * @param label the mapper's name in the editor
 * @throws InputError when there is nothing to write
 */
export function readColumns(value: unknown, item: JsonObject, label: string): Columns {
	const columns = columnsSchema.safeParse(value);
	if (!columns.success) {
		throw new InputError(`'${label}' is empty`, 'Map at least one field.');
	}
	const { mappingMode, matchingColumns } = columns.data;
	const schema = readSchema(columns.data.schema ?? []);
	const hints = new Map(
		schema.map(({ id, fieldId, fieldName, displayName }) => [
			id,
			// The label says more than the name; workflows saved by 0.1.0 have nothing else.
			{ fieldId, name: fieldName ?? displayName },
		]),
	);
	// The editor keeps `false` for switches that are not even shown.
	const hidden = new Set(schema.filter(({ removed }) => removed).map(({ id }) => id));
	const entries =
		mappingMode === 'autoMapInputData'
			? automaticEntries(item)
			: Object.entries(columns.data.value ?? {}).filter(([key]) => !hidden.has(key));
	const given = entries.filter(([, entry]) => entry !== undefined);
	if (given.length === 0) {
		throw new InputError(
			`No value in '${label}'`,
			mappingMode === 'autoMapInputData'
				? "The item has no values. Its keys must be field names, at the top level or under 'fields'."
				: 'Map at least one field.',
		);
	}
	return { entries: given, matchingKeys: matchingColumns ?? [], label, hints };
}

function automaticEntries(item: JsonObject): Array<[string, unknown]> {
	if (isObject(item.fields)) return Object.entries(item.fields);
	return Object.entries(item).filter(([key]) => !RECORD_PROPERTIES.includes(key));
}

/** Options that help if the card lacks a field or a choice. */
const FIELD_ADVICE = `Or choose 'Create the Field' in the option '${unknownFieldsOption.displayName}'.`;
const CHOICE_ADVICE = `Or choose 'Add to the Field' in the option '${missingChoicesOption.displayName}'.`;

/** How values are converted for this item. @throws InputError for an unknown option value */
function conversionRules(
	run: Run,
	{ emptyValues, unknownFields, missingChoices, exact }: ColumnOptions,
): ConversionRules {
	const adds = readChoice(missingChoicesOption, missingChoices) === 'add';
	return {
		emptyValues: readChoice(emptyValuesOption, emptyValues) ?? 'send',
		toUtc: localTime(run.context),
		// Fields that were made for the values of all items hold what single items have in another type.
		fits: readChoice(unknownFieldsOption, unknownFields) === 'create',
		...(exact && { exact }),
		...(!adds && { choiceAdvice: CHOICE_ADVICE }),
	};
}

/** Most values of an item that a message names. */
const MAX_NAMED = 10;

/** All that is wrong with the values of an item, as one error; other failures come first. */
function together(errors: readonly unknown[]): unknown {
	const refusals = errors.filter((error) => error instanceof InputError);
	if (errors.length === 1 || refusals.length < errors.length) {
		return errors.find((error) => !(error instanceof InputError)) ?? errors[0];
	}
	const named = refusals
		.slice(0, MAX_NAMED)
		.map(({ message, description }) => [message, description].filter(Boolean).join('. '));
	const more = refusals.length > MAX_NAMED ? ` And ${refusals.length - MAX_NAMED} more.` : '';
	return new InputError(
		`${refusals.length} values of this item cannot be sent`,
		`${named.join(' ')}${more}`,
	);
}

/**
 * Turns the entries into record data: keys become field ids, and values fit the fields.
 *
 * @param index the live field listing
 * @returns data keyed by field id
 * @throws InputError naming all fields that are unknown, ambiguous, named twice or cannot hold their value
 */
export function toRecordData(
	run: Run,
	columns: Columns,
	index: FieldIndex,
	options: ColumnOptions,
): JsonObject {
	const rules = conversionRules(run, options);
	const ignoresUnknown = readChoice(unknownFieldsOption, options.unknownFields) === 'ignore';
	const find = (key: string): Field | undefined =>
		ignoresUnknown
			? index.find(key, columns.hints.get(key))
			: index.resolve(key, columns.hints.get(key), FIELD_ADVICE);
	const keys = new Map<string, string>();
	const toEntry = (key: string, entry: unknown): [string, unknown] | undefined => {
		const field = find(key);
		if (!field) return undefined;
		const other = keys.get(field.id);
		if (other !== undefined) {
			throw new InputError(
				`'${other}' and '${key}' both refer to field '${field.name}'`,
				'Map each field only once.',
			);
		}
		keys.set(field.id, key);
		const value = toFieldValue(field, entry, rules);
		return value === undefined ? undefined : [field.id, value];
	};
	const data: Array<[string, unknown]> = [];
	const errors: unknown[] = [];
	for (const [key, entry] of columns.entries) {
		try {
			const sent = toEntry(key, entry);
			if (sent) data.push(sent);
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length > 0) throw together(errors);
	// Object.fromEntries, not assignment: a field may be called `__proto__`.
	return Object.fromEntries(data);
}

/** Whether there is anything to send. @throws InputError when there is not */
export function requireData(data: JsonObject, { label, mayBeEmpty }: Columns): JsonObject {
	if (mayBeEmpty || Object.keys(data).length > 0) return data;
	throw new InputError(
		`No value in '${label}'`,
		"All values are empty or belong to unknown fields. See the options 'Empty Values' and 'Unknown Fields'.",
	);
}

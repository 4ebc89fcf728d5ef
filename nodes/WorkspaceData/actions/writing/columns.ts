import { z } from 'zod/v3';
import type { Field } from '../../model/answer/field';
import type { FieldHint, FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { isObject, type JsonObject } from '../../model/answer/shapes';
import type { EntryRules } from '../../model/value/kinds/kind';
import { enter } from '../../model/value/value';
import {
	emptyValuesOption,
	missingChoicesOption,
	unknownFieldsOption,
} from '../../ui/recordOptions';
import { readChoice } from '../inputs/choice';
import type { Run } from '../run/run';

/** Properties of a record itself, which Map Automatically does not take for fields. */
const RECORD_PROPERTIES = ['id', 'created_at', 'action'];

/** The resource mapper's value. `fieldId` is the hint that our own field listing adds. */
const columnsSchema = z.object({
	mappingMode: z.string().catch('defineBelow'),
	value: z.custom<JsonObject>(isObject).nullish().catch(null),
	matchingColumns: z.array(z.string()).nullish().catch([]),
	schema: z.custom<unknown[]>(Array.isArray).nullish().catch([]),
});

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * The fields that the mapper knew when it was last refreshed. An entry without an ID is of no use, and no reason to
 * lose the others. Read by hand: a mapper with expressions is read for each item, and lists all fields of the card.
 */
const readSchema = (entries: readonly unknown[]) =>
	entries.filter(isObject).flatMap(({ id, displayName, fieldId, fieldName, removed }) =>
		typeof id === 'string'
			? [
					{
						id,
						fieldId: textOrNone(fieldId),
						// The label says more than the name; workflows saved by 0.1.0 have nothing else.
						name: textOrNone(fieldName) ?? textOrNone(displayName),
						isHidden: removed === true,
					},
				]
			: [],
	);

/** The values that an item gives for a record. */
export interface Columns {
	/** Keys are names or ids of fields, values as entered. */
	entries: Array<[string, unknown]>;
	matchingKeys: string[];
	/** The label of the mapper in the editor. */
	label: string;
	hints: ReadonlyMap<string, FieldHint>;
	/** Whether there may be nothing to send. */
	mayBeEmpty?: boolean;
}

/** How the entries are turned into record data. */
export interface ColumnOptions {
	emptyValues?: string;
	unknownFields?: string;
	missingChoices?: string;
	/** Whether texts are refused that a field would keep in part only. */
	whole?: boolean;
}

/** The field mapper, without the values of an item. */
interface Mapper {
	isAutomatic: boolean;
	mapped: Array<[string, unknown]>;
	matchingKeys: string[];
	hints: ReadonlyMap<string, FieldHint>;
}

function readMapper(value: JsonObject): Mapper {
	const columns = columnsSchema.parse(value);
	const schema = readSchema(columns.schema ?? []);
	const hints = new Map(schema.map(({ id, fieldId, name }) => [id, { fieldId, name }]));
	// The editor keeps `false` for switches that are not even shown.
	const hidden = new Set(schema.filter(({ isHidden }) => isHidden).map(({ id }) => id));
	return {
		isAutomatic: columns.mappingMode === 'autoMapInputData',
		mapped: Object.entries(columns.value ?? {}).filter(([key]) => !hidden.has(key)),
		matchingKeys: columns.matchingColumns ?? [],
		hints,
	};
}

/**
 * Reads the field mapper for one item.
 *
 * @param value the parameter `columns`
 * @param item the input item's data, for Map Automatically
 * @param label the mapper's name in the editor
 * @throws InputError when there is nothing to write
 */
export function readColumns(
	{ once }: Pick<Run, 'once'>,
	value: unknown,
	item: JsonObject,
	label: string,
): Columns {
	// A mapper without expressions is the same object for all items, and lists all fields of the card.
	const mapper = isObject(value) && once(value, () => readMapper(value));
	if (!mapper) throw new InputError(`'${label}' is empty`, 'Map at least one field.');
	const { isAutomatic, matchingKeys, hints } = mapper;
	const entries = isAutomatic ? automaticEntries(item) : mapper.mapped;
	const given = entries.filter(([, entry]) => entry !== undefined);
	if (given.length === 0) {
		throw new InputError(
			`No value in '${label}'`,
			isAutomatic
				? "The item has no values. Its keys must be field names, at the top level or under 'fields'."
				: 'Map at least one field.',
		);
	}
	return { entries: given, matchingKeys, label, hints };
}

function automaticEntries(item: JsonObject): Array<[string, unknown]> {
	if (isObject(item.fields)) return Object.entries(item.fields);
	// The output format Flat has fields with the name of a record's property under `fields.<name>`.
	return Object.entries(item)
		.filter(([key]) => !RECORD_PROPERTIES.includes(key))
		.map(([key, value]) => [key.replace(/^fields\./, ''), value]);
}

/** Options that help if the card lacks a field or a choice. */
const FIELD_ADVICE = `Or choose 'Create the Field' in the option '${unknownFieldsOption.displayName}'.`;
const CHOICE_ADVICE = `Or choose 'Add to the Field' in the option '${missingChoicesOption.displayName}'.`;

/** How values are converted for this item. @throws InputError for an unknown option value */
function conversionRules(
	run: Run,
	{ emptyValues, unknownFields, missingChoices, whole }: ColumnOptions,
): EntryRules {
	const adds = readChoice(missingChoicesOption, missingChoices) === 'add';
	return {
		emptyValues: readChoice(emptyValuesOption, emptyValues) ?? 'send',
		zone: run.zone,
		// Fields that were made for the values of all items hold what single items have in another type.
		fits: readChoice(unknownFieldsOption, unknownFields) === 'create',
		...(whole && { whole }),
		...(!adds && { choiceAdvice: CHOICE_ADVICE }),
	};
}

/** Most values of an item that a message names. */
const MAX_NAMED = 10;

/** All that is wrong with the values of an item, as one error; other failures come first. */
function combineErrors(errors: readonly unknown[]): unknown {
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
	const matching = new Set(columns.matchingKeys);
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
		const value = enter(field, entry, matching.has(key) ? { ...rules, exact: true } : rules);
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
	if (errors.length > 0) throw combineErrors(errors);
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

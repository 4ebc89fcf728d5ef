/** The values that an item gives for a record: as the field mapper says, or all that it has. */
import { cleanName } from '../../model/text';
import { z } from 'zod/v3';
import type { FieldHint, FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { isObject, type JsonObject } from '../../model/answer/shapes';
import { isEmpty } from '../../model/value/emptyValue';
import type { Run } from '../run/run';
import { automaticValues, RECORD_PROPERTIES, rowValues, type ItemValues } from './itemValues';

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
	/** True if there may be nothing to send. */
	mayBeEmpty?: boolean;
	/** True if the values are all that the item has: nobody chose them one by one. */
	isAutomatic?: boolean;
	/** What else an item has, and shows of its origin. */
	origin?: Omit<ItemValues, 'entries'>;
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
	const { entries, ...origin } = isAutomatic ? automaticValues(item) : { entries: mapper.mapped };
	const given = entries.filter(([, entry]) => entry !== undefined);
	if (given.length === 0) {
		throw new InputError(
			`No value in '${label}'`,
			isAutomatic ? whyNoValues(item) : 'Map at least one field.',
		);
	}
	const automatic = 'marks' in origin && { isAutomatic, origin };
	return { entries: given, matchingKeys, label, hints, ...automatic };
}

const whyNoValues = (item: JsonObject): string =>
	isObject(item.fields)
		? "The 'fields' of the item have no values, and its other keys are left out. Set 'fields.<name>', or remove 'fields'."
		: "The item has no values. Its keys must be field names, at the top level or under 'fields'.";

/**
 * Says which values Map Automatically left out although the card has fields of their names.
 *
 * @param index the live field listing
 */
export function hintAtLeftOut(
	{ messages }: Pick<Run, 'messages'>,
	{ entries, origin }: Columns,
	index: FieldIndex,
): void {
	for (const key of origin?.marks ?? []) {
		messages.hint(
			`'${key}' of the items was not written, because this node added it to its output. To write it, rename it first.`,
		);
	}
	for (const [key, value] of origin?.leftOut ?? []) {
		const field = index.fields.find(({ name }) => name === key);
		if (!field || isEmpty(value)) continue;
		if (entries.some(([one]) => index.candidates(one).includes(field))) continue;
		messages.hint(
			RECORD_PROPERTIES.includes(key)
				? `'${key}' of the items was not written to the field of this name, because 'Map Automatically' takes it for a property of the record. To write it, choose 'Map Each Column Manually'.`
				: `'${key}' of the items was not written: 'Map Automatically' takes all values from 'fields' where an item has it. Set 'fields.${key}' instead, or choose 'Map Each Column Manually'.`,
		);
	}
}

/** Returns true if a column has no name: a header that is missing in a file. No field can be called so. */
export const isNameless = (name: string): boolean => cleanName(name) === '';

/**
 * Returns true if a column has a name. An empty column without one is ignored: a comma at the end of each line of a file makes such
 * a column.
 *
 * @throws InputError for a value without a name
 */
export function hasName(name: string, value: unknown): boolean {
	if (!isNameless(name)) return true;
	if (value === '' || value === null || value === undefined) return false;
	throw new InputError(
		'A column of the items has no name',
		'Give each column a name: it becomes the name of a field.',
	);
}

/**
 * The columns of an item: its `fields` if it is a record, else all of its keys.
 *
 * @throws InputError for a value without a name
 */
export function itemColumns(item: JsonObject): Columns {
	const { entries, ...origin } = rowValues(item);
	return {
		entries: entries.filter(([name, value]) => hasName(name, value)),
		matchingKeys: [],
		label: 'Items',
		hints: new Map(),
		isAutomatic: true,
		origin,
		mayBeEmpty: true,
	};
}

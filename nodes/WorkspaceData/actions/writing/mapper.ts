/** Reads the values of an item: from the field mapper, or all of them. */
import { cleanName } from '../../model/text';
import { z } from 'zod/v3';
import type { FieldHint, FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { isObject, type JsonObject } from '../../model/response/shapes';
import { isEmpty } from '../../model/value/emptyValue';
import type { Run } from '../run/run';
import { hasDeletedColumn, itemValues, RECORD_PROPERTIES, type ItemValues } from './itemValues';

/** The resource mapper's value. `fieldId` is a hint that our own field listing adds. */
const columnsSchema = z.object({
	mappingMode: z.string().catch('defineBelow'),
	value: z.custom<JsonObject>(isObject).nullish().catch(null),
	matchingColumns: z.array(z.string()).nullish().catch([]),
	schema: z.custom<unknown[]>(Array.isArray).nullish().catch([]),
});

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined);

export interface Columns {
	/** Keys are names or IDs of fields; values are as entered. */
	entries: Array<[string, unknown]>;
	matchingKeys: string[];
	/** The label of the mapper in the editor. */
	label: string;
	hints: ReadonlyMap<string, FieldHint>;
	/** True if there may be nothing to send. */
	mayBeEmpty?: boolean;
	/** Other values of an item, and signs of its origin, if nobody selected its values one by one. */
	origin?: Omit<ItemValues, 'entries'>;
}

/**
 * Reads a mapper. Its schema lists the fields known since its last refresh. It is read without a zod schema, because
 * a mapper with expressions is read for each item, and lists all fields of the card.
 */
function readMapper(value: JsonObject) {
	const columns = columnsSchema.parse(value);
	const hints = new Map<string, FieldHint>();
	const hidden = new Set<string>();
	for (const { id, displayName, fieldId, fieldName, removed } of columns.schema?.filter(isObject) ??
		[]) {
		if (typeof id !== 'string') continue;
		// The label is more informative than the name. Workflows saved by 0.1.0 have only the label.
		const name = textOrNone(fieldName) ?? textOrNone(displayName);
		hints.set(id, { fieldId: textOrNone(fieldId), name });
		// The editor keeps `false` for hidden switches.
		if (removed === true) hidden.add(id);
	}
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
 * @throws InputError if there is nothing to write
 */
export function readColumns(
	run: Pick<Run, 'once' | 'context'>,
	value: unknown,
	item: JsonObject,
	label: string,
): Columns {
	if (!isObject(value)) throw new InputError(`'${label}' is empty`, 'Map at least one field.');
	// A mapper lists all fields of the card. Without expressions it is one object for all items, and is read once.
	const known = run.once('mappers', () => new WeakMap<object, ReturnType<typeof readMapper>>());
	const mapper = known.get(value) ?? readMapper(value);
	known.set(value, mapper);
	const { isAutomatic, matchingKeys, hints } = mapper;
	const { entries, ...origin } = isAutomatic
		? itemValues(item, false, mayBeDeleted(run))
		: { entries: mapper.mapped };
	const given = entries.filter(([, entry]) => entry !== undefined);
	// A deleted record without values is brought back without values.
	const mayBeEmpty = 'marks' in origin && origin.marks.includes('deleted');
	if (given.length === 0 && !(mayBeEmpty && isObject(item.fields))) {
		throw new InputError(
			`No value in '${label}'`,
			isAutomatic ? whyNoValues(item) : 'Map at least one field.',
		);
	}
	const automatic = 'marks' in origin && { origin, mayBeEmpty };
	return { entries: given, matchingKeys, label, hints, ...automatic };
}

/** Returns true if an item with `deleted: true` may be a record that this node has deleted. */
const mayBeDeleted = (run: Pick<Run, 'once' | 'context'>): boolean =>
	run.once('deleted items', () => !hasDeletedColumn(run.context.getInputData()));

const whyNoValues = (item: JsonObject): string =>
	isObject(item.fields)
		? "The 'fields' of the item have no values, and its other keys are left out. Set 'fields.<name>', or remove 'fields'."
		: "The item has no values. Its keys must be field names, at the top level or under 'fields'.";

/**
 * Adds a hint about values that Map Automatically left out, although the card has fields with their names.
 *
 * @param index the current field listing
 */
export function hintAtLeftOut(
	{ messages }: Pick<Run, 'messages'>,
	{ entries, origin }: Columns,
	index: FieldIndex,
): void {
	for (const key of origin?.marks ?? []) {
		messages.hint(
			`'${key}' of the items wasn't written, because this node added it to its output. To write it, rename it first.`,
		);
	}
	for (const [key, value] of origin?.leftOut ?? []) {
		const field = index.fields.find(({ name }) => name === key);
		if (!field || isEmpty(value)) continue;
		if (entries.some(([one]) => index.candidates(one).includes(field))) continue;
		messages.hint(
			RECORD_PROPERTIES.includes(key)
				? `'${key}' of the items wasn't written to the field of this name, because 'Map Automatically' takes it for a property of the record. To write it, select 'Map Each Column Manually'.`
				: `'${key}' of the items wasn't written: 'Map Automatically' takes all values from 'fields' where an item has it. Set 'fields.${key}' instead, or select 'Map Each Column Manually'.`,
		);
	}
}

/** Returns true if a column has no name, because a file lacks the header. No field can have such a name. */
export const isNameless = (name: string): boolean => cleanName(name) === '';

/**
 * Returns true if a column has a name. An empty column without one is ignored: a comma at the end of each line in
 * a file creates such a column.
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
 * Returns the columns of an item: its `fields` if it is a record, else all of its keys.
 *
 * @throws InputError for a value without a name
 */
export function itemColumns(run: Pick<Run, 'once' | 'context'>, item: JsonObject): Columns {
	const { entries, ...origin } = itemValues(item, true, mayBeDeleted(run));
	return {
		entries: entries.filter(([name, value]) => hasName(name, value)),
		matchingKeys: [],
		label: 'Items',
		hints: new Map(),
		origin,
		mayBeEmpty: true,
	};
}

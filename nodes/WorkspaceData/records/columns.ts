/** The columns of an item: mapped by hand, or all of the item. */
import { InputError } from '../values/inputError';
import { isObject, type JsonObject } from '../values/json';
import { showValue } from '../values/messageText';
import { cleanName } from '../values/nameSpelling';
import { onceForEach } from '../values/onceForEach';
import type { FieldIndex } from './fieldIndex';
import { NODE_KEYS, TRIGGER_KEYS } from './recordOutput';

/** What an item writes, before it is converted. */
export interface Columns {
	/** Names or IDs of fields, each with its value as entered. */
	entries: Array<[name: string, value: unknown]>;
	matchingKeys: readonly string[];
	/** The IDs of fields when the mapping was last refreshed, by their keys. */
	fieldIds: ReadonlyMap<string, string>;
	/** True if nobody selected the values one by one. */
	isAutomatic: boolean;
}

/**
 * Reads the columns of an item.
 *
 * @param mapper the parameter `columns`
 * @param item the input item's data, for Map Automatically
 * @param index the fields of the card; undefined if it is made for the items
 * @throws InputError for the item of a dry run
 */
export function readColumns(mapper: unknown, item: JsonObject, index?: FieldIndex): Columns {
	const { mapped, ...others } = readMapper(mapper);
	const entries = others.isAutomatic ? columnsOf(item, index) : mapped;
	return { ...others, entries: entries.filter(([, value]) => value !== undefined) };
}

/** Returns true if nothing is mapped, whatever the fields of the card. */
export function mapsNothing(mapper: unknown, item: JsonObject): boolean {
	const { mapped, isAutomatic } = readMapper(mapper);
	const values = isAutomatic ? Object.values(item) : mapped.map(([, value]) => value);
	return values.every((value) => value === undefined);
}

const PREFIX = 'fields.';

/** The keys of an item that the nodes may have added. */
const ownKeys = (item: JsonObject): readonly string[] =>
	Object.hasOwn(item, 'delivery_key') ? [...NODE_KEYS, ...TRIGGER_KEYS] : NODE_KEYS;

/**
 * Returns the columns of an item: each key is a column of this name, and `fields.<name>` is the column `<name>`. The keys
 * that the nodes add to their output are columns only if the card has a field of exactly this name, and the item has no
 * `fields.<name>`. Nothing depends on other items, on the order of keys, or on the values.
 *
 * @param index undefined if the card is made for the items: `id` is then a column like any other
 * @throws InputError for a dry run's item
 */
export function columnsOf(item: JsonObject, index: FieldIndex | undefined): Columns['entries'] {
	const named = (key: string) => index?.candidates(key).filter(({ name }) => name === key) ?? [];
	if (item.dry_run === true && named('dry_run').length === 0) {
		throw new InputError(
			'This item comes from a dry run',
			"Its values are a preview. Turn off 'Dry Run' in the earlier node, or select 'Map Each Column Manually'.",
		);
	}
	const own = ownKeys(item);
	const isColumn = (key: string): boolean => {
		if (!own.includes(key)) return true;
		if (Object.hasOwn(item, PREFIX + key)) return false;
		if (!index) return true;
		const [field, ...others] = named(key);
		// Fields of one name, and those that are named by ID, are in the item under their IDs.
		return field !== undefined && others.length === 0 && !Object.hasOwn(item, field.id);
	};
	return Object.entries(item)
		.filter(([key]) => isColumn(key))
		.map(([key, value]) => [key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key, value]);
}

/** The keys that become fields of a new card, although the nodes may have added them. */
export const ownColumnsOf = (item: JsonObject): string[] =>
	ownKeys(item).filter((key) => Object.hasOwn(item, key) && !Object.hasOwn(item, PREFIX + key));

/** Returns an item's key for a column, next to that of an earlier one: if both have one name, this key has the prefix. */
export const keyBeside = (earlier: string, name: string): string =>
	earlier === name ? `${PREFIX}${name}` : name;

/**
 * Returns true if a column has a name; no field can have an empty one. An empty column without a name is left out: a
 * comma at the end of each line in a file creates such a column.
 *
 * @throws InputError for a value without a name
 */
export function hasName(name: string, value: unknown, itemIndex: number): boolean {
	if (cleanName(name) !== '') return true;
	if (value === '' || value === null || value === undefined) return false;
	throw new InputError(
		`A column of the items has no name: item ${itemIndex} has ${showValue(value)} in it`,
		'Give each column a name: it becomes the name of a field.',
	);
}

type Mapper = Omit<Columns, 'entries'> & { mapped: Columns['entries'] };

/** Reads a mapper, which is one object for all items if it has no expressions. */
export const readMapper = (parameter: unknown): Mapper =>
	readOnce(isObject(parameter) ? parameter : {});

/** The schema has the fields as they were listed when the editor last loaded them. */
const readOnce = onceForEach(
	({ mappingMode, value, matchingColumns, schema }: JsonObject): Mapper => {
		const fieldIds = new Map<string, string>();
		const hidden = new Set<string>();
		for (const { id, fieldId, removed } of listIn(schema).filter(isObject)) {
			if (typeof id !== 'string') continue;
			if (typeof fieldId === 'string') fieldIds.set(id, fieldId);
			// The editor keeps `false` for hidden switches.
			if (removed === true) hidden.add(id);
		}
		return {
			isAutomatic: mappingMode === 'autoMapInputData',
			mapped: Object.entries(isObject(value) ? value : {}).filter(([key]) => !hidden.has(key)),
			matchingKeys: listIn(matchingColumns).filter((key) => typeof key === 'string'),
			fieldIds,
		};
	},
);

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

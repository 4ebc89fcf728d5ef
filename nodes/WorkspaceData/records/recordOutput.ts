/** Makes n8n items of records: flat under field names, or as the service sent them. */
import type { JsonObject } from '../values/json';
import type { DataRecord, Field } from '../transport/api';
import type { FieldIndex } from './fieldIndex';

/** The keys that the action node adds to an item. */
export const NODE_KEYS = [
	'id',
	'created_at',
	'action',
	'before',
	'changes',
	'deleted',
	'dry_run',
] as const;

/** The keys that a node may add, and names with a meaning in n8n. */
export const RESERVED_KEYS = [
	...NODE_KEYS,
	'error',
	'fields',
	'pairedItem',
	'$error',
	'$json',
] as const;

/** The keys of a trigger's item next to its values, in order. */
export const EVENT_KEYS = [
	'event',
	'timestamp',
	'workspace_id',
	'card_id',
	'card_name',
	'record_id',
	'delivery_key',
] as const;

/** All keys that the trigger adds to an item with a `delivery_key`. */
export const TRIGGER_KEYS = [...EVENT_KEYS, 'extra'] as const;

/** The key of a field at the top level of an item. */
export function topLevelKey(reserved: Iterable<string>): (key: string) => string {
	const names = new Set(reserved);
	return (key) => (names.has(key) || key.startsWith('fields.') ? `fields.${key}` : key);
}

/**
 * Returns the properties of a service's object, except for `error`. With Retry On Fail, n8n 1 treats an item with any
 * `error` but undefined as a failure, and n8n 2 any but undefined, null and false; the node then runs again.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function withoutErrorFlag(object: JsonObject): JsonObject {
	if (!Object.hasOwn(object, 'error')) return object;
	const { error, ...rest } = object;
	return { ...rest, error_: error };
}

/** How records are returned, as the parameters say. */
export interface OutputOptions {
	/** False to return the service's own object. */
	simple?: boolean;
	/** 'id' to name fields by ID. */
	fieldKeys?: 'name' | 'id';
	/** The names or IDs of the fields to return, in this order; all if missing or empty. */
	outputFields?: readonly string[] | undefined;
}

/**
 * Prepares the output of records of one card. Fields are in the card's order, or in the selected order.
 *
 * @returns a function that makes the item of a record. `isPartial` leaves out what the record lacks, for one that was
 * changed without being read: a null that isn't known would clear the value when the item comes back
 * @throws InputError for an unknown field
 */
export function recordOutput(
	index: FieldIndex,
	{ simple = true, fieldKeys, outputFields = [] }: OutputOptions,
): (record: DataRecord, isPartial?: boolean) => JsonObject {
	const wanted =
		outputFields.length > 0 ? outputFields.map((name) => index.resolve(name)) : undefined;
	if (!simple) return rawOutput(wanted);
	// Without a field of this name, the node's own key would be written to it when the item comes back.
	const own = index.fields.filter((field) => isNodeKey(field) && !wanted?.includes(field));
	const columns = wanted ? [...wanted, ...own] : index.fields;
	const keyOf = (field: Field) => toTopLevel(fieldKeys === 'id' ? field.id : index.keyOf(field));
	const keys = new Map(columns.map((field) => [field.id, keyOf(field)]));
	// To copy an object with many keys takes a fraction of the time and memory of adding the keys one by one.
	const empty = withNulls([...keys.values()]);
	/** For a value under an ID that the card no longer has. It must not replace a field. */
	const strayKey = (id: string): string | undefined =>
		wanted || Object.hasOwn(empty, toTopLevel(id)) ? undefined : toTopLevel(id);
	return ({ id, createdAt, data }, isPartial = false) => {
		const item: JsonObject = isPartial
			? withNulls([...keys].flatMap(([one, key]) => (Object.hasOwn(data, one) ? key : [])))
			: { ...empty };
		item.id = id;
		if (!isPartial || createdAt !== null) item.created_at = createdAt;
		for (const one of Object.keys(data)) {
			const key = keys.get(one) ?? strayKey(one);
			if (key !== undefined) item[key] = data[one];
		}
		return item;
	};
}

/** An object with these keys. If `__proto__` is one of them, a plain assignment changes its value from then on. */
const withNulls = (keys: readonly string[]): JsonObject =>
	Object.fromEntries(keys.map((key) => [key, null]));

const toTopLevel = topLevelKey(RESERVED_KEYS);

/** Returns true if a field has the name of a key that the nodes add. */
export const isNodeKey = ({ name }: Pick<Field, 'name'>): boolean =>
	(NODE_KEYS as readonly string[]).includes(name);

/** Returns the service's object with the selected values only. A later node may change it. */
function rawOutput(wanted: readonly Field[] | undefined): (record: DataRecord) => JsonObject {
	const ids = wanted && new Set(wanted.map(({ id }) => id));
	const isWanted = ([id]: [string, unknown]) => ids?.has(id) !== false;
	return ({ raw, data }) => ({
		...raw,
		data: Object.fromEntries(Object.entries(data).filter(isWanted)),
	});
}

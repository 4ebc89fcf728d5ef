/** Makes n8n items of records: flat under field names, or as the service sent them. */
import type { JsonObject } from '../values/jsonObject';
import type { DataRecord, Field } from '../transport/api';
import type { FieldIndex } from './fieldIndex';
import { NODE_KEYS, RESERVED_KEYS, topLevelKey } from './reservedNames';

/** How records are returned. */
export interface OutputOptions {
	/** False to return the service's own object. */
	simple?: boolean;
	/** True to name fields by ID. */
	byId?: boolean;
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
	{ simple = true, byId = false, outputFields = [] }: OutputOptions,
): (record: DataRecord, isPartial?: boolean) => JsonObject {
	const wanted =
		outputFields.length > 0 ? outputFields.map((name) => index.resolve(name)) : undefined;
	if (!simple) return rawOutput(wanted);
	// Without a field of this name, the node's own key would be written to it when the item comes back.
	const own = index.fields.filter((field) => isNodeKey(field) && !wanted?.includes(field));
	const columns = (wanted ? [...wanted, ...own] : index.fields).map((field) => ({
		id: field.id,
		key: toTopLevel(byId ? field.id : index.keyOf(field)),
	}));
	const fill = filling(columns, wanted ? undefined : index);
	const keys = [...columns.map(({ key }) => key), 'id', 'created_at'];
	// A field without a value is null. To copy an object with many keys takes a fraction of the
	// time and memory of adding the keys one by one.
	const empty: JsonObject = Object.fromEntries(keys.map((key) => [key, null]));
	return ({ id, createdAt, data }, isPartial = false) =>
		isPartial
			? { ...fill({}, data), id, ...(createdAt !== null && { created_at: createdAt }) }
			: fill({ ...empty, id, created_at: createdAt }, data);
}

const toTopLevel = topLevelKey(RESERVED_KEYS);

/** Returns true if a field has the name of a key that the nodes add. */
export const isNodeKey = ({ name }: Pick<Field, 'name'>): boolean =>
	(NODE_KEYS as readonly string[]).includes(name);

/** Returns the service's object with the selected values only. */
function rawOutput(wanted: readonly Field[] | undefined): (record: DataRecord) => JsonObject {
	if (!wanted) return ({ raw }) => raw;
	const ids = new Set(wanted.map(({ id }) => id));
	return ({ raw, data }) => ({
		...raw,
		data: Object.fromEntries(Object.entries(data).filter(([id]) => ids.has(id))),
	});
}

/**
 * Returns a function that adds the values of a record to an item, in the order of the columns.
 *
 * @param columns the ID of each field, and its key in the output
 * @param index if given, values under an ID that the card no longer has are added as well
 */
function filling(
	columns: ReadonlyArray<{ id: string; key: string }>,
	index: FieldIndex | undefined,
): (item: JsonObject, data: JsonObject) => JsonObject {
	// The keys in use: the other values must not replace a field.
	const keys = new Set(columns.map(({ key }) => key));
	return (item, data) => {
		let found = 0;
		for (const { id, key } of columns) {
			if (!Object.hasOwn(data, id)) continue;
			setOwn(item, key, data[id]);
			found += 1;
		}
		const ids = index ? Object.keys(data) : [];
		if (!index || ids.length === found) return item;
		for (const id of ids) {
			const key = toTopLevel(id);
			if (!index.byId(id) && !keys.has(key)) setOwn(item, key, data[id]);
		}
		return item;
	};
}

/** Sets an own property for any key: a plain assignment would lose `__proto__`. */
function setOwn(object: JsonObject, key: string, value: unknown): void {
	if (key !== '__proto__') object[key] = value;
	else
		Object.defineProperty(object, key, {
			value,
			enumerable: true,
			writable: true,
			configurable: true,
		});
}

/** Reads the values of an item, without what this node or its trigger added. */
import { isObject, ownValue, type JsonObject } from '../../model/response/shapes';
import { DRY_RUN_KEYS, EVENT_KEYS } from '../../model/reservedNames';
import { canonicalJson } from '../../model/value/serialization';
import { readTimestamp } from '../../model/value/timestamp';

type Entry = [string, unknown];

/** A record's own properties, which Map Automatically doesn't treat as fields. */
export const RECORD_PROPERTIES = ['id', 'created_at', 'action'];
/** Keys next to the `fields` of an item that this node or its trigger returned. */
const NEXT_TO_FIELDS = new Set<string>([...RECORD_PROPERTIES, ...EVENT_KEYS, 'fields']);

export interface ItemValues {
	entries: Entry[];
	/** Values that are left out, although the card may have fields with their names. */
	leftOut: Entry[];
	/** Keys that are left out because this node added them. */
	marks: string[];
	/** True if a null may mean that the record had no value when this node returned it. */
	hasNulls: boolean;
}

/** Detects which node returned an item, and in which form. */
function originOf(item: JsonObject): { marks: string[]; hasNulls: boolean; isEvent: boolean } {
	const has = (key: string): boolean => Object.hasOwn(item, key);
	const isDeleted = item.deleted === true && has('id');
	// A dry run's item has no values to write.
	const marks = item.dry_run === true ? DRY_RUN_KEYS.filter(has) : [];
	if (isDeleted) marks.push('deleted');
	if (item.dry_run !== true && isObject(item.before) && has('action')) marks.push('before');
	return {
		marks,
		hasNulls: isDeleted || isFlatRecord(item),
		isEvent: ['delivery_key', 'event', 'workspace_id'].every(has),
	};
}

/** Returns true if an item has the record's own properties right after its fields, as in version 2 of the node. */
function isFlatRecord(item: JsonObject): boolean {
	const { id, created_at: createdAt } = item;
	if (id === undefined || createdAt === undefined) return false;
	const keys = Object.keys(item);
	const place = keys.indexOf('id');
	const isOwn = id === null || typeof id === 'string';
	const isTime = createdAt === null || readTimestamp(createdAt)?.clock !== undefined;
	return place > 0 && keys[place + 1] === 'created_at' && isOwn && isTime;
}

/** Returns the values for Map Automatically: the item's `fields`, or else all except a record's own properties. */
export function automaticValues(item: JsonObject): ItemValues {
	const { marks, hasNulls, isEvent } = originOf(item);
	const others = Object.entries(item).filter(([key]) => !marks.includes(key));
	const { fields } = item;
	if (isObject(fields)) {
		const isLeftOut = ([key, value]: Entry): boolean =>
			!NEXT_TO_FIELDS.has(key) && canonicalJson(value) !== canonicalJson(ownValue(fields, key));
		return {
			entries: Object.entries(fields),
			leftOut: others.filter(isLeftOut),
			marks,
			hasNulls: false,
		};
	}
	const isOwn = ([key]: Entry): boolean =>
		RECORD_PROPERTIES.includes(key) || (isEvent && NEXT_TO_FIELDS.has(key));
	return {
		entries: others.filter((entry) => !isOwn(entry)).map(withPlainName),
		leftOut: others.filter((entry) => isOwn(entry) && !Object.hasOwn(item, `fields.${entry[0]}`)),
		marks,
		hasNulls,
	};
}

/** Returns the values of a row of a new card, where a sheet's own `id` is one of them. */
export function rowValues(item: JsonObject): ItemValues {
	const { marks, hasNulls, isEvent } = originOf(item);
	const keys = Object.keys(item).filter((key) => !marks.includes(key));
	if (isObject(item.fields) && keys.every((key) => NEXT_TO_FIELDS.has(key))) {
		return { entries: Object.entries(item.fields), leftOut: [], marks, hasNulls: false };
	}
	const added = keys.filter(
		(key) => (hasNulls && RECORD_PROPERTIES.includes(key)) || (isEvent && NEXT_TO_FIELDS.has(key)),
	);
	const entries = keys
		.filter((key) => !added.includes(key))
		.map((key) => withPlainName([key, item[key]]));
	return { entries, leftOut: [], marks: [...marks, ...added], hasNulls };
}

/** A field whose name the node uses itself has the key `fields.<name>`. */
const withPlainName = ([key, value]: Entry): Entry => [key.replace(/^fields\./, ''), value];

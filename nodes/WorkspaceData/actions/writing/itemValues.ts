/** Reads the values of an item, without what this node or its trigger added. */
import { isObject, ownValue, type JsonObject } from '../../model/response/shapes';
import { EVENT_KEYS } from '../../model/reservedNames';
import { canonicalJson } from '../../model/value/serialization';
import { readTimestamp } from '../../model/value/timestamp';

type Entry = [string, unknown];

/** A record's own properties, which Map Automatically doesn't treat as fields. */
export const RECORD_PROPERTIES = ['id', 'created_at', 'action'];
/** Keys next to the `fields` of an item that this node or its trigger returned. */
const NEXT_TO_FIELDS = new Set<string>([
	...RECORD_PROPERTIES,
	...EVENT_KEYS,
	'caught_up',
	'fields',
]);

export interface ItemValues {
	entries: Entry[];
	/** Values that are left out, although the card may have fields with their names. */
	leftOut: Entry[];
	/** Keys that are left out because this node added them. */
	marks: string[];
	/** True if a null may mean that the record had no value when this node returned it. */
	hasNulls: boolean;
	/** Keys of an event that the service may have added. They are written only to fields of these names. */
	extras: ReadonlySet<string>;
}

/** The values of `action` in a dry run. */
const DRY_RUN_ACTIONS: readonly unknown[] = ['create', 'update', 'delete', 'none'];

/** Returns true if `deleted` is a column of the items. This node adds it to deleted records only, always as `true`. */
export const hasDeletedColumn = (items: ReadonlyArray<{ json: JsonObject }>): boolean =>
	items.some(({ json }) => Object.hasOwn(json, 'deleted') && json.deleted !== true);

/** Returns the keys that this node added. A dry run's item has no values to write. */
function marksOf(item: JsonObject, isDeleted: boolean): string[] {
	const keys = Object.keys(item);
	if (item.dry_run === true && DRY_RUN_ACTIONS.includes(item.action)) return keys;
	const hasBefore = isObject(item.before) && Object.hasOwn(item, 'action');
	return keys.filter((key) => (key === 'deleted' ? isDeleted : key === 'before' && hasBefore));
}

/** Returns true if the item has the record's own properties right after its fields, as in version 2 of the node. */
function isFlat(item: JsonObject): boolean {
	const keys = Object.keys(item);
	const place = keys.indexOf('id');
	const { id, created_at: createdAt } = item;
	const isOwn = id === null || typeof id === 'string';
	const isTime =
		createdAt === null || typeof createdAt === 'number' || readTimestamp(createdAt) !== undefined;
	return place > 0 && keys[place + 1] === 'created_at' && isOwn && isTime;
}

/**
 * Returns the values of an item: its `fields`, or else all except a record's own properties.
 *
 * @param isRow true for a row of a new card, where a sheet's own `id` is one of the values
 * @param mayBeDeleted false if `deleted` is a column of the items
 */
export function itemValues(item: JsonObject, isRow: boolean, mayBeDeleted = true): ItemValues {
	const { fields } = item;
	const has = (key: string): boolean => Object.hasOwn(item, key);
	const isDeleted = mayBeDeleted && item.deleted === true && has('id');
	const isEvent = ['delivery_key', 'event', 'workspace_id'].every(has);
	const marks = marksOf(item, isDeleted);
	const others = Object.entries(item).filter(([key]) => !marks.includes(key));
	const strange = others.filter(([key]) => !NEXT_TO_FIELDS.has(key));
	const isTaken = !isRow || isEvent || strange.length === 0;
	if (isObject(fields) && !marks.includes('fields') && isTaken) {
		const isLeftOut = ([key, value]: Entry): boolean =>
			canonicalJson(value) !== canonicalJson(ownValue(fields, key));
		return {
			entries: Object.entries(fields),
			leftOut: strange.filter(isLeftOut),
			marks,
			hasNulls: false,
			extras: new Set(),
		};
	}
	// A sheet's own dates are seldom times.
	const isTime = item.created_at === null || readTimestamp(item.created_at)?.clock !== undefined;
	const hasNulls = isDeleted || (isFlat(item) && (isTime || !isRow));
	const isOwn = ([key]: Entry): boolean =>
		((hasNulls || !isRow) && RECORD_PROPERTIES.includes(key)) ||
		(isEvent && NEXT_TO_FIELDS.has(key));
	const own = others.filter(isOwn);
	const keys = Object.keys(item);
	const extras = isRow || !isEvent ? [] : keys.slice(keys.indexOf('delivery_key') + 1);
	return {
		entries: others.filter((entry) => !isOwn(entry)).map(withPlainName),
		leftOut: isRow ? [] : own.filter(([key]) => !has(`fields.${key}`)),
		marks: isRow ? [...marks, ...own.map(([key]) => key)] : marks,
		hasNulls,
		extras: new Set(extras),
	};
}

/** A field whose name the node uses itself has the key `fields.<name>`. */
const withPlainName = ([key, value]: Entry): Entry => [key.replace(/^fields\./, ''), value];

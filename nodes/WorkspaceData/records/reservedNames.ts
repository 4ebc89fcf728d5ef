/** Keys of output items that aren't fields. A field with such a name appears under `fields.<name>`. */

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

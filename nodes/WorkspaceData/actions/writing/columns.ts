/** The columns of an item: the rule for Map Automatically, Create From Items and fields that are created for items. */
import type { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { quote } from '../../values/messageText';
import { NODE_KEYS, TRIGGER_KEYS } from '../../records/reservedNames';
import type { JsonObject } from '../../model/response/jsonObject';
import { foldCase } from '../../values/nameSpelling';

/** A column's name, and its value in the item. */
export type Column = [name: string, value: unknown];

const PREFIX = 'fields.';

const NODE_KEY_SET: ReadonlySet<string> = new Set<string>(NODE_KEYS);
const WITH_TRIGGER_KEYS: ReadonlySet<string> = new Set<string>([...NODE_KEYS, ...TRIGGER_KEYS]);

/** The keys of an item that the nodes may have added. */
const ownKeys = (item: JsonObject): ReadonlySet<string> =>
	Object.hasOwn(item, 'delivery_key') ? WITH_TRIGGER_KEYS : NODE_KEY_SET;

/**
 * Returns the columns of an item: each key is a column of this name, and `fields.<name>` is the column `<name>`. The keys
 * that the nodes add to their output are columns only if the card has a field of exactly this name, and the item has
 * neither `fields.<name>` nor a key that is this field's ID. Nothing depends on other items, on the order of keys, or on the values.
 *
 * @param index the fields of the card; undefined if it is made for the items: a plain `id` is a column like any other
 * @throws InputError for a dry run's item, and for a key of the nodes that differs from a field only in case
 */
export function columnsOf(item: JsonObject, index: FieldIndex | undefined): Column[] {
	const fieldsCalled = (key: string) =>
		index?.candidates(key).filter(({ name }) => name === key) ?? [];
	if (item.dry_run === true && fieldsCalled('dry_run').length === 0) {
		throw new InputError(
			'This item comes from a dry run',
			"Its values are a preview. Turn off 'Dry Run' in the earlier node, or select 'Map Each Column Manually'.",
		);
	}
	const own = ownKeys(item);
	const isLeftOut = (key: string): boolean => {
		if (!own.has(key)) return false;
		const called = fieldsCalled(key);
		const keys = [`${PREFIX}${key}`, ...called.map(({ id }) => id)];
		if (keys.some((one) => Object.hasOwn(item, one))) return true;
		if (!index || called.length > 0) return false;
		requireOtherName(item, key, index);
		return true;
	};
	return Object.entries(item)
		.filter(([key]) => !isLeftOut(key))
		.map(([key, value]) => [key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key, value]);
}

/** Returns an item's key for a column, next to that of an earlier one: if both have one name, this key has the prefix. */
export const keyBeside = (earlier: string, name: string): string =>
	earlier === name ? `${PREFIX}${name}` : name;

/** The keys that become fields of a new card, although the nodes may have added them. */
export function ownColumnsOf(item: JsonObject): string[] {
	const own = ownKeys(item);
	return Object.keys(item).filter((key) => own.has(key) && !Object.hasOwn(item, PREFIX + key));
}

/** @throws InputError if a field's name differs from a key of the nodes only in case, and the item has no key for it */
function requireOtherName(item: JsonObject, key: string, index: FieldIndex): void {
	const field = index.candidates(key).find(({ name }) => foldCase(name) === foldCase(key));
	if (!field) return;
	const near = field.name;
	if ([near, `${PREFIX}${near}`, field.id].some((one) => Object.hasOwn(item, one))) return;
	throw new InputError(
		`'Map Automatically' doesn't use ${quote(key)} for field ${quote(near)}`,
		`The nodes add ${quote(key)} to their own output. Rename it to ${quote(near)}, or select 'Map Each Column Manually'.`,
	);
}

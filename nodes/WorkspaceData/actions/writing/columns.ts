/** The columns of an item: the rule for Map Automatically, Create From Items and fields that are created for items. */
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { quote } from '../../model/names';
import { NODE_KEYS, TRIGGER_KEYS } from '../../model/reservedNames';
import type { JsonObject } from '../../model/response/shapes';
import { foldCase } from '../../model/text';

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
 * that the nodes add to their output are columns only if the card has a field of exactly this name, and the item has no
 * `fields.<name>`. Nothing depends on other items, on the order of keys, or on the values.
 *
 * @param index the fields of the card; undefined if it is made for the items: a plain `id` is a column like any other
 * @throws InputError for a dry run's item, and for a key of the nodes that differs from a field only in case
 */
export function columnsOf(item: JsonObject, index: FieldIndex | undefined): Column[] {
	const isField = (key: string): boolean => index?.candidates(key)[0]?.name === key;
	if (item.dry_run === true && !isField('dry_run')) {
		throw new InputError(
			'This item comes from a dry run',
			"Its values are a preview. Turn off 'Dry Run' in the earlier node, or select 'Map Each Column Manually'.",
		);
	}
	const own = ownKeys(item);
	const isLeftOut = (key: string): boolean => {
		if (!own.has(key)) return false;
		if (Object.hasOwn(item, `${PREFIX}${key}`)) return true;
		if (!index || isField(key)) return false;
		requireOtherName(item, key, index);
		return true;
	};
	return Object.entries(item)
		.filter(([key]) => !isLeftOut(key))
		.map(([key, value]) => [key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key, value]);
}

/** The keys that become fields of a new card, although the nodes may have added them. */
export function ownColumnsOf(item: JsonObject): string[] {
	const own = ownKeys(item);
	return Object.keys(item).filter((key) => own.has(key) && !Object.hasOwn(item, PREFIX + key));
}

/** @throws InputError if a field's name differs from a key of the nodes only in case, and the item has no key for it */
function requireOtherName(item: JsonObject, key: string, index: FieldIndex): void {
	const near = index.candidates(key).find(({ name }) => foldCase(name) === foldCase(key))?.name;
	if (near === undefined) return;
	if (Object.hasOwn(item, near) || Object.hasOwn(item, `${PREFIX}${near}`)) return;
	throw new InputError(
		`'Map Automatically' doesn't use ${quote(key)} for field ${quote(near)}`,
		`The nodes add ${quote(key)} to their own output. Rename it to ${quote(near)}, or select 'Map Each Column Manually'.`,
	);
}

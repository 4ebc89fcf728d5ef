/** New choices of a field, and the change that adds them. */
import { findChoice } from './choices';
import { CHOICE_LISTS, readOptions, type Field } from '../answer/field';
import { isObject, type JsonObject } from '../answer/shapes';
import { listedChoices } from './values';

/**
 * The choices that values of a field name and the field does not have, in their order, each once. Another
 * case or outer spaces make no new one.
 */
export function newChoices(field: Field, values: readonly unknown[]): string[] {
	const added = new Map<string, string>();
	for (const value of values) {
		const named = field.kind === 'choices' ? (listedChoices(field, value) ?? []) : [value];
		for (const choice of named) {
			if (typeof choice !== 'string' && typeof choice !== 'number') continue;
			const text = String(choice).trim();
			const key = text.toLowerCase();
			if (text === '' || added.has(key) || findChoice(field.options, String(choice))) continue;
			added.set(key, text);
		}
	}
	return [...added.values()];
}

/** Names under which a choice has the text that people see. */
const TEXT_KEYS = ['name', 'label', 'title'] as const;

/** A new choice in the shape of the field's other choices. The service assigns its ID. */
function likeOthers(text: string, others: readonly unknown[]): unknown {
	const other = others.find(isObject);
	if (!other) return text;
	const isValue = typeof other.value === 'string' || typeof other.value === 'number';
	const key = TEXT_KEYS.find((name) => typeof other[name] === 'string');
	if (isValue) return { value: text, ...(key && { [key]: text }) };
	return { [key ?? 'name']: text };
}

/** The field's options with another list in place of its choices. */
function withList(raw: unknown, change: (list: readonly unknown[]) => unknown[]): unknown {
	if (Array.isArray(raw)) return change(raw);
	const place = isObject(raw) && CHOICE_LISTS.find((key) => Array.isArray(raw[key]));
	return isObject(raw) && place ? { ...raw, [place]: withList(raw[place], change) } : change([]);
}

function changeOf(
	{ raw }: Pick<Field, 'raw'>,
	change: (list: readonly unknown[]) => unknown[],
): JsonObject {
	const key = raw.options === undefined && raw.choices !== undefined ? 'choices' : 'options';
	return { [key]: withList(raw[key], change) };
}

/**
 * The change that adds choices to a field: its choices unchanged, with their IDs, and the new ones in the
 * same shape.
 *
 * @see service interface, part 2: the shape of options is not shown
 */
export const addingChoices = (field: Pick<Field, 'raw'>, texts: readonly string[]): JsonObject =>
	changeOf(field, (list) => [...list, ...texts.map((text) => likeOthers(text, list))]);

/** The change that leaves a field exactly these choices; existing ones stay unchanged. */
export const settingChoices = (field: Pick<Field, 'raw'>, texts: readonly string[]): JsonObject =>
	changeOf(field, (list) =>
		texts.map(
			(text) => list.find((raw) => readOptions([raw])[0]?.label === text) ?? likeOthers(text, list),
		),
	);

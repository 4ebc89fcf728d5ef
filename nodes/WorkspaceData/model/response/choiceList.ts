/** The choices of a field, in any shape that a listing uses. */
import { isObject, type JsonObject } from './jsonObject';

/** One choice of a select field. */
export interface FieldOption {
	/** The text that the user sees. */
	label: string;
	/** All names that people may know it by: name, label, title, text. */
	labels: string[];
	/** The values that records may hold for it, as in JSON: value, ID, key. */
	identifiers: Array<string | number>;
	/**
	 * The value that records hold for this choice; undefined if the listing doesn't say, so any spelling is
	 * used.
	 */
	sent?: string | number;
}

const isSpelling = (value: unknown): value is string | number =>
	typeof value === 'string' || typeof value === 'number';

/** Keys under which a field's options hold the choices. */
const CHOICE_LISTS = ['options', 'choices', 'values', 'items'];

function toOption(raw: unknown): FieldOption | undefined {
	if (isSpelling(raw)) return plainOption(raw);
	if (!isObject(raw)) return undefined;
	const labels = [raw.name, raw.label, raw.title, raw.text].filter(isSpelling).map(String);
	const identifiers = [raw.value, raw.id, raw.key].filter(isSpelling);
	const label = labels[0] ?? identifiers.map(String)[0];
	if (label === undefined) return undefined;
	const sent = isSpelling(raw.value) ? { sent: raw.value } : {};
	const texts = labels.length > 0 ? labels : [label];
	return { label, labels: [...new Set(texts)], identifiers: [...new Set(identifiers)], ...sent };
}

/** A choice that is only a text or a number. */
export const plainOption = (value: string | number): FieldOption => ({
	label: String(value),
	labels: [String(value)],
	identifiers: [value],
	sent: value,
});

/** The choices of a field. */
export interface ChoiceList {
	list: readonly unknown[];
	/** The change of the field that replaces the list, wherever the field has it. */
	replacedBy(list: readonly unknown[]): JsonObject;
}

/**
 * Finds the choices of a field, either bare or under a key.
 *
 * @returns undefined if their shape isn't recognized
 */
export function choiceListOf(raw: JsonObject): ChoiceList | undefined {
	const value = raw.options ?? raw.choices ?? [];
	const name = value === raw.choices ? 'choices' : 'options';
	if (Array.isArray(value)) return { list: value, replacedBy: (list) => ({ [name]: list }) };
	if (!isObject(value)) return undefined;
	const key = CHOICE_LISTS.find((inner) => Array.isArray(value[inner]));
	if (key === undefined) return undefined;
	return {
		list: value[key] as unknown[],
		replacedBy: (list) => ({ [name]: { ...value, [key]: list } }),
	};
}

/** The choices in a list. Entries of another shape are left out. */
export const readOptions = (list: readonly unknown[]): FieldOption[] =>
	list.map(toOption).filter((option) => option !== undefined);

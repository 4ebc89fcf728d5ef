/** The choices of a field, as its listing has them. @see service interface, part 2, "Field" */
import { isObject, type JsonObject } from './json';

/** One choice of a select field. */
export interface FieldOption {
	/** The text that people see. */
	label: string;
	/** The value that records hold for it. */
	stored: string | number;
	/** An identifier that is read as this choice as well. */
	id?: string | number;
}

export const isTextOrNumber = (value: unknown): value is string | number =>
	typeof value === 'string' || typeof value === 'number';

/** A choice: a text, or an object with `name` or `label`, and perhaps `value` (stored) and `id`. */
function toOption(raw: unknown): FieldOption | undefined {
	if (isTextOrNumber(raw)) return plainOption(raw);
	if (!isObject(raw)) return undefined;
	const label = [raw.name, raw.label, raw.value].find(isTextOrNumber);
	if (label === undefined) return undefined;
	const stored = isTextOrNumber(raw.value) ? raw.value : label;
	return { label: String(label), stored, ...(isTextOrNumber(raw.id) && { id: raw.id }) };
}

/** A choice that is only a text or a number. */
export const plainOption = (value: string | number): FieldOption => ({
	label: String(value),
	stored: value,
});

/** Finds the choices of a field: its `options`, or their member `choices`; else it has none. */
export function choiceListOf({ options }: JsonObject): readonly unknown[] {
	const list = isObject(options) ? options.choices : options;
	return Array.isArray(list) ? list : [];
}

/** The choices in a list. Entries of another shape are left out. */
export const readOptions = (list: readonly unknown[]): FieldOption[] =>
	list.map(toOption).filter((option) => option !== undefined);

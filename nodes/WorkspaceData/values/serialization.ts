/** Any value as JSON and as text. */
import { isObject } from '../model/response/jsonObject';

export const hasJsonForm = (value: unknown): value is { toJSON(): unknown } =>
	isObject(value) && typeof value.toJSON === 'function';

/**
 * The JSON form of an object that defines one: dates, including Luxon's and those of Code nodes, which have
 * another `Date` class.
 */
export const jsonForm = (value: unknown): unknown => (hasJsonForm(value) ? value.toJSON() : value);

/** Any value as text, without loss: lists and objects as JSON. */
export function textOf(value: unknown): string {
	const form = jsonForm(value);
	return typeof form === 'object' && form !== null ? JSON.stringify(form) : String(form);
}

/** JSON with sorted keys. */
export const canonicalJson = (value: unknown): string =>
	JSON.stringify(value, (_key, part: unknown) =>
		isObject(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	) ?? 'null';

/**
 * Returns true if JSON can represent a value. Other values would become null and clear the field, or would
 * be dropped.
 */
export function isSendable(value: unknown): boolean {
	if (value === undefined) return true;
	if (typeof value === 'number') return Number.isFinite(value);
	if (hasJsonForm(value)) {
		const form = value.toJSON();
		return form !== null && isSendable(form);
	}
	if (typeof value === 'object' && value !== null) return Object.values(value).every(isSendable);
	return value === null || typeof value === 'string' || typeof value === 'boolean';
}

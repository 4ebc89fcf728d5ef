/** Any value as JSON and as text. */
import { isObject } from './jsonObject';

/** The JSON form of an object that defines one: dates, also Luxon's and those of Code nodes. */
export const jsonForm = (value: unknown): unknown =>
	isObject(value) && typeof value.toJSON === 'function' ? value.toJSON() : value;

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

/** Returns true if JSON can hold a value. Others would become null and clear the field, or be dropped. */
export function isSendable(value: unknown): boolean {
	const form = jsonForm(value);
	if (form === null) return value === null;
	if (typeof form === 'object') return Object.values(form).every(isSendable);
	if (typeof form === 'number') return Number.isFinite(form);
	return ['string', 'boolean', 'undefined'].includes(typeof form);
}

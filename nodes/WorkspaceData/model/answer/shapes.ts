/**
 * The shapes a response may have where the interface leaves them open ("not shown"): lists bare or
 * under one key, single objects bare or wrapped, empty bodies after a change.
 *
 * @see service interface, part 4, "Gaps"
 */
import { z } from 'zod/v3';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is a text, and not an empty one. */
export const isText = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';

/** The value under a key; never one that all objects have, such as `constructor`. */
export const ownValue = (object: JsonObject, key: string): unknown =>
	Object.hasOwn(object, key) ? object[key] : undefined;

/** Under which names a list or an object is usually wrapped. */
export const WRAPPERS = ['data', 'items', 'item', 'results', 'result', 'value'];

/** Names of lists that say something about a response, and are not what was asked for. */
const REMARKS =
	/^(?:errors?|warnings?|messages?|details|issues|violations|invalid.?params|notices?)$/i;

/**
 * The list in a response.
 *
 * @param body a bare array, or an object that holds the array under `key`, a usual wrapper or the
 * only key with an array; one level of wrapping inside a wrapper is followed (`{ data: { cards: [] } }`)
 * @param key the name of the list, for example `cards`
 * @returns the list, whatever its entries are; undefined if the body holds none. A list of errors is none
 */
export function readList(body: unknown, key: string): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isObject(body)) return undefined;
	const candidates = [key, ...WRAPPERS].map((name) => body[name]);
	const direct = candidates.find(Array.isArray);
	if (direct) return direct;
	const nested = candidates.filter(isObject).map((inner) => readList(inner, key));
	const found = nested.find((list) => list !== undefined);
	if (found) return found;
	const arrays = Object.entries(body).filter(
		([name, value]) => Array.isArray(value) && !REMARKS.test(name),
	);
	const [only, ...others] = arrays.map(([, value]) => value as unknown[]);
	return others.length === 0 ? only : undefined;
}

/** The one object that an object holds; undefined if it holds several, or none. */
export function onlyObject(body: JsonObject): JsonObject | undefined {
	const [only, ...others] = Object.values(body).filter(isObject);
	return others.length === 0 ? only : undefined;
}

/**
 * The single object in a response.
 *
 * @param body the object itself, alone in an array, or in an object that holds it under `key`, under a
 * usual wrapper or as its only object
 * @param key the name of the object, for example `card`
 * @param read returns the resource that an object is; it also decides where a resource has
 * a property that is called like a wrapper (a record's `data`)
 * @returns the resource, or undefined when the body holds none (an empty body, for example)
 */
export function readObject<Resource>(
	body: unknown,
	key: string,
	read: (candidate: JsonObject) => Resource | undefined,
): Resource | undefined {
	if (Array.isArray(body)) {
		return body.length === 1 ? readObject<Resource>(body[0], key, read) : undefined;
	}
	if (!isObject(body)) return undefined;
	const named = body[key];
	const resource = (isObject(named) && read(named)) || read(body);
	if (resource) return resource;
	for (const name of WRAPPERS) {
		const found = readObject(body[name], key, read);
		if (found) return found;
	}
	const only = onlyObject(body);
	return only && read(only);
}

/** Whether a number has lost digits on its way: above 2^53 two identifiers may have become one. */
export const isInexact = (value: unknown): boolean =>
	typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** An identifier; services may send numbers. */
const identifier = z.union([
	z.string().min(1),
	z
		.number()
		.finite()
		.refine((id) => !isInexact(id))
		.transform(String),
]);

/** An object of the service, kept unchanged: copying it key by key would lose keys like `__proto__`. */
export const untouchedObject = z.custom<JsonObject>(isObject);

/** The name of a field or card, under any key that services have for it; undefined if it has none. */
export function nameOf(raw: JsonObject): string | undefined {
	const names = [raw.name, raw.label, raw.title, raw.field_name];
	return names.find((name): name is string => typeof name === 'string' && name !== '');
}

/**
 * Schema of a resource: its identifier, under `id` or a more specific name, and more properties.
 * Its output has the identifier as `id`.
 *
 * @param idName the other name of the identifier, for example `card_id`
 */
export function resourceSchema<Shape extends z.ZodRawShape>(idName: string, shape: Shape) {
	const withId = (raw: unknown) =>
		isObject(raw) ? { ...raw, id: raw.id ?? raw[idName] } : undefined;
	return z.preprocess(withId, z.object(shape).and(z.object({ id: identifier })));
}

/** Whether a body is a web page: of a proxy or a sign-in form, never of the service itself. */
export const isWebPage = (body: unknown): boolean =>
	typeof body === 'string' && /<(!doctype|html|head|body)\b/i.test(body);

/** Whether a value holds anything: a text, number or flag that is set, or an object or list with members. */
export const holds = (value: unknown): boolean =>
	typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** Whether an object with a list says next to it that something went wrong: the list may be a part. */
export const hasErrors = (body: unknown): boolean =>
	isObject(body) && [body.error, body.errors].some(holds);

/**
 * The shapes that a response may have where the interface doesn't show them: lists bare or under one key,
 * single objects bare or wrapped, empty bodies after a change.
 *
 * @see service interface, part 4, "Gaps"
 */
export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns true if a value is text and not empty. */
export const isText = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';

/** The value under a key. Ignores properties that all objects have, such as `constructor`. */
export const ownValue = (object: JsonObject, key: string): unknown =>
	Object.hasOwn(object, key) ? object[key] : undefined;

/** Names that usually wrap a list or an object. */
export const WRAPPERS = ['data', 'items', 'item', 'results', 'result', 'value'];

/** Names of lists that describe a response and aren't the requested list. */
const REMARKS =
	/^(?:errors?|warnings?|messages?|details|issues|violations|invalid.?params|notices?)$/i;

/**
 * Finds the list in a response.
 *
 * @param body a bare array, or an object that holds the array under `key`, a usual wrapper or the only key
 * with an array; one level of wrapping inside a wrapper is followed (`{ data: { cards: [] } }`)
 * @param key the name of the list, for example `cards`
 * @returns the list with any entries; undefined if the body holds none, or only a list of errors
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

/** The only object in an object; undefined if there are several or none. */
export function onlyObject(body: JsonObject): JsonObject | undefined {
	const [only, ...others] = Object.values(body).filter(isObject);
	return others.length === 0 ? only : undefined;
}

/**
 * Finds the single object in a response.
 *
 * @param body the object itself, alone in an array, or in an object that holds it under `key`, under a
 * usual wrapper or as its only object
 * @param key the name of the object, for example `card`
 * @param read reads the resource from an object; it also decides if a property with the name of a wrapper
 * belongs to the resource (a record's `data`)
 * @returns the resource; undefined if the body holds none, for example an empty body
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

/** Returns true if a number may have lost digits: above 2^53, two identifiers may have become one. */
export const isInexact = (value: unknown): boolean =>
	typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** Returns true if a body is a web page: of a proxy or a sign-in form, never of the service itself. */
export const isWebPage = (body: unknown): boolean =>
	typeof body === 'string' && /<(!doctype|html|head|body)\b/i.test(body);

/** Returns true if a value isn't empty: text, a nonzero number, true, or an object or list with members. */
export const holds = (value: unknown): boolean =>
	typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

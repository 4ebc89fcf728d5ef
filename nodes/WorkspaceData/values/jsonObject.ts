/** JSON objects. */
export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns true if a value is text and not empty. */
export const isText = (value: unknown): value is string =>
	typeof value === 'string' && value !== '';

/** The value under a key. Ignores properties that all objects have, such as `constructor`. */
export const ownValue = (object: JsonObject, key: string): unknown =>
	Object.hasOwn(object, key) ? object[key] : undefined;

/** The field types that the service's OpenAPI description names. */
import type { Api, RequestOptions } from '../transport/api';
import { isObject, ownValue, type JsonObject } from '../values/json';

/** Reads the types; none if the description can't be had, or names none. @see service interface, part 9 */
export const readFieldTypes = async (api: Api, options?: RequestOptions): Promise<string[]> =>
	await api.description('json', options).then(typesIn, () => []);

/** Finds the types in the request that adds a field. */
function typesIn(document: JsonObject): string[] {
	const paths = isObject(document.paths) ? document.paths : {};
	const path = Object.keys(paths).find((key) => /\/cards\/\{[^}]+\}\/fields$/.test(key)) ?? '';
	const content = ['requestBody', 'content', 'application/json', 'schema'];
	const types = find(document, document, ['paths', path, 'post', ...content, 'properties', 'type']);
	const named = isObject(types) && Array.isArray(types.enum) ? types.enum : [];
	return named.filter((type) => typeof type === 'string');
}

/** Follows keys, and references within the document on the way. @see RFC 6901 */
function find(document: JsonObject, from: unknown, [key, ...others]: readonly string[]): unknown {
	const reference = isObject(from) ? from.$ref : undefined;
	const start = typeof reference === 'string' ? follow(document, reference) : from;
	if (key === undefined || !isObject(start)) return start;
	return find(document, ownValue(start, key), others);
}

const follow = (document: JsonObject, reference: string): unknown =>
	reference
		.split('/')
		.slice(1)
		.reduce<unknown>((part, key) => (isObject(part) ? ownValue(part, key) : undefined), document);

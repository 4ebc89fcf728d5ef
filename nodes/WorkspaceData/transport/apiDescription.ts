/** The service's OpenAPI description: field types, and the largest page of records. */
import { isObject, type JsonObject, isWebPage, ownValue } from '../model/answer/shapes';
import type { Session } from './session';
import { ApiFailure, UnexpectedAnswer } from './failure/failures';
import type { ApiAnswer, ApiRequest, ReadOptions } from './request';

/**
 * The OpenAPI description that the service publishes. The interface does not tell whether its path
 * is relative to the API root or to the origin: both are tried.
 *
 * @returns the document; as `{ yaml }` for YAML
 * @throws UnexpectedAnswer if the answer is not such a document
 * @see service interface, parts 4 and 9
 */
export async function getDescription(
	session: Session,
	format: string,
	options: ReadOptions = {},
): Promise<JsonObject> {
	const yaml = format === 'yaml';
	const read = async (root: ApiRequest['root']): Promise<ApiAnswer> =>
		await session.request({
			method: 'GET',
			root,
			path: [yaml ? 'openapi.yaml' : 'openapi.json'],
			...options,
		});
	const { body } = await read('api').catch(async (error: unknown) => {
		if (error instanceof ApiFailure && error.problem.status === 404) return await read('origin');
		throw error;
	});
	if (!yaml && isObject(body)) return body;
	// JSON is YAML, too.
	if (yaml && isObject(body)) return { yaml: JSON.stringify(body, null, 2) };
	if (yaml && typeof body === 'string' && body.trim() !== '' && !isWebPage(body)) {
		return { yaml: body };
	}
	throw new UnexpectedAnswer(
		`The service doesn't publish its description as ${yaml ? 'YAML' : 'JSON'}`,
		'Select the other format.',
	);
}

/** The most schemas that are looked at. */
const MAX_SCHEMAS = 2_000;

/** A schema that is called like this describes a field. */
const FIELD_SCHEMA =
	/^(create|update|new|patch)?_?(card_?)?fields?_?(create|update|input|body|type|schema|definition){0,6}$/i;

/**
 * The field types that an OpenAPI document names: in the request that adds a field, else in schemas of fields.
 *
 * @param document an OpenAPI 3.0 document
 * @returns none where the document does not name them
 * @see service interface, part 9
 */
export function describedFieldTypes(document: JsonObject): string[] {
	const paths = isObject(document.paths) ? document.paths : {};
	const path = Object.keys(paths).find((key) => /\/cards\/\{[^}]+\}\/fields\/?$/.test(key));
	const post = memberOf(path && paths[path], 'post');
	const requested = reachable(document, memberOf(post, 'requestBody'))
		.map((body) => memberOf(memberOf(body, 'content'), 'application/json'))
		.map((content) => memberOf(content, 'schema'));
	const types = typeValues(document, requested);
	if (types.length > 0) return types;
	const schemas = memberOf(document.components, 'schemas');
	const named = isObject(schemas) ? Object.entries(schemas) : [];
	const ofFields = named.filter(([name]) => FIELD_SCHEMA.test(name));
	return typeValues(
		document,
		ofFields.map(([, schema]) => schema),
	);
}

/** The values that the property `type` of these schemas may have. */
function typeValues(document: JsonObject, schemas: readonly unknown[]): string[] {
	const types = reachable(document, ...schemas).map(({ properties }) =>
		memberOf(properties, 'type'),
	);
	const values = reachable(document, ...types).flatMap((type) => [type.enum, type.const].flat());
	return [...new Set(values.filter((value) => typeof value === 'string'))];
}

const memberOf = (value: unknown, key: string): unknown =>
	isObject(value) ? ownValue(value, key) : undefined;

/**
 * The objects that these values are, lead to by references, or have as alternatives and parts. Each is looked at once:
 * references may go in circles.
 *
 * @see RFC 6901; OpenAPI 3.0, "Reference Object"
 */
function reachable(document: JsonObject, ...start: unknown[]): JsonObject[] {
	const seen = new Set<JsonObject>();
	const waiting = [...start];
	for (const value of waiting) {
		if (!isObject(value) || seen.has(value)) continue;
		if (seen.size >= MAX_SCHEMAS) break;
		seen.add(value);
		if (typeof value.$ref === 'string') waiting.push(referred(document, value.$ref));
		for (const parts of [value.anyOf, value.oneOf, value.allOf]) {
			if (Array.isArray(parts)) for (const part of parts) waiting.push(part);
		}
	}
	return [...seen];
}

/** What a reference within the document points to. */
function referred(document: JsonObject, reference: string): unknown {
	if (!reference.startsWith('#/')) return undefined;
	const keys = reference.slice(2).split('/', 10);
	return keys
		.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>(memberOf, document);
}

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
		`The service does not publish its description as ${yaml ? 'YAML' : 'JSON'}`,
		'Choose the other format.',
	);
}

/** A schema that is called like this describes a field. */
const FIELD_SCHEMA =
	/^(create|update|new|patch)?_?(card_?)?fields?_?(create|update|input|body|type|schema|definition){0,6}$/i;

/** The most schemas that are looked at, and the most types that are offered. */
const MAX_SCHEMAS = 2_000;
const MAX_TYPES = 200;
/** References that lead to one value, and parts of each. */
const MAX_HOPS = 10;
const MAX_REF_PARTS = 10;

const stringsOf = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

/**
 * The object that a value of the document is, or that its reference points to.
 *
 * @returns undefined for everything else: other values, references to other documents, circles
 * @see RFC 6901; OpenAPI 3.0, "Reference Object"
 */
function resolve(document: JsonObject, value: unknown): JsonObject | undefined {
	let found = value;
	for (let hop = 0; hop < MAX_HOPS; hop += 1) {
		if (!isObject(found)) return undefined;
		const { $ref } = found;
		if (typeof $ref !== 'string') return found;
		if (!$ref.startsWith('#/')) return undefined;
		found = $ref
			.slice(2)
			.split('/', MAX_REF_PARTS)
			.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
			.reduce<unknown>((node, key) => (isObject(node) ? ownValue(node, key) : undefined), document);
	}
	return undefined;
}

/** The alternatives and parts of a schema, under these keys. */
const partsOf = (schema: JsonObject, keys: readonly string[]): unknown[] =>
	keys.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []));

/** The values that a schema of a text allows. */
const valuesOf = (schema: unknown): string[] =>
	isObject(schema)
		? [
				...stringsOf(schema.enum),
				...stringsOf([schema.const]),
				...partsOf(schema, ['anyOf', 'oneOf'])
					.filter(isObject)
					.flatMap(({ enum: list }) => stringsOf(list)),
			]
		: [];

/** The values that the property `type` of these schemas may have, in alternatives too. Looks at each once. */
function typeValues(document: JsonObject, schemas: readonly unknown[]): string[] {
	const seen = new Set<unknown>();
	const values = new Set<string>();
	const waiting = [...schemas];
	while (waiting.length > 0 && seen.size < MAX_SCHEMAS && values.size < MAX_TYPES) {
		const schema = resolve(document, waiting.shift());
		if (!schema || seen.has(schema)) continue;
		seen.add(schema);
		const { properties } = schema;
		const type = isObject(properties) ? resolve(document, properties.type) : undefined;
		for (const value of valuesOf(type)) values.add(value);
		const parts = partsOf(schema, ['anyOf', 'oneOf', 'allOf']);
		waiting.push(...parts.slice(0, MAX_SCHEMAS - waiting.length));
	}
	return [...values].slice(0, MAX_TYPES);
}

/** The request body of "add a field". */
function fieldRequestSchema(document: JsonObject): unknown {
	const paths = isObject(document.paths) ? Object.entries(document.paths) : [];
	const operation = paths.find(([path]) => /\/cards\/\{[^}]+\}\/fields\/?$/.test(path))?.[1];
	const post = isObject(operation) ? operation.post : undefined;
	const body = isObject(post) ? resolve(document, post.requestBody) : undefined;
	const content = isObject(body?.content) ? body.content['application/json'] : undefined;
	return isObject(content) ? content.schema : undefined;
}

/**
 * The field types that an OpenAPI document names.
 *
 * @param document an OpenAPI 3.0 document
 * @returns none where the document does not name them
 * @see service interface, part 9
 */
export function describedFieldTypes(document: JsonObject): string[] {
	const requested = typeValues(document, [fieldRequestSchema(document)]);
	if (requested.length > 0) return requested;
	const components = isObject(document.components) ? document.components : {};
	const schemas = isObject(components.schemas) ? Object.entries(components.schemas) : [];
	const ofFields = schemas.filter(([name]) => FIELD_SCHEMA.test(name));
	return typeValues(
		document,
		ofFields.map(([, schema]) => schema),
	);
}

import { isObject, type JsonObject } from './answer/shapes';

/** A schema that is called like this describes a field. */
const FIELD_SCHEMA =
	/^(create|update|new|patch)?_?(card_?)?fields?_?(create|update|input|body|type|schema|definition){0,6}$/i;
/** The most schemas that are looked at, and the most types that are offered. */
const MAX_SCHEMAS = 2_000;
const MAX_TYPES = 200;

const stringsOf = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

/** Follows a reference inside the document. */
function resolve(document: JsonObject, schema: unknown): unknown {
	if (!isObject(schema) || typeof schema.$ref !== 'string') return schema;
	const path = schema.$ref.replace(/^#\//, '').split('/');
	return path.reduce<unknown>(
		(node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
		document,
	);
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
		if (!isObject(schema) || seen.has(schema)) continue;
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
	const content =
		isObject(body) && isObject(body.content) ? body.content['application/json'] : undefined;
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

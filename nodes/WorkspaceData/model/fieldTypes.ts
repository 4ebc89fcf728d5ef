import { isObject, type JsonObject } from './shapes';

/** A schema that is called like this describes a field. */
const FIELD_SCHEMA =
	/^(create|update|new|patch)?_?(card_?)?fields?_?(create|update|input|body|type|schema|definition)*$/i;
const MAX_DEPTH = 12;

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

/** The values that the property `type` of a schema may have, in alternatives too. */
function typeValues(document: JsonObject, schema: unknown, depth = 0): string[] {
	const target = resolve(document, schema);
	if (!isObject(target) || depth > MAX_DEPTH) return [];
	const own = isObject(target.properties) ? resolve(document, target.properties.type) : undefined;
	const values = isObject(own)
		? [
				...stringsOf(own.enum),
				...stringsOf([own.const]),
				...['anyOf', 'oneOf'].flatMap((key) =>
					Array.isArray(own[key])
						? own[key].filter(isObject).flatMap(({ enum: list }) => stringsOf(list))
						: [],
				),
			]
		: [];
	const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
		Array.isArray(target[key]) ? target[key] : [],
	);
	return [...values, ...parts.flatMap((part) => typeValues(document, part, depth + 1))];
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
	const requested = typeValues(document, fieldRequestSchema(document));
	if (requested.length > 0) return [...new Set(requested)];
	const components = isObject(document.components) ? document.components : {};
	const schemas = isObject(components.schemas) ? Object.entries(components.schemas) : [];
	const found = schemas
		.filter(([name]) => FIELD_SCHEMA.test(name))
		.flatMap(([, schema]) => typeValues(document, schema));
	return [...new Set(found)];
}

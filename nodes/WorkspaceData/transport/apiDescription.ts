/** The service's OpenAPI description: field types, and the largest page of records. */
import { isObject, type JsonObject, isWebPage, ownValue } from '../model/response/jsonObject';
import type { Session } from './session';
import { ApiFailure, UnexpectedResponse } from './failure/failureKinds';
import type { ReadOptions } from './request';

/**
 * Requests the OpenAPI description that the service publishes. The interface doesn't say if its path
 * is relative to the API root or to the origin, so both are tried.
 *
 * @returns the document; as `{ yaml }` for YAML
 * @throws UnexpectedResponse if the response isn't such a document
 * @see service interface, parts 4 and 9
 */
export async function getDescription(
	session: Session,
	format: string,
	options: ReadOptions = {},
): Promise<JsonObject> {
	const yaml = format === 'yaml';
	const path = [yaml ? 'openapi.yaml' : 'openapi.json'];
	const request = { method: 'GET', root: 'api', path, ...options } as const;
	const { body } = await session.request(request).catch(async (error: unknown) => {
		if (!(error instanceof ApiFailure && error.problem.status === 404)) throw error;
		return await session.request({ ...request, root: 'origin' });
	});
	// JSON is valid YAML, too.
	if (isObject(body)) return yaml ? { yaml: JSON.stringify(body, null, 2) } : body;
	if (yaml && typeof body === 'string' && body.trim() !== '' && !isWebPage(body)) {
		return { yaml: body };
	}
	throw new UnexpectedResponse(
		`The service doesn't publish its description as ${yaml ? 'YAML' : 'JSON'}`,
		'Select the other format.',
	);
}

/**
 * Finds the field types that an OpenAPI document names in the request that adds a field.
 *
 * @param document an OpenAPI 3.0 document
 * @returns an empty list if the document names none
 * @see service interface, part 9
 */
export function describedFieldTypes(document: JsonObject): string[] {
	const paths = isObject(document.paths) ? document.paths : {};
	const path = Object.keys(paths).find((key) => /\/cards\/\{[^}]+\}\/fields\/?$/.test(key));
	const post = memberOf(path && paths[path], 'post');
	const schemas = reachable(document, memberOf(post, 'requestBody'))
		.map((body) => memberOf(memberOf(body, 'content'), 'application/json'))
		.map((content) => memberOf(content, 'schema'));
	const types = reachable(document, ...schemas).map(({ properties }) =>
		memberOf(properties, 'type'),
	);
	const values = reachable(document, ...types).flatMap((type) => [type.enum, type.const].flat());
	return [...new Set(values.filter((value) => typeof value === 'string'))];
}

const memberOf = (value: unknown, key: string): unknown =>
	isObject(value) ? ownValue(value, key) : undefined;

/**
 * Returns the objects that these values are, refer to, or have as alternatives and parts. Each is searched only
 * once, because references may form a cycle.
 *
 * @see RFC 6901; OpenAPI 3.0, "Reference Object"
 */
function reachable(document: JsonObject, ...start: unknown[]): JsonObject[] {
	const seen = new Set<JsonObject>();
	const waiting = [...start];
	for (const value of waiting) {
		if (!isObject(value) || seen.has(value)) continue;
		seen.add(value);
		if (typeof value.$ref === 'string') waiting.push(referred(document, value.$ref));
		for (const parts of [value.anyOf, value.oneOf, value.allOf]) {
			if (Array.isArray(parts)) for (const part of parts) waiting.push(part);
		}
	}
	return [...seen];
}

/** Resolves a reference within the document. */
function referred(document: JsonObject, reference: string): unknown {
	if (!reference.startsWith('#/')) return undefined;
	const keys = reference.slice(2).split('/', 10);
	return keys
		.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>(memberOf, document);
}

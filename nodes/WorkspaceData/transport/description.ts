import { isObject, type JsonObject } from '../model/answer/shapes';
import { isWebPage } from '../model/answer/webPage';
import type { WorkspaceApi } from './api';
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
	api: WorkspaceApi,
	format: string,
	options: ReadOptions = {},
): Promise<JsonObject> {
	const yaml = format === 'yaml';
	const read = async (root: ApiRequest['root']): Promise<ApiAnswer> =>
		await api.request({
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

/** The description documents. @see service interface, parts 4 and 9 */
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3 } from 'openapi-types';
import { stringify } from 'yaml';
import type { Parts } from '../parts/parts.ts';

/** Path of the versioned API root. */
export const apiRoot = '/api/v1';

/** The parts of the description that do not come from the routes. */
export const openApiInfo: Partial<OpenAPIV3.Document> = {
	openapi: '3.0.3',
	info: {
		title: 'Workspace Data Service',
		version: '1.0.0',
		description:
			'Cards, fields and records of a workspace, and webhook subscriptions. Errors are RFC 7807 problem details; 429 means that the rate limit is exceeded.',
		license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
	},
	servers: [{ url: apiRoot }],
};

/**
 * Serves the description documents, at the origin and below the API root, without credentials.
 */
export function addOpenApiRoutes(app: FastifyInstance, { guard, addresses }: Parts) {
	let made: OpenAPIV3.Document | undefined;
	const document = () => (made ??= describe(app, addresses));
	const options = { schema: { hide: true }, onRequest: guard.onPublicRequest };
	for (const root of ['', apiRoot]) {
		for (const [format, write] of [
			['json', JSON.stringify],
			['yaml', stringify],
		] as const) {
			app.get(`${root}/openapi.${format}`, options, (_request, reply) =>
				reply.type(`application/${format}; charset=utf-8`).send(write(document())),
			);
		}
	}
}

function describe(
	app: FastifyInstance,
	{ baseUrl, tokenUrl }: Parts['addresses'],
): OpenAPIV3.Document {
	const document = structuredClone(app.swagger()) as OpenAPIV3.Document;
	for (const path of Object.values(document.paths)) {
		for (const operation of Object.values(path ?? {}) as OpenAPIV3.OperationObject[]) {
			describeResponses(operation);
		}
	}
	dropUnused(document);
	return {
		...document,
		servers: [{ url: baseUrl }],
		security: [{ apiKey: [] }, { serviceAccount: [] }],
		components: {
			...document.components,
			securitySchemes: {
				apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
				serviceAccount: {
					type: 'oauth2',
					description: 'A service account; client_id and client_secret go into the form body.',
					flows: { clientCredentials: { tokenUrl, scopes: {} } },
				},
			},
		},
	};
}

/** The library describes every schema as request and as answer; only what is referred to stays. */
function dropUnused(document: OpenAPIV3.Document) {
	const schemas = document.components?.schemas ?? {};
	// Each comes after the schemas that it refers to.
	for (const name of Object.keys(schemas).toReversed()) {
		if (!JSON.stringify(document).includes(`"#/components/schemas/${name}"`)) delete schemas[name];
	}
}

const integer = (description: string): OpenAPIV3.HeaderObject => ({
	description,
	schema: { type: 'integer' },
});

const rateHeaders = {
	'X-RateLimit-Limit': integer('Requests allowed in the window.'),
	'X-RateLimit-Remaining': integer('Requests left in the window.'),
	'X-RateLimit-Reset': integer('When the window resets, as a Unix timestamp in seconds.'),
};

const retryAfter = integer('Seconds until the window resets; with 429, the limit is exceeded.');

/** Gives every response the headers of the rate limit, and problems their media type. */
function describeResponses({ responses }: OpenAPIV3.OperationObject) {
	for (const response of Object.values(responses))
		Object.assign(response, { headers: rateHeaders });
	const { content } = responses.default as OpenAPIV3.ResponseObject;
	responses.default = {
		description: 'A problem (RFC 7807).',
		headers: { ...rateHeaders, 'Retry-After': retryAfter },
		content: { 'application/problem+json': content?.['application/json'] ?? {} },
	};
	responses['4XX'] = responses.default;
}

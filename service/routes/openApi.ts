/** The description documents. */
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3 } from 'openapi-types';
import { stringify } from 'yaml';
import type { Guard } from '../http/guard.ts';

/** Path of the versioned API root. @see service interface, part 9 */
export const apiRoot = '/api/v1';

/** Where the service listens; known once it does. */
interface Addresses {
	baseUrl: string;
	tokenUrl: string;
}

/** The parts of the description that do not come from the routes. */
export const openApiInfo: Partial<OpenAPIV3.Document> = {
	openapi: '3.0.3',
	info: {
		title: 'Workspace Data Service',
		version: '1.0.0',
		description:
			'Cards, fields and records of a workspace, and webhook subscriptions. Errors are RFC 7807 problem details.',
		contact: { name: 'Workspace Data Service', url: 'https://workspace-data.example' },
		license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
	},
	servers: [{ url: apiRoot }],
	tags: [
		{ name: 'Cards', description: 'The tables of a workspace.' },
		{ name: 'Fields', description: 'The columns of a card.' },
		{ name: 'Records', description: 'The rows of a card.' },
		{ name: 'Webhooks', description: 'Subscriptions to events.' },
	],
};

/**
 * Serves the description documents, at the origin and below the API root, without credentials.
 * @param addresses read at the first request
 * @see service interface, parts 4 and 9
 */
export function addOpenApiRoutes(app: FastifyInstance, guard: Guard, addresses: Addresses) {
	let made: OpenAPIV3.Document | undefined;
	const document = () => (made ??= describe(app, addresses));
	const options = { schema: { hide: true }, onRequest: guard.onPublicRequest };
	for (const root of ['', apiRoot]) {
		app.get(`${root}/openapi.json`, options, (_request, reply) =>
			reply.type('application/json; charset=utf-8').send(JSON.stringify(document())),
		);
		app.get(`${root}/openapi.yaml`, options, (_request, reply) =>
			reply.type('application/yaml; charset=utf-8').send(stringify(document())),
		);
	}
}

function describe(app: FastifyInstance, { baseUrl, tokenUrl }: Addresses): OpenAPIV3.Document {
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

const refusalHeaders = {
	...rateHeaders,
	'Retry-After': integer('Seconds until the window resets; only if the limit is exceeded.'),
};

/** Gives every response the headers of the rate limit, and problems their media type. */
function describeResponses({ responses }: OpenAPIV3.OperationObject) {
	for (const response of Object.values(responses))
		Object.assign(response, { headers: rateHeaders });
	const { content } = responses.default as OpenAPIV3.ResponseObject;
	responses.default = {
		description: 'A problem (RFC 7807).',
		headers: refusalHeaders,
		content: { 'application/problem+json': content?.['application/json'] ?? {} },
	};
	responses['4XX'] = responses.default;
}

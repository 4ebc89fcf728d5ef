/** The description documents. */
import type { OpenAPIV3 } from 'openapi-types';
import { stringify } from 'yaml';
import type { Guard } from '../http/guard.ts';
import type { App } from '../http/context.ts';

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
	servers: [{ url: '/api/v1' }],
	tags: [
		{ name: 'Cards', description: 'The tables of a workspace.' },
		{ name: 'Fields', description: 'The columns of a card.' },
		{ name: 'Records', description: 'The rows of a card.' },
		{ name: 'Webhooks', description: 'Subscriptions to events.' },
	],
};

/**
 * Serves the description documents, at the origin and below the API root, without credentials.
 * @param addresses where the service listens; asked for at the first request
 * @see service interface, parts 4 and 9
 */
export function addOpenApiRoutes(
	app: App,
	guard: Guard,
	apiRoot: string,
	addresses: () => { baseUrl: string; tokenUrl: string },
) {
	let made: OpenAPIV3.Document | undefined;
	const document = () => (made ??= describe(app, addresses()));

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

function describe(
	app: App,
	{ baseUrl, tokenUrl }: { baseUrl: string; tokenUrl: string },
): OpenAPIV3.Document {
	const document = structuredClone(app.swagger()) as OpenAPIV3.Document;
	for (const path of Object.values(document.paths)) {
		for (const operation of Object.values(path ?? {}) as OpenAPIV3.OperationObject[]) {
			describeProblems(operation);
			const { default: problem } = operation.responses;
			if (problem) operation.responses['4XX'] = problem;
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
	const referred = (within: unknown) =>
		[...JSON.stringify(within).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
			([, name = '']) => name,
		);
	const used = new Set<string>();
	const queue = referred(document.paths);
	for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
		if (used.has(name)) continue;
		used.add(name);
		queue.push(...referred(schemas[name] ?? {}));
	}
	for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
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

/** Gives problems their media type and every answer the rate-limit headers. */
function describeProblems(operation: OpenAPIV3.OperationObject) {
	for (const [status, response] of Object.entries(operation.responses)) {
		if ('$ref' in response) continue;
		response.headers = rateHeaders;
		if (status !== 'default') continue;
		response.headers = refusalHeaders;
		response.description = 'A problem (RFC 7807).';
		const { 'application/json': json } = response.content ?? {};
		if (json) response.content = { 'application/problem+json': json };
	}
}

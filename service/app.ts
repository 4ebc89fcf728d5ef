/** The HTTP application: the API, and problem details everywhere. */
import swagger from '@fastify/swagger';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { Guard } from './auth/guard.ts';
import type { Store } from './data/store.ts';
import { boundConnections, connectionOptions } from './foundation/connections.ts';
import { refuseUnknownRoutes, sendProblem } from './http/refusals.ts';
import { readBody, validatorCompiler } from './http/requests.ts';
import type { ResolvedOptions } from './parts/options.ts';
import { addEndpoints } from './routes/endpoints.ts';
import { apiRoot, openApiInfo } from './routes/openApi.ts';

/** Makes an app without routes. Its logger serves the whole service; its hooks for the end close all parts. */
export function createApp({ bodyBytes, logLevel, logTo, drainMs }: ResolvedOptions) {
	const app = fastify({
		...connectionOptions,
		// A logger for each request would cost as much as all checks of it.
		childLoggerFactory: (logger: FastifyBaseLogger) => logger,
		logger: { level: logLevel, stream: logTo },
		bodyLimit: bodyBytes,
		routerOptions: { maxParamLength: 1_000 },
		frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
	});
	boundConnections(app, drainMs);
	app.setValidatorCompiler(validatorCompiler);
	// Schemas describe the responses and do not filter them.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readBody);
	app.setErrorHandler(sendProblem);
	return app;
}

/** Adds the API with its description; hooks that were added before run first. */
export async function addApi(app: FastifyInstance, store: Store, guard: Guard) {
	refuseUnknownRoutes(app, guard);
	await app.register(swagger, {
		openapi: openApiInfo,
		transform: jsonSchemaTransform,
		transformObject: jsonSchemaTransformObject,
	});
	await app.register(
		async (api) => {
			api.addHook('onRequest', guard.onApiRequest);
			addEndpoints(api, store);
		},
		{ prefix: apiRoot },
	);
}

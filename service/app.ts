/** The HTTP application: the API, its description, and problem details everywhere. */
import swagger from '@fastify/swagger';
import fastify, {
	type FastifyBaseLogger,
	type FastifyError,
	type FastifyInstance,
	type FastifyRequest,
} from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { WorkspaceData } from './data/workspaceData.ts';
import { readBody } from './http/body.ts';
import { answerBrokenRequest, refuseExpectation, requireHost } from './http/brokenRequests.ts';
import { boundConnections, connectionOptions } from './http/connections.ts';
import { sendProblem, toProblem } from './http/errors.ts';
import type { Guard } from './http/guard.ts';
import { refuseUnknownRoutes } from './http/unknownRoutes.ts';
import { validatorCompiler } from './http/validation.ts';
import type { ResolvedOptions } from './options.ts';
import { addCardRoutes } from './routes/cards.ts';
import { addFieldRoutes } from './routes/fields.ts';
import { apiRoot, openApiInfo } from './routes/openApi.ts';
import { addRecordRoutes } from './routes/records.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';

/** Makes an app without routes. Its logger serves the whole service; its hooks for the end close all parts. */
export function createApp(options: ResolvedOptions): FastifyInstance {
	const { bodyBytes, logLevel, logTo, trustProxy, drainMs } = options;
	const app = fastify({
		...connectionOptions,
		// A logger for each request would cost as much as all checks of it.
		childLoggerFactory: (logger: FastifyBaseLogger) => logger,
		logger: { level: logLevel, stream: logTo },
		bodyLimit: bodyBytes,
		trustProxy,
		routerOptions: { maxParamLength: 1_000 },
		clientErrorHandler: answerBrokenRequest,
		frameworkErrors(error, request, reply) {
			void sendProblem(reply, toProblem(error, request));
		},
	});
	app.server.on('checkExpectation', refuseExpectation);
	boundConnections(app, drainMs);
	app.setValidatorCompiler(validatorCompiler);
	// Schemas describe the responses and do not filter them.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		'application/json',
		{ parseAs: 'buffer' },
		async (request: FastifyRequest, body: Buffer) => readBody(request.headers, body),
	);
	app.setErrorHandler<FastifyError>((error, request, reply) =>
		sendProblem(reply, toProblem(error, request)),
	);
	return app;
}

/** Adds the API with its description; hooks that were added before run first. */
export async function addApi(app: FastifyInstance, data: WorkspaceData, guard: Guard) {
	app.addHook('onRequest', async ({ raw }) => requireHost(raw));
	refuseUnknownRoutes(app, guard);
	await app.register(swagger, {
		openapi: openApiInfo,
		transform: jsonSchemaTransform,
		transformObject: jsonSchemaTransformObject,
	});
	await app.register(
		async (api) => {
			api.addHook('onRequest', guard.onApiRequest);
			addCardRoutes(api, data);
			addFieldRoutes(api, data);
			addRecordRoutes(api, data);
			addWebhookRoutes(api, data);
		},
		{ prefix: apiRoot },
	);
}

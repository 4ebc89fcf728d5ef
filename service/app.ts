/** The HTTP application: the API, its description, and problem details everywhere. */
import swagger from '@fastify/swagger';
import fastify, { type FastifyBaseLogger, type FastifyError, type FastifyRequest } from 'fastify';
import {
	jsonSchemaTransform,
	jsonSchemaTransformObject,
	type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { problem } from './foundation/problem.ts';
import type { LogLevel } from './foundation/settings.ts';
import { readBody } from './http/body.ts';
import { answerBrokenRequest, refuseExpectation } from './http/brokenRequests.ts';
import { boundConnections, connectionOptions } from './http/connections.ts';
import type { App, RouteContext } from './http/context.ts';
import { sendProblem, toProblem } from './http/errors.ts';
import type { Guard } from './http/guard.ts';
import { refuseNowhere } from './http/nowhere.ts';
import { validatorCompiler } from './http/validation.ts';
import { addCardRoutes } from './routes/cards.ts';
import { addFieldRoutes } from './routes/fields.ts';
import { openApiInfo } from './routes/openApi.ts';
import { addRecordRoutes } from './routes/records.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';

/** Path of the versioned API root. @see service interface, part 9 */
export const apiRoot = '/api/v1';

/** How the app is made. */
export interface AppOptions {
	/** Largest body, in bytes. */
	bodyBytes: number;
	/** The log, which has no headers and no bodies, and so no secrets. */
	log: { level: LogLevel; stream: { write(line: string): void } };
	/** Whether to believe a proxy's X-Forwarded-* headers. */
	trustProxy: boolean;
	/** How long requests may take to end when the app closes, in ms. */
	drainMs: number;
}

/** Makes an app without routes. Its logger serves the whole service; its hooks for the end close all parts. */
export function createApp({ bodyBytes, log, trustProxy, drainMs }: AppOptions): App {
	const app = fastify({
		...connectionOptions,
		// A logger for each request would cost as much as all checks of it.
		childLoggerFactory: (logger: FastifyBaseLogger) => logger,
		logger: log,
		bodyLimit: bodyBytes,
		trustProxy,
		routerOptions: { maxParamLength: 1_000 },
		clientErrorHandler: answerBrokenRequest,
		frameworkErrors(error, request, reply) {
			void sendProblem(reply, toProblem(error, request));
		},
	}).withTypeProvider<ZodTypeProvider>();
	app.server.on('checkExpectation', refuseExpectation);
	app.decorateRequest('principal', null);
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
export async function addApi(app: App, context: RouteContext, guard: Guard): Promise<void> {
	app.addHook('onRequest', async ({ raw }) => checkHost(raw));
	refuseNowhere(app, guard);
	await app.register(swagger, {
		openapi: openApiInfo,
		transform: jsonSchemaTransform,
		transformObject: jsonSchemaTransformObject,
	});
	await app.register(
		async (api) => {
			api.addHook('onRequest', guard.onApiRequest);
			api.addHook('preValidation', async (request) => checkQuery(request));
			const typed = api.withTypeProvider<ZodTypeProvider>();
			addCardRoutes(typed, context);
			addFieldRoutes(typed, context);
			addRecordRoutes(typed, context);
			addWebhookRoutes(typed, context);
		},
		{ prefix: apiRoot },
	);
}

/** HTTP/1.1 asks for a Host header (RFC 9112, 3.2). */
function checkHost({ httpVersion, headers }: FastifyRequest['raw']): void {
	if (httpVersion === '1.0' || headers.host !== undefined) return;
	throw problem('malformed-request', 'The request has no Host header.');
}

/** A parameter that nobody reads is a mistake of the client, who must be told. */
function checkQuery({ query, routeOptions }: FastifyRequest): void {
	const known = routeOptions.config.query ?? [];
	const unknown = Object.keys(query as object).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const possible = known.length === 0 ? 'none' : known.join(', ');
	const detail = `Unknown query parameter "${unknown}". Possible: ${possible}.`;
	throw problem('malformed-request', detail);
}

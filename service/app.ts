/** The HTTP application: the API, its description, and problem details everywhere. */
import swagger from '@fastify/swagger';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import {
	jsonSchemaTransform,
	jsonSchemaTransformObject,
	type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { readBody } from './http/body.ts';
import { answerBrokenRequest, refuseExpectation } from './http/brokenRequests.ts';
import type { App, RouteContext } from './http/context.ts';
import { routeNotFound, sendProblem, toProblem } from './http/errors.ts';
import type { Guard } from './http/guard.ts';
import { knowAllMethods, refuseOtherMethods } from './http/otherMethods.ts';
import { problem, type ProblemError } from './http/problem.ts';
import { validatorCompiler } from './http/validation.ts';
import { boundConnections, connectionOptions } from './listener/connections.ts';
import { type LogOptions, loggerOptions } from './listener/log.ts';
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
	log: LogOptions;
	/** Whether to believe a proxy's X-Forwarded-* headers. */
	trustProxy: boolean;
	/** How long requests may take to end when the app closes, in ms. */
	drainMs: number;
	/** Told about errors of the service itself. */
	report(message: string): void;
}

/**
 * Makes an app without routes. Its logger serves the whole service; its hooks for the end close all parts.
 * @param guardOf the guard, once there is one
 */
export function createApp(options: AppOptions, guardOf: () => Guard): App {
	const { report } = options;
	const headersFor = (address: string) => guardOf().headersFor(address);
	/** Limits for what no route has taken and so no hook has seen, then the problem. */
	const refuse = async (error: ProblemError, request: FastifyRequest, reply: FastifyReply) => {
		try {
			await guardOf().onPublicRequest(request, reply);
			return sendProblem(reply, error);
		} catch (refusal) {
			return sendProblem(reply, toProblem(refusal as FastifyError, request, report));
		}
	};
	const app = fastify({
		...connectionOptions,
		...loggerOptions(options.log),
		bodyLimit: options.bodyBytes,
		trustProxy: options.trustProxy,
		routerOptions: { maxParamLength: 1_000 },
		clientErrorHandler: answerBrokenRequest(headersFor),
		frameworkErrors(error, request, reply) {
			void refuse(toProblem(error, request, report), request, reply as FastifyReply);
		},
	}).withTypeProvider<ZodTypeProvider>();
	app.server.on('checkExpectation', refuseExpectation(headersFor));
	app.decorateRequest('principal', null);
	boundConnections(app, options.drainMs);
	knowAllMethods(app);
	app.setValidatorCompiler(validatorCompiler);
	// Schemas describe the responses and do not filter them.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		'application/json',
		{ parseAs: 'buffer' },
		async (request: FastifyRequest, body: Buffer) => readBody(request.headers, body),
	);
	app.setErrorHandler<FastifyError>((error, request, reply) => {
		// The body of a request that leads nowhere was refused before the request was.
		const isUnseen = request.is404 && !reply.hasHeader('x-ratelimit-limit');
		return isUnseen
			? refuse(routeNotFound(request), request, reply)
			: sendProblem(reply, toProblem(error, request, report));
	});
	app.setNotFoundHandler((request, reply) => refuse(routeNotFound(request), request, reply));
	return app;
}

/** Adds the API with its description; hooks that were added before run first. */
export async function addApi(app: App, context: RouteContext, guard: Guard): Promise<void> {
	app.addHook('onRequest', (request, _reply, done) => {
		checkHost(request);
		done();
	});
	await app.register(swagger, {
		openapi: openApiInfo,
		transform: jsonSchemaTransform,
		transformObject: jsonSchemaTransformObject,
	});
	await app.register(
		async (api) => {
			api.addHook('onRequest', guard.onApiRequest);
			api.addHook('preValidation', (request, _reply, done) => {
				checkQuery(request);
				done();
			});
			const methods = new Map<string, Set<string>>();
			api.addHook('onRoute', ({ url, method }) => {
				const known = methods.get(url) ?? new Set();
				methods.set(url, known);
				for (const name of [method].flat()) known.add(name);
			});
			const typed = api.withTypeProvider<ZodTypeProvider>();
			addCardRoutes(typed, context);
			addFieldRoutes(typed, context);
			addRecordRoutes(typed, context);
			addWebhookRoutes(typed, context);
			for (const [url, known] of [...methods]) {
				refuseOtherMethods(typed, url.slice(apiRoot.length), known);
			}
			api.setNotFoundHandler((request, reply) => sendProblem(reply, routeNotFound(request)));
		},
		{ prefix: apiRoot },
	);
}

/** HTTP/1.1 asks for a Host header (RFC 9112, 3.2). */
function checkHost({ raw }: FastifyRequest): void {
	if (raw.httpVersion === '1.0' || raw.headers.host !== undefined) return;
	throw problem('malformed-request', 'The request has no Host header.');
}

/** A parameter that nobody reads is a mistake of the client, who must be told. */
function checkQuery({ query, routeOptions }: FastifyRequest): void {
	const known = routeOptions.config.query ?? [];
	const unknown = Object.keys(query as object).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const possible = known.length === 0 ? 'none' : known.join(', ');
	throw problem(
		'malformed-request',
		`Unknown query parameter "${unknown}". Possible: ${possible}.`,
	);
}

import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import {
	jsonSchemaTransform,
	jsonSchemaTransformObject,
	type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { openApiInfo } from './openApi.ts';
import type { Guard } from './guard.ts';
import { isProblemError, problem, problemBody, type ProblemError } from './problem.ts';
import { addCardRoutes } from './routes/cards.ts';
import { type App, type RouteContext } from './routes/context.ts';
import { addFieldRoutes } from './routes/fields.ts';
import { addRecordRoutes } from './routes/records.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';
import { maximumBodyBytes } from './settings.ts';
import { validatorCompiler } from './validation.ts';

/** Path of the versioned API root. @see service interface, part 9 */
export const apiRoot = '/api/v1';

const problemType = 'application/problem+json; charset=utf-8';

/** What fastify itself refuses, as our problems. */
function fromFastify(error: FastifyError): ProblemError | undefined {
	switch (error.code) {
		case 'FST_ERR_CTP_BODY_TOO_LARGE':
			return problem('body-too-large', `A body may have at most ${maximumBodyBytes} bytes.`);
		case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
			return problem('unsupported-media-type', 'Send bodies as application/json.');
		case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
			return problem('malformed-request', 'The body is not as long as Content-Length says.');
		case 'FST_ERR_BAD_URL':
		case 'FST_ERR_MAX_PARAM_LENGTH':
			return problem('malformed-request', 'The path is not properly percent-encoded.');
		case 'FST_ERR_MAX_LENGTH':
			return problem('malformed-request', 'A part of the path is too long.');
		case 'ECONNRESET':
		case 'ECONNABORTED':
			return problem('malformed-request', 'The connection was closed before the body was there.');
	}
	return undefined;
}

/** Sends a problem with its own media type. */
export function sendProblem(reply: FastifyReply, error: ProblemError): FastifyReply {
	return reply
		.code(error.problem.status)
		.headers(error.headers)
		.type(problemType)
		.send(JSON.stringify(error.problem));
}

function routeNotFound(request: FastifyRequest): ProblemError {
	const [path = ''] = request.url.split('?', 1);
	return problem('route-not-found', `There is nothing at ${request.method} ${path}.`);
}

/** Parses a JSON body; keys like `__proto__` stay ordinary keys, as JSON.parse makes own properties. */
function parseJson(_request: FastifyRequest, body: string | Buffer): unknown {
	if (body.length === 0) return undefined;
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body));
		return JSON.parse(text) as unknown;
	} catch (error) {
		const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
		throw problem('malformed-json', `The body is not JSON: ${reason}.`);
	}
}

/** Answers what node:http refuses before there is a request. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket) {
	if (!socket.writable) return;
	const refused =
		error.code === 'HPE_HEADER_OVERFLOW'
			? problemBody('headers-too-large', 'The request headers are too large.')
			: error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
				? problemBody('request-timeout', 'The request did not arrive in time.')
				: problemBody('malformed-request', 'This is not an HTTP request.');
	const body = JSON.stringify(refused);
	socket.end(
		`HTTP/1.1 ${refused.status} ${refused.title}\r\ncontent-type: ${problemType}\r\n` +
			`content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
	);
}

/**
 * Builds the HTTP application: API, description documents and problem details everywhere.
 * @param report told about errors of our own, in words without secrets
 */
export async function createApp(
	context: RouteContext,
	guard: Guard,
	report: (message: string) => void,
): Promise<App> {
	const app = fastify({
		bodyLimit: maximumBodyBytes,
		forceCloseConnections: true,
		requestTimeout: 30_000,
		routerOptions: { maxParamLength: 1_000 },
		clientErrorHandler: answerBrokenRequest,
		frameworkErrors(error, request, reply) {
			void answerFrameworkError(error, request, reply as FastifyReply);
		},
	}).withTypeProvider<ZodTypeProvider>();

	const unexpected = (error: unknown) => {
		report(error instanceof Error ? (error.stack ?? error.message) : String(error));
		return problem('internal-error', 'Something went wrong in the service.');
	};

	const toProblem = (error: FastifyError | ProblemError) =>
		isProblemError(error) ? error : (fromFastify(error) ?? unexpected(error));

	/** Hooks do not run for what the router refuses, so the limits are applied here. */
	const answerFrameworkError = async (
		error: FastifyError,
		request: FastifyRequest,
		reply: FastifyReply,
	) => {
		try {
			if (await guard.onPublicRequest(request, reply)) return;
			sendProblem(reply, toProblem(error));
		} catch (refusal) {
			sendProblem(reply, toProblem(refusal as FastifyError));
		}
	};

	app.setValidatorCompiler(validatorCompiler);
	// Answers are shaped by variants, so schemas describe them and do not filter them.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
		try {
			done(null, parseJson(request, body));
		} catch (error) {
			done(error as Error, undefined);
		}
	});

	app.setErrorHandler<FastifyError>((error, _request, reply) =>
		sendProblem(reply, toProblem(error)),
	);
	app.setNotFoundHandler(async (request, reply) => {
		const ended = await guard.onPublicRequest(request, reply);
		return ended ?? sendProblem(reply, routeNotFound(request));
	});

	await app.register(swagger, {
		openapi: openApiInfo,
		transform: jsonSchemaTransform,
		transformObject: jsonSchemaTransformObject,
	});

	await app.register(
		async (api) => {
			api.addHook('onRequest', guard.onApiRequest);
			api.addHook('onSend', guard.onSend);
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
				const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
					(name) => !known.has(name),
				);
				const allow = [...known].join(', ');
				api.route({
					method: others,
					url: url.slice(apiRoot.length),
					schema: { hide: true },
					onRequest: async (request) => {
						throw problem(
							'method-not-allowed',
							`${request.method} is not possible here, only ${allow}.`,
							{ headers: { allow } },
						);
					},
					handler: () => {},
				});
			}
			api.setNotFoundHandler((request, reply) => sendProblem(reply, routeNotFound(request)));
		},
		{ prefix: apiRoot },
	);
	return app;
}

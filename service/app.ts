import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import {
	jsonSchemaTransform,
	jsonSchemaTransformObject,
	type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { maximumBodyBytes } from './foundation/settings.ts';
import { type App, pathOf, type RouteContext } from './http/context.ts';
import type { Guard } from './http/guard.ts';
import { knowAllMethods, refuseOtherMethods } from './http/otherMethods.ts';
import { problem, problemBody, type ProblemError, problemOf } from './http/problem.ts';
import { validatorCompiler } from './http/validation.ts';
import { addCardRoutes } from './routes/cards.ts';
import { addFieldRoutes } from './routes/fields.ts';
import { openApiInfo } from './routes/openApi.ts';
import { addRecordRoutes } from './routes/records.ts';
import { addWebhookRoutes } from './routes/webhooks.ts';

/** Path of the versioned API root. @see service interface, part 9 */
export const apiRoot = '/api/v1';

const problemType = 'application/problem+json; charset=utf-8';

/** Fastify's own refusals, as our problems. */
function fromFastify(error: FastifyError, request: FastifyRequest): ProblemError | undefined {
	switch (error.code) {
		case 'FST_ERR_CTP_BODY_TOO_LARGE': {
			const { bodyLimit } = request.routeOptions;
			return problem('body-too-large', `A body may have at most ${bodyLimit} bytes here.`);
		}
		case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
			return problem('unsupported-media-type', 'Send bodies as application/json.');
		case 'FST_CSRF_MISSING_SECRET':
		case 'FST_CSRF_INVALID_TOKEN':
			return problem('cross-site-request', 'The form is not from this session. Reload the page.');
		case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
			return problem('malformed-request', 'The body is not as long as Content-Length says.');
		case 'FST_ERR_BAD_URL':
			return problem('malformed-request', 'The path is not properly percent-encoded.');
		case 'FST_ERR_MAX_PARAM_LENGTH':
			return problem('malformed-request', 'A part of the path is too long.');
		case 'ECONNRESET':
		case 'ECONNABORTED':
			return problem('malformed-request', 'The connection was closed before the body was there.');
	}
	const { code = '', statusCode = 500, message } = error;
	const refused = code.startsWith('FST_') && statusCode >= 400 && statusCode < 500;
	return refused ? problem('malformed-request', `${message}.`) : undefined;
}

/** Sends a problem with its own media type. */
function sendProblem(reply: FastifyReply, error: ProblemError): FastifyReply {
	return reply
		.code(error.problem.status)
		.headers(error.headers)
		.type(problemType)
		.send(JSON.stringify(error.problem));
}

function routeNotFound(request: FastifyRequest): ProblemError {
	return problem('route-not-found', `There is nothing at ${request.method} ${pathOf(request)}.`);
}

/** Bodies come unpacked; a client that compresses them must hear that nobody unpacks them. */
function checkNotEncoded({ headers }: FastifyRequest) {
	const encoding = headers['content-encoding'];
	if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
	throw problem('unsupported-media-type', 'Send bodies without Content-Encoding.', {
		headers: { 'accept-encoding': 'identity' },
	});
}

/** JSON is UTF-8 between systems (RFC 8259, 8.1); a client with another charset must hear that it is not read. */
function checkCharset({ headers }: FastifyRequest) {
	const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
	if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
	throw problem('unsupported-media-type', `Send bodies as UTF-8, not ${charset}.`);
}

/** HTTP/1.1 asks for a Host header (RFC 9112, 3.2). */
function checkHost({ raw }: FastifyRequest) {
	if (raw.httpVersion === '1.0' || raw.headers.host !== undefined) return;
	throw problem('malformed-request', 'The request has no Host header.');
}

/** A parameter that nobody reads is a mistake of the client, who must hear of it. */
function checkQuery({ query, routeOptions }: FastifyRequest) {
	const known = routeOptions.config.query ?? [];
	const unknown = Object.keys(query as object).find((name) => !known.includes(name));
	if (unknown === undefined) return;
	const possible = known.length === 0 ? 'none' : known.join(', ');
	throw problem(
		'malformed-request',
		`Unknown query parameter "${unknown}". Possible: ${possible}.`,
	);
}

/** Answers an Expect header that is not 100-continue (RFC 9110, 10.1.1). */
function refuseExpectation({ headers }: IncomingMessage, response: ServerResponse) {
	const body = problemBody('expectation-failed', `Nothing here meets "Expect: ${headers.expect}".`);
	response
		.writeHead(body.status, { 'content-type': problemType, connection: 'close' })
		.end(JSON.stringify(body));
}

/** Parses a JSON body; keys like `__proto__` stay ordinary keys, as JSON.parse makes own properties. */
function parseJson(body: string | Buffer): unknown {
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

/** Adds hooks and routes to an app; the hooks run before those of the API. */
export type AppPlugin = (app: App) => Promise<void> | void;

/** The parts that the app is built from. */
export interface AppOptions {
	context: RouteContext;
	/** Made with the app, as it counts requests with the app's help. */
	guard(app: App): Guard;
	/** Added before the API. */
	plugins: readonly AppPlugin[];
	/** Told about errors of our own, in words without secrets. */
	report(message: string): void;
}

/** Builds the HTTP application: API, description documents and problem details everywhere. */
export async function createApp(options: AppOptions): Promise<{ app: App; guard: Guard }> {
	const { context, report } = options;
	const app = fastify({
		bodyLimit: maximumBodyBytes,
		forceCloseConnections: true,
		requestTimeout: 30_000,
		http: { requireHostHeader: false },
		routerOptions: { maxParamLength: 1_000 },
		clientErrorHandler: answerBrokenRequest,
		frameworkErrors(error, request, reply) {
			void refuse(toProblem(error, request), request, reply as FastifyReply);
		},
	}).withTypeProvider<ZodTypeProvider>();
	app.server.on('checkExpectation', refuseExpectation);
	app.decorateRequest('principal', null);
	for (const add of options.plugins) await add(app);
	app.addHook('onRequest', async (request) => checkHost(request));

	const unexpected = (error: unknown) => {
		report(error instanceof Error ? (error.stack ?? error.message) : String(error));
		return problem('internal-error', 'Something went wrong in the service.');
	};

	const toProblem = (error: FastifyError | ProblemError, request: FastifyRequest) =>
		problemOf(error) ?? fromFastify(error as FastifyError, request) ?? unexpected(error);

	/** Log and limits for what no route has taken and so no hook has seen, then the problem. */
	const refuse = async (error: ProblemError, request: FastifyRequest, reply: FastifyReply) => {
		try {
			await guard.onPublicRequest(request, reply);
			return sendProblem(reply, error);
		} catch (refusal) {
			return sendProblem(reply, toProblem(refusal as FastifyError, request));
		}
	};

	knowAllMethods(app);
	app.setValidatorCompiler(validatorCompiler);
	// Schemas describe the answers and do not filter them.
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
		try {
			checkNotEncoded(request);
			checkCharset(request);
			done(null, parseJson(body));
		} catch (error) {
			done(error as Error, undefined);
		}
	});

	app.setErrorHandler<FastifyError>((error, request, reply) => {
		// The body of a request that leads nowhere was refused before the request was.
		const unseen = request.is404 && !reply.hasHeader('x-ratelimit-limit');
		return unseen
			? refuse(routeNotFound(request), request, reply)
			: sendProblem(reply, toProblem(error, request));
	});
	app.setNotFoundHandler((request, reply) => refuse(routeNotFound(request), request, reply));

	const guard = options.guard(app);
	await app.register(swagger, {
		openapi: openApiInfo,
		transform: jsonSchemaTransform,
		transformObject: jsonSchemaTransformObject,
	});

	await app.register(
		async (api) => {
			api.addHook('onRequest', guard.onApiRequest);
			api.addHook('preValidation', async (request) => checkQuery(request));
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
	return { app, guard };
}

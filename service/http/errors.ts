/** Turns whatever is thrown in a request into a problem, and sends it. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './context.ts';
import { problem, type ProblemError, problemOf, problemType } from './problem.ts';

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
		case 'ERR_STREAM_PREMATURE_CLOSE':
			return problem('malformed-request', 'The connection was closed before the body was there.');
	}
	const { code = '', statusCode = 500, message } = error;
	const refused = code.startsWith('FST_') && statusCode >= 400 && statusCode < 500;
	return refused ? problem('malformed-request', `${message}.`) : undefined;
}

/**
 * Whatever was thrown, as a problem.
 * @param report told about what is the service's own fault, in words without secrets
 */
export function toProblem(
	error: FastifyError | ProblemError,
	request: FastifyRequest,
	report: (message: string) => void,
): ProblemError {
	const known = problemOf(error) ?? fromFastify(error as FastifyError, request);
	if (known) return known;
	report(error instanceof Error ? (error.stack ?? error.message) : String(error));
	return problem('internal-error', 'Something went wrong in the service.');
}

/** The problem of a request that leads nowhere. */
export function routeNotFound(request: FastifyRequest): ProblemError {
	return problem('route-not-found', `There is nothing at ${request.method} ${pathOf(request)}.`);
}

/** Sends a problem with its own media type. */
export function sendProblem(reply: FastifyReply, error: ProblemError): FastifyReply {
	return reply
		.code(error.problem.status)
		.headers(error.headers)
		.type(problemType)
		.send(JSON.stringify(error.problem));
}
